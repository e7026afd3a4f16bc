"""Equalities that tie an event's key to a variable or to another event of the match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tocsin.language.normal import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Leaf,
    Normal,
    NormalSubscription,
    Repeated,
    Silence,
)
from tocsin.language.normal.normalize import present_leaves
from tocsin.language.tree import Attribute, Comparison, Expression, OfEvent, Variable
from tocsin.plan.partition.shape import leaves_of
from tocsin.plan.predicates.split import conjuncts

Key: TypeAlias = Mapping[str, str]
"""From streams to the attribute that carries the key."""


def equalities(condition: Expression) -> Iterator[tuple[Expression, Expression]]:
    """Yield both orders of every `x = y` that must hold; what stands below OR or NOT need not."""
    for conjunct in conjuncts(condition):
        if isinstance(conjunct, Comparison) and conjunct.operator == "=":
            yield conjunct.left, conjunct.right
            yield conjunct.right, conjunct.left


def own_attribute(term: Expression, own: str | None) -> str | None:
    """Return the attribute of the current event that a term is, None where it is something else."""
    match term:
        case Attribute(name):
            return name
        case OfEvent(event, attribute) if event.alias == own and event.which is None:
            return attribute
    return None


@dataclass(frozen=True)
class Ties:
    """What the equalities of a subscription say about a key.

    Attributes
    ----------
    subscription, key
        Whose equalities, and which key.
    variables
        Those that only ever take the value of a key.
    """

    subscription: NormalSubscription
    key: Key
    variables: frozenset[str]

    @classmethod
    def of(cls, subscription: NormalSubscription, key: Key) -> Ties:
        """Collect the variables that are keys: no equality binds them to anything else."""
        ties = cls(subscription, key, frozenset())
        seen: set[str] = set()
        others: set[str] = set()
        for leaf in leaves_of(subscription.pattern):
            for term, other in equalities(leaf.condition):
                if isinstance(other, Variable):
                    is_key = ties.is_own_key(term, leaf.stream, leaf.alias)
                    (seen if is_key else others).add(other.name)
        return cls(subscription, key, frozenset(seen - others))

    def streams(self, stream: str | None) -> tuple[str, ...]:
        """Return the streams whose events may satisfy a condition."""
        return self.subscription.sources if stream is None else (stream,)

    def is_own_key(self, term: Expression, stream: str | None, own: str | None) -> bool:
        """Say whether a term is the key of the current event, whatever its stream."""
        attribute = own_attribute(term, own)
        return attribute is not None and all(
            self.key.get(name) == attribute for name in self.streams(stream)
        )

    def bound_by(self, leaf: Leaf) -> frozenset[str]:
        """Return the variables that have the key of an event as their value once it is taken."""
        return frozenset(
            other.name
            for term, other in equalities(leaf.condition)
            if isinstance(other, Variable)
            and other.name in self.variables
            and self.is_own_key(term, leaf.stream, leaf.alias)
        )

    def follows_event(self, condition: Expression, stream: str | None, own: str | None) -> bool:
        """Say whether a condition asks for the key of an event that was taken before.

        Where there is none the equality is false, so it need not be certain that there is one.
        """
        return any(
            self.is_own_key(term, stream, own) and self._is_key_of_event(other, own)
            for term, other in equalities(condition)
        )

    def holds_only_for_key(self, condition: Expression) -> bool:
        """Say whether a condition that binds nothing holds only for events of the key."""
        return self.asks_for_key(condition, None, None)

    def asks_for_key(self, condition: Expression, stream: str | None, own: str | None) -> bool:
        """Say whether a condition asks for the key of a variable, or of an event taken before."""
        return self.follows_event(condition, stream, own) or any(
            self.is_own_key(term, stream, own)
            and isinstance(other, Variable)
            and other.name in self.variables
            for term, other in equalities(condition)
        )

    def tied_afterwards(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of aliases whose keys WHERE, or `@` around the first, asks to be equal."""
        where = self.subscription.where
        if where is not None:
            yield from self._pairs(where)
        for guard in _guards(self.subscription.pattern):
            inside = {leaf.alias for leaf in present_leaves(guard.part)}
            yield from (pair for pair in self._pairs(guard.condition) if pair[0] in inside)

    def _pairs(self, condition: Expression) -> Iterator[tuple[str, str]]:
        for term, other in equalities(condition):
            pair = self._alias_of_key(term), self._alias_of_key(other)
            if pair[0] is not None and pair[1] is not None:
                yield pair[0], pair[1]

    def _alias_of_key(self, term: Expression) -> str | None:
        """An alias may stand in several branches, and a condition in one of them: not that one."""
        if not isinstance(term, OfEvent) or term.event.which is not None:
            return None
        is_one = len(self._leaves(term.event.alias)) == 1
        return term.event.alias if is_one and self._is_key_of_event(term, None) else None

    def _is_key_of_event(self, term: Expression, own: str | None) -> bool:
        if not isinstance(term, OfEvent) or (term.event.alias == own and term.event.which is None):
            return False
        leaves = self._leaves(term.event.alias)
        return bool(leaves) and all(
            self.key.get(name) == term.attribute
            for leaf in leaves
            for name in self.streams(leaf.stream)
        )

    def _leaves(self, alias: str) -> list[Leaf]:
        return [leaf for leaf in leaves_of(self.subscription.pattern) if leaf.alias == alias]


def _guards(node: Normal) -> Iterator[Guard]:
    """Yield the conditions after `@` that a match must fulfil; those in absences are none."""
    match node:
        case Guard():
            yield node
            yield from _guards(node.part)
        case Chain():
            for element in node.elements:
                yield from _guards(element)
        case Repeated() | Bounded() | Counted():
            yield from _guards(node.part)
        case Both() | Either():
            for part in node.parts:
                yield from _guards(part)
        case Leaf() | Silence():
            return
