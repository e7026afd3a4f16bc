"""Absences: where they may stand in a sequence, and in which form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tocsin.language.checker.problems import Problems
from tocsin.language.checker.words import shown
from tocsin.language.printer import to_text
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Disjunction,
    Limit,
    Parameter,
    Pattern,
    Sequence,
    Span,
)

_DURATION = "10 min"


@dataclass(frozen=True, slots=True)
class Around:
    """What is around a sequence: the links where it is part of another one, and the window."""

    before: str | None = None
    after: str | None = None
    window: Limit | None = None


def check_absences(node: Sequence, problems: Problems, around: Around) -> None:
    """Check the absences among the parts of a sequence."""
    check = _CHECK_OF_LINK[node.links[0].kind]
    for begin, end in _runs(node.parts):
        run = _Run(node, begin, end, problems, around)
        if not run.has_plain_form():
            return
        check(run)


def _runs(parts: tuple[Pattern, ...]) -> Iterator[tuple[int, int]]:
    """Yield begin and end of every group of neighbouring absences."""
    begin = None
    for index, part in enumerate(parts):
        if isinstance(part, Absence):
            begin = index if begin is None else begin
        elif begin is not None:
            yield begin, index
            begin = None
    if begin is not None:
        yield begin, len(parts)


class _Run:
    """Neighbouring absences and what stands around them."""

    def __init__(
        self, node: Sequence, begin: int, end: int, problems: Problems, around: Around
    ) -> None:
        self.node, self.problems = node, problems
        self.begin, self.end = begin, end
        self.before, self.after, self.window = around.before, around.after, around.window
        self.absences = [part for part in node.parts[begin:end] if isinstance(part, Absence)]
        self.first = self.absences[0]
        self.is_leading = begin == 0
        self.is_trailing = end == len(node.parts)

    def fail(self, what: str, hint: str) -> None:
        """Note an error at the first absence."""
        self.problems.error(self.first.at, what, hint)

    def has_plain_form(self) -> bool:
        """Refuse what is wrong wherever it stands: EVERY, conditions on the wrong arrow."""
        for absence in self.absences:
            if absence.every is not None:
                at = self.problems.locator.key(absence.at, {"EVERY"})
                what = "EVERY belongs to silence, an absence that is the whole pattern"
                self.problems.error(at, what, "Leave out EVERY here.")
                return False
        for index in range(max(self.begin - 1, 0), self.end - 1):
            link = self.node.links[index]
            if link.condition is not None:
                what = "the condition of '->' cannot stand before an absence"
                hint = "Put it on the arrow before the next event: p -> !q ->{condition} r."
                self.problems.error(link.at, what, hint)
                return False
        return True

    def has_duration(self) -> bool:
        """Say whether any of them has a FOR."""
        return any(absence.duration is not None for absence in self.absences)

    def text(self, *, duration: bool = False) -> str:
        """Return the first absence as text, for hints."""
        inner = shown(self.first.pattern)
        inner = inner if isinstance(self.first.pattern, Sequence) is False else f"({inner})"
        return f"!{inner} FOR {self.length()}" if duration else f"!{inner}"

    def length(self) -> str:
        """Return how long the absence lasts; where it does not say so, the window may."""
        if self.has_duration():
            return shown(self.first).rpartition(" FOR ")[2]
        return length_of(self.window)


def length_of(window: Limit | None) -> str:
    """Return the length of a window for the hint that an absence needs one, or some example."""
    if window is not None and window.unit == "time" and window.amount != 0:
        return to_text(window)
    return _DURATION


def _check_contiguous(run: _Run) -> None:
    """`p , !q` is the only form, and `->` or `;` must follow it."""
    if run.is_leading:
        what = "',' cannot follow an absence, which is no event"
        hint = f"Write {run.text()} ; … for 'none before', or [NOT (…)] , … for the event before."
        run.fail(what, hint)
    elif run.has_duration():
        _report_wrong_operator(run, ",")
    elif not run.is_trailing or len(run.absences) > 1:
        what = "',' on both sides of an absence: nothing can lie between neighbouring events"
        hint = "Leave out the absence, or let '->' or ';' follow it: p , !q -> r."
        run.fail(what, hint)
    elif run.after not in {"->", ";"}:
        hint = (
            "Let an event follow: p , !q -> r or p , !q ; r. In a longer sequence, put that "
            "into parentheses: o -> (p , !q ; r)."
        )
        run.fail("', !q' says only what is not next, so '->' or ';' must follow it directly", hint)
    elif not _takes_one_event(run.first.pattern):
        what = "after ',' only one event can be absent: the very next one"
        run.fail(what, "Put one atom there, as in p , !q:[…] -> r, or several: p , !(q | r) -> s.")


def _takes_one_event(pattern: Pattern) -> bool:
    """Say whether every match of a pattern is a single event."""
    match pattern:
        case Atom():
            return True
        case Disjunction(parts):
            return all(_takes_one_event(part) for part in parts)
        case Condition(inner, _) | Span(inner, _):
            return _takes_one_event(inner)
        case _:
            return False


def _check_first_later(run: _Run) -> None:
    """`p -> !q -> r`."""
    if run.has_duration():
        _report_wrong_operator(run, "->")
    elif run.is_leading and run.before is None:
        what = "'->' cannot follow a leading absence"
        run.fail(what, f"Write {run.text()} ; … for 'none of these before'.")
    elif run.is_leading or (run.is_trailing and run.after is not None):
        _report_different_operators(run)
    elif run.is_trailing:
        _report_endless(run)


def _check_any_later(run: _Run) -> None:
    """`p ; !q ; r`, `!q ; r` and every form of FOR."""
    if run.has_duration() and (len(run.absences) > 1 or _follows_next_absence(run)):
        what = "an absence with FOR stands beside another absence"
        hint = "Between two events stand plain absences, or one with FOR. Use !(q | r) FOR …."
        run.fail(what, hint)
    elif run.is_trailing and not run.has_duration():
        if run.after is None:
            _report_endless(run)
        else:
            what = "an absence at the end of a group never becomes certain"
            hint = f"Move it out of the parentheses, or say how long: !q FOR {run.length()}."
            run.fail(what, hint)


def _follows_next_absence(run: _Run) -> bool:
    previous = run.node.parts[run.begin - 1] if run.begin else None
    return isinstance(previous, Sequence) and isinstance(previous.parts[-1], Absence)


def _report_wrong_operator(run: _Run, operator: str) -> None:
    what = f"an absence with FOR is joined by ';', not by '{operator}'"
    run.fail(what, f"Write … ; {run.text(duration=True)}.")


def _report_different_operators(run: _Run) -> None:
    what = "different operators on the two sides of an absence"
    hint = "Use the same on both: p ; !q ; r or p -> !q -> r."
    run.fail(what, hint)


def _report_endless(run: _Run) -> None:
    what = "an absence at the end of a pattern never becomes certain"
    run.fail(what, f"Say how long: … ; {run.text(duration=True)}.")


def check_duration(node: Absence, problems: Problems) -> None:
    """Check that FOR and EVERY give some time."""
    for word, duration in (("FOR", node.duration), ("EVERY", node.every)):
        if duration is not None and not isinstance(duration, Parameter) and duration <= 0:
            at = problems.locator.after(node.at, word)
            problems.error(at, f"{word} needs more than no time", f"Write {word} 10 min.")


def report_misplaced(node: Absence, problems: Problems) -> None:
    """Note an absence that is neither part of a sequence nor the whole pattern."""
    if node.duration is None:
        what = "an absence must be part of a sequence"
        hint = "Say between which events nothing may come: p ; !q ; r."
    else:
        what = "silence must be the whole pattern"
        hint = (
            "Put it into a subscription of its own that says EMIT … INTO a stream, and read "
            "that stream here."
        )
    problems.error(node.at, what, hint)


_CHECK_OF_LINK = {",": _check_contiguous, "->": _check_first_later, ";": _check_any_later}
