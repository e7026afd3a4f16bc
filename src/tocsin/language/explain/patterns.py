"""Every form of a pattern in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tocsin.language.explain.absences import absence_in_sequence, silence
from tocsin.language.explain.normal_form import Definitions, atoms_of, can_be_empty, inline
from tocsin.language.explain.phrases import (
    beginning,
    bound_in,
    first_event,
    length_of_time,
    linked_event,
    listed,
    ordinal,
    repetitions,
    span,
)
from tocsin.language.explain.steps import Step
from tocsin.language.printer import to_text
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Expression,
    Iteration,
    Link,
    Nth,
    Pattern,
    Repeat,
    Sequence,
    Span,
)
from tocsin.model.values import Duration

_FOLLOWS: Final = {
    ",": "each beginning with the very next event after the one before",
    "->": "each beginning with the first event after the one before that can open it",
    ";": "each beginning with any event after the one before",
}


@dataclass
class PatternWords:
    """Walks a pattern in the order of its text, to know which variable is bound where."""

    definitions: Definitions
    names: dict[int, str]
    bound: set[str] = field(default_factory=set)

    def steps(self, pattern: Pattern) -> tuple[Step, ...]:
        """Return the steps of a whole pattern: of a sequence one for each part."""
        if isinstance(pattern, Sequence):
            return self._sequence(pattern, None)
        if isinstance(pattern, Absence):
            return (silence(self, pattern),)
        return (self.step(pattern, None),)

    def step(self, pattern: Pattern, link: Link | None) -> Step:
        """Return the step of one part; `link` is how it follows the part before it."""
        match pattern:
            case Atom():
                return Step(self._atom(pattern, link))
            case Condition(inside, condition):
                return _noted(self.step(inside, link), f"only if {to_text(condition)}")
            case Span(inside, limit):
                return _noted(self.step(inside, link), span(limit))
            case Iteration():
                return self._iteration(pattern, link)
            case Sequence():
                return Step(_lead(link) + "one after the other:", self._sequence(pattern, None))
            case Conjunction():
                return self._conjunction(pattern, link)
            case Disjunction():
                return self._disjunction(pattern, link)
            case Nth():
                return self._nth(pattern, link)
            case Repeat():
                return self._repeat(pattern, link)
            case Absence():
                return silence(self, pattern)

    def filter_of(self, atom: Atom) -> tuple[str | None, Expression | None]:
        """Return the stream an atom is about, if it names one, and its condition."""
        if atom.name is None:
            return atom.stream, atom.condition
        if atom.name in self.definitions:
            return None, inline(self.definitions[atom.name], self.definitions)
        return atom.name, None

    def _atom(self, atom: Atom, link: Link | None) -> str:
        stream, condition = self.filter_of(atom)
        if link is None:
            said = first_event(stream, condition)
        else:
            said = linked_event(link, stream, condition)
        return f"{self._name(atom)}: {said}{self._binding(condition)}"

    def _name(self, atom: Atom) -> str:
        return atom.alias or atom.name or self.names.get(id(atom), "_")

    def _binding(self, condition: Expression | None) -> str:
        new = []
        for variable, value in bound_in(condition):
            if variable not in self.bound:
                self.bound.add(variable)
                new.append(f"${variable} becomes its {to_text(value)}")
        return f" ({listed(new)})" if new else ""

    def _sequence(self, sequence: Sequence, link: Link | None) -> tuple[Step, ...]:
        """Return a step for each part; parts that are sequences themselves give theirs."""
        steps: list[Step] = []
        before = link
        for place, part in enumerate(sequence.parts):
            if isinstance(part, Absence):
                steps.append(absence_in_sequence(self, sequence, place))
            elif isinstance(part, Sequence) and _reads_on(part):
                steps += self._sequence(part, before)
            else:
                steps.append(self.step(part, before))
            # What follows a leading absence follows nothing.
            if place < len(sequence.links) and not _all_absent(sequence.parts[: place + 1]):
                before = sequence.links[place]
        return tuple(steps)

    def _iteration(self, pattern: Iteration, link: Link | None) -> Step:
        low, high = pattern.low, pattern.high
        said = f"{_lead(link)}{repetitions(low, high)}"
        if high != 1:
            said += f", {_joined(pattern.by)}"
        parts = [self.step(pattern.pattern, None)]
        if pattern.until is not None:
            until = to_text(pattern.until)
            parts.append(Step(f"an event with {until} is never taken and ends the repetitions"))
        if low == 0:
            parts.append(Step("without it, the steps before and after it follow one another"))
        if low != high and high != 1:
            parts.append(Step("each possible number of repetitions is a match of its own"))
        return Step(f"{said}:", tuple(parts))

    def _conjunction(self, pattern: Conjunction, link: Link | None) -> Step:
        known = set(self.bound)
        steps = []
        for part in pattern.parts:
            self.bound = set(known)
            steps.append(self.step(part, None))
        self.bound = known | _variables(self, pattern)
        many = "both" if len(pattern.parts) == 2 else "all"
        said = f"{_lead(link)}{many} of these, in any order, sharing no event"
        return Step(said + _agreement(self, pattern) + ":", tuple(steps))

    def _disjunction(self, pattern: Disjunction, link: Link | None) -> Step:
        # `->` takes the first event that opens any of the sides, not the first of each side.
        first_only = link is not None and link.kind == "->"
        known = set(self.bound)
        steps = []
        for part in pattern.parts:
            self.bound = set(known)
            steps.append(self.step(part, None if first_only else link))
        self.bound = known | _variables(self, pattern)
        many = "either" if len(pattern.parts) == 2 else "any one"
        said = f"{many} of these, each a match of its own:"
        return Step(_lead(link) + said if first_only else said, tuple(steps))

    def _nth(self, pattern: Nth, link: Link | None) -> Step:
        since = "the start" if link is None else "the step before"
        variables = sorted(_variables(self, pattern.pattern))
        each = f", for each value of {listed(f'${v}' for v in variables)}" if variables else ""
        said = f"the {ordinal(pattern.index)} completed match of this, counted from {since}{each}:"
        return Step(said, (self.step(pattern.pattern, None),))

    def _repeat(self, pattern: Repeat, link: Link | None) -> Step:
        step = pattern.step
        grown = length_of_time(step) if isinstance(step, Duration) else str(step)
        said = f"{_lead(link)}{repetitions(pattern.times, pattern.times)}, "
        said += "in any order of arrival" if pattern.by is None else _joined(pattern.by)
        said += f", with {pattern.attribute} growing by {grown} from one to the next:"
        return Step(said, (self.step(pattern.pattern, None),))


def _noted(step: Step, note: str) -> Step:
    """Add to a sentence, before the colon where one leads on to parts."""
    if step.text.endswith(":"):
        return Step(f"{step.text[:-1]}; {note}:", step.parts)
    return Step(f"{step.text}; {note}", step.parts)


def _all_absent(parts: tuple[Pattern, ...]) -> bool:
    return all(isinstance(part, Absence) for part in parts)


def _reads_on(part: Sequence) -> bool:
    """Say whether the steps of an inner sequence mean the same among those of the outer one."""
    first, last = part.parts[0], part.parts[-1]
    if isinstance(first, Absence | Nth) or can_be_empty(first):
        return False
    return not isinstance(last, Absence) or last.duration is None


def _lead(link: Link | None) -> str:
    return "" if link is None else f"{beginning(link)}: "


def _joined(by: Link) -> str:
    if by.condition is None:
        return _FOLLOWS[by.kind]
    return f"each beginning with the first event after the one before with {to_text(by.condition)}"


def _variables(words: PatternWords, pattern: Pattern) -> set[str]:
    """Return the variables that the atoms of a pattern bind."""
    found: set[str] = set()
    for atom in atoms_of(pattern):
        found.update(name for name, _ in bound_in(words.filter_of(atom)[1]))
    return found


def _agreement(words: PatternWords, pattern: Conjunction) -> str:
    """Say on which variables several sides must agree."""
    sides = [_variables(words, part) for part in pattern.parts]
    counts = Counter(name for side in sides for name in side)
    shared = sorted(name for name, count in counts.items() if count > 1)
    return f", with the same {listed(f'${v}' for v in shared)}" if shared else ""
