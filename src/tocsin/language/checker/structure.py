"""The shape of a pattern: bounds, windows, absences, and what may be empty."""

from __future__ import annotations

from typing import Any, Final

from tocsin.language.checker.absences import (
    Around,
    check_absences,
    check_duration,
    length_of,
    report_misplaced,
)
from tocsin.language.checker.emptiness import opening_nth
from tocsin.language.checker.locator import BOUNDS
from tocsin.language.checker.problems import Problems
from tocsin.language.tokens import NUMBER
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Iteration,
    Limit,
    Nth,
    Parameter,
    Pattern,
    Repeat,
    Sequence,
    Span,
)

_REQUIRED: Final = "Make a part required: p instead of p?, p+ instead of p*."


def check_structure(pattern: Pattern, problems: Problems, window: Limit | None) -> None:
    """Check the shape of a whole pattern; `window` is that of the WITHIN clause."""
    checker = _Structure(problems, window)
    if isinstance(pattern, Absence):
        checker.silence(pattern)
    elif checker.walk(pattern):
        what = "this pattern can match without any event"
        problems.warn(pattern.at, what, f"Such a match is never reported. {_REQUIRED}")


def check_limit(limit: Limit, problems: Problems) -> None:
    """Check that a window holds something."""
    if isinstance(limit.amount, Parameter) or limit.amount > 0:
        return
    if limit.unit == "events":
        what, hint = "a window of 0 events holds no event", "Write 1 EVENT or more."
    else:
        what, hint = "a window of no length", "Write a longer one, such as 5 min or 1 ms."
    problems.error(limit.at, what, hint)


class _Structure:
    """Walks a pattern once; every visit returns whether the part can be empty."""

    def __init__(self, problems: Problems, window: Limit | None) -> None:
        self.problems = problems
        self.window = window
        self.is_bounded = window is not None
        self.in_absence = False
        self.has_nth = False
        self.reported: set[int] = set()

    def walk(self, node: Pattern) -> bool:
        return bool(_VISITS[type(node)](self, node))

    def atom(self, _: Atom) -> bool:
        return False

    def misplaced(self, node: Absence) -> bool:
        report_misplaced(node, self.problems)
        self.absent(node)
        return False

    def silence(self, node: Absence) -> None:
        if node.duration is None:
            what = "an absence alone never becomes certain"
            hint = f"Say how long nothing may come: !q FOR {length_of(self.window)}."
            self.problems.error(node.at, what, hint)
        self.absent(node)

    def absent(self, node: Absence) -> bool:
        """Check what is absent; the absence itself takes no event."""
        check_duration(node, self.problems)
        if node.duration is not None and self.in_absence:
            what = "an absence with FOR cannot stand inside another absence"
            hint = "Use WITHIN inside it, or EMIT … INTO a stream and read that."
            self.problems.error(node.at, what, hint)
        outer, self.in_absence = self.in_absence, True
        was_bounded, self.is_bounded = self.is_bounded, True  # the nearest match decides
        if self.walk(node.pattern):
            what = "what is absent here can match without any event, so it is never absent"
            self.problems.error(node.at, what, _REQUIRED)
        self.in_absence, self.is_bounded = outer, was_bounded
        return True

    def sequence(self, node: Sequence, before: str | None = None, after: str | None = None) -> bool:
        parts, kind = node.parts, node.links[0].kind
        last = len(parts) - 1
        empties, has_absence = [], False
        for index, part in enumerate(parts):
            part_type = type(part)
            if part_type is Absence:
                has_absence = True
                empties.append(self.absent(part))  # type: ignore[arg-type]
            elif part_type is Sequence:
                around = kind if index else None, kind if index < last else None
                empties.append(self.sequence(part, *around))  # type: ignore[arg-type]
            else:
                empties.append(_VISITS[part_type](self, part))
        if has_absence:
            check_absences(node, self.problems, Around(before, after, self.window))
            self.check_before_absence(node, empties)
        if self.has_nth and kind != ";":
            self.check_nth(parts[1:], kind, "Join it by ';': p ; nth(2, q).")
        return all(empties)

    def check_before_absence(self, node: Sequence, empties: list[bool]) -> None:
        """A last absence counts from the end of what stands before it."""
        last = node.parts[-1]
        if isinstance(last, Absence) and all(empties):
            what = "what stands before this absence can be empty, so nothing says when it begins"
            self.problems.error(last.at, what, _REQUIRED)

    def check_nth(self, parts: tuple[Pattern, ...], kind: str, hint: str) -> None:
        wanted = "the very next event" if kind == "," else "the first one"
        for part in parts:
            found = opening_nth(part)
            if found is not None and id(found) not in self.reported:
                self.reported.add(id(found))
                what = f"nth({found.index}, …) cannot follow '{kind}', which asks for {wanted}"
                self.problems.error(found.at, what, hint)

    def iteration(self, node: Iteration) -> bool:
        self._check_bounds(node)
        was_bounded = self.is_bounded
        if node.until is not None:
            self.is_bounded = True
        elif node.high is None and not was_bounded:
            self._warn_of_growth(node)
        is_empty = self.walk(node.pattern)
        self.is_bounded = was_bounded
        if self.has_nth and node.by.kind != ";" and node.high != 1:
            self.check_nth((node.pattern,), node.by.kind, "Repeat it by ';': nth(2, p){3} BY ;.")
        return is_empty or node.low == 0

    def _sign(self, node: Iteration) -> int:
        return self.problems.locator.key(node.at, BOUNDS)

    def _check_bounds(self, node: Iteration) -> None:
        if node.high == 0:
            what = "an iteration of 0 times never takes an event"
            hint = "Leave the part out, or say !p for 'none'."
            self.problems.error(self._sign(node), what, hint)
        elif node.high is not None and node.low > node.high:
            what = f"the bounds of this iteration are swapped: {node.low} stands before {node.high}"
            hint = f"Write {{{node.high},{node.low}}}."
            self.problems.error(self._sign(node), what, hint)

    def _warn_of_growth(self, node: Iteration) -> None:
        what = "this iteration has no upper bound and no window, so its matches never stop growing"
        hint = "Add WITHIN 1 hour, an upper bound such as {1,100}, or UNTIL (…)."
        self.problems.warn(self._sign(node), what, hint)

    def guarded(self, node: Condition) -> bool:
        return self.walk(node.pattern)

    def span(self, node: Span) -> bool:
        check_limit(node.limit, self.problems)
        outer, self.window = self.window, node.limit
        was_bounded, self.is_bounded = self.is_bounded, True
        is_empty = self.walk(node.pattern)
        self.window, self.is_bounded = outer, was_bounded
        return is_empty

    def nth(self, node: Nth) -> bool:
        if node.index < 1:
            at = self.problems.locator.argument(node.at, {NUMBER})
            self.problems.error(at, "nth counts from 1", "Write nth(1, p) for the first.")
        if self.walk(node.pattern):
            what = "nth counts matches, and this part can match without any event"
            self.problems.error(node.at, what, _REQUIRED)
        self.has_nth = True
        return False

    def repeat(self, node: Repeat) -> bool:
        if node.times < 1:
            at = self.problems.locator.argument(node.at, {NUMBER})
            self.problems.error(at, "repeat needs a number of times from 1 on", "Write 1 or more.")
        if not isinstance(node.pattern, Atom):
            what = "repeat takes one atom"
            hint = "Write repeat(a:[…], n, attribute, step); for more than an atom use (p ; q){n}."
            self.problems.error(node.pattern.at, what, hint)
        self.walk(node.pattern)
        return False

    def conjunction(self, node: Conjunction) -> bool:
        empties = [self.walk(part) for part in node.parts]  # every part is to be checked
        return all(empties)

    def disjunction(self, node: Disjunction) -> bool:
        empties = [self.walk(part) for part in node.parts]
        return any(empties)


_VISITS: Final[dict[type, Any]] = {
    Atom: _Structure.atom,
    Absence: _Structure.misplaced,
    Sequence: _Structure.sequence,
    Iteration: _Structure.iteration,
    Condition: _Structure.guarded,
    Span: _Structure.span,
    Nth: _Structure.nth,
    Repeat: _Structure.repeat,
    Conjunction: _Structure.conjunction,
    Disjunction: _Structure.disjunction,
}
