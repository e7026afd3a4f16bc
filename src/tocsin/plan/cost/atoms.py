"""The atoms of a pattern: which variables join them, which may open or close a part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tocsin.language.explain.normal_form import atoms_of, can_be_empty
from tocsin.language.normal import Leaf, NormalSubscription
from tocsin.language.tree import (
    Absence,
    Atom,
    Comparison,
    Expression,
    OfEvent,
    Pattern,
    Sequence,
    Variable,
)
from tocsin.language.tree import Conjunction as Both
from tocsin.language.tree import Disjunction as Either
from tocsin.language.variables import variables_of, walk
from tocsin.plan.predicates.split import conjuncts, is_static, split_condition


@dataclass(frozen=True, slots=True)
class Atoms:
    """The conditions of the atoms of one subscription, definitions inlined."""

    leaf_of_atom: Mapping[int, Leaf]

    @classmethod
    def of(cls, subscription: NormalSubscription) -> Atoms:
        """Pair the atoms of the text with the leaves of the normal form, by their numbers."""
        leaves = {leaf.number: leaf for leaf in walk(subscription.pattern) if type(leaf) is Leaf}
        atoms = enumerate(atoms_of(subscription.tree.pattern))
        return cls({id(atom): leaves[number] for number, atom in atoms})

    def conditions(self, atom: Atom) -> tuple[Expression, ...]:
        """Return what AND joins in the filter of an atom."""
        return conjuncts(self.leaf_of_atom[id(atom)].condition)

    def variables(self, pattern: Pattern) -> frozenset[str]:
        """Return the variables that a match of a part binds."""
        conditions = (part for atom in present(pattern) for part in self.conditions(atom))
        return frozenset(name for part in conditions for name in variables_of(part))

    def is_joined(self, atom: Atom, known: frozenset[str]) -> bool:
        """Say whether an equality joins an atom with what stands to its left."""
        own = self.leaf_of_atom[id(atom)].alias
        return any(_joins(part, known, own) for part in self.conditions(atom))

    def is_simple(self, pattern: Pattern) -> bool:
        """Say whether a part is an atom that looks at nothing but its own event."""
        if not isinstance(pattern, Atom):
            return False
        leaf = self.leaf_of_atom[id(pattern)]
        return all(is_key(part) for part in split_condition(leaf.condition, own=leaf.alias).dynamic)

    def needs_others(self, part: Expression, own: str, known: frozenset[str]) -> bool:
        """Say whether a condition depends on what stands to the left."""
        plain = split_condition(part, own=own)
        return any(_variable_of(one) in (known | {None}) for one in plain.dynamic)


def present(pattern: Pattern) -> Iterator[Atom]:
    """Yield the atoms that a match may hold, in the order of the text."""
    match pattern:
        case Atom():
            yield pattern
        case Absence():
            return
        case Sequence() | Both() | Either():
            for part in pattern.parts:
                yield from present(part)
        case _:
            yield from present(pattern.pattern)


def openings(pattern: Pattern) -> Iterator[Atom]:
    """Yield the atoms that may be first in a match of a part."""
    yield from _edges(pattern, forwards=True)


def closings(pattern: Pattern) -> Iterator[Atom]:
    """Yield the atoms that may be last in a match of a part."""
    yield from _edges(pattern, forwards=False)


def _edges(pattern: Pattern, *, forwards: bool) -> Iterator[Atom]:
    match pattern:
        case Atom():
            yield pattern
        case Absence():
            return
        case Sequence(parts):
            for part in parts if forwards else reversed(parts):
                yield from _edges(part, forwards=forwards)
                if not isinstance(part, Absence) and not can_be_empty(part):
                    return
        case Both(parts) | Either(parts):
            for part in parts:
                yield from _edges(part, forwards=forwards)
        case _:
            yield from _edges(pattern.pattern, forwards=forwards)


def is_key(part: Expression) -> bool:
    """Say whether a condition is `attribute = $x`, which the event and the variable decide."""
    return _variable_of(part) is not None


def _variable_of(part: Expression) -> str | None:
    match part:
        case Comparison("=", Variable(name), other) | Comparison("=", other, Variable(name)):
            return name if is_static(other) else None
    return None


def _joins(part: Expression, known: frozenset[str], own: str) -> bool:
    if _variable_of(part) in known:
        return True
    match part:
        case Comparison("=", left, right):
            return _is_foreign(left, own) != _is_foreign(right, own)
    return False


def _is_foreign(value: Expression, own: str) -> bool:
    return isinstance(value, OfEvent) and value.event.alias != own
