"""How many matches a part can have, as a degree in the number of events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Iteration,
    Link,
    Nth,
    Pattern,
    Repeat,
    Sequence,
    Span,
)
from tocsin.plan.cost.atoms import Atoms
from tocsin.plan.cost.degree import EXPONENTIAL, Degree

NONE: Final = Degree()


@dataclass(frozen=True, slots=True)
class Measure:
    """How the number of matches grows: of all, and of those that begin with one given event."""

    all: Degree
    anchored: Degree

    def then(self, link: Link, other: Measure) -> Measure:
        """Return the measure of what follows by a link: `;` lets its begin be chosen."""
        added = other.all if link.kind == ";" else other.anchored
        return Measure(self.all + added, self.anchored + added)


_EMPTY: Final = Measure(NONE, NONE)


def measure(pattern: Pattern, atoms: Atoms, known: frozenset[str]) -> Measure:
    """Return how the matches of a part grow, given the variables that are bound to its left."""
    match pattern:
        case Atom():
            return Measure(_one(atoms.is_joined(pattern, known)), NONE)
        case Absence():
            return _EMPTY
        case Sequence():
            return prefixes(pattern, atoms, known)[-1]
        case Iteration():
            return _iteration(pattern, atoms, known)
        case Repeat():
            return _repeat(pattern, atoms, known)
        case Nth():
            return Measure(NONE, NONE)  # one match for each start and key
        case Span(inner):
            return Measure(_flat(measure(inner, atoms, known).all), NONE)
        case Condition():
            return measure(pattern.pattern, atoms, known)
        case Conjunction():
            return _both(pattern, atoms, known)
        case Disjunction():
            sides = [measure(part, atoms, known) for part in pattern.parts]
            return Measure(most(s.all for s in sides), most(s.anchored for s in sides))


def prefixes(sequence: Sequence, atoms: Atoms, known: frozenset[str]) -> list[Measure]:
    """Return the measures of the first part, of the first two parts, and so on."""
    found: list[Measure] = []
    has_begun = False
    for index, part in enumerate(sequence.parts):
        own = measure(part, atoms, known)
        if has_begun:
            own = found[-1].then(sequence.links[index - 1], own)
        has_begun = has_begun or not isinstance(part, Absence)
        found.append(own)
        known |= atoms.variables(part)
    return found


def _one(is_joined: bool) -> Degree:
    return Degree(keyed=1) if is_joined else Degree(1)


def _flat(degree: Degree) -> Degree:
    """One begin, and behind it no more choice than a window of its own leaves."""
    return _one(degree.free == 0)


def most(degrees: Iterable[Degree]) -> Degree:
    """Return the fastest growth of several."""
    found = NONE
    for degree in degrees:
        found |= degree
    return found


def _iteration(node: Iteration, atoms: Atoms, known: frozenset[str]) -> Measure:
    first = measure(node.pattern, atoms, known)
    later = measure(node.pattern, atoms, known | atoms.variables(node.pattern))
    added = later.all if node.by.kind == ";" else later.anchored
    if node.high is None:
        # Where each repetition is settled by the one before, only their number is to be chosen.
        added = _flat(later.all) if added == NONE else EXPONENTIAL
        return Measure(first.all + added, first.anchored + added)
    added = added * max(node.high - 1, 0)
    return Measure(first.all + added, first.anchored + added)


def _repeat(node: Repeat, atoms: Atoms, known: frozenset[str]) -> Measure:
    """The attribute that grows by a step joins each repetition with the one before."""
    first = measure(node.pattern, atoms, known)
    added = Degree(keyed=1) if node.times > 1 else NONE
    return Measure(first.all + added, first.anchored + added)


def _both(node: Conjunction, atoms: Atoms, known: frozenset[str]) -> Measure:
    found = _EMPTY
    for index, part in enumerate(node.parts):
        own = measure(part, atoms, known)
        found = Measure(found.all + own.all, found.anchored + (own.all if index else own.anchored))
        known |= atoms.variables(part)
    return found
