"""Atoms: one match for each event whose filter holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tocsin.engine.expressions import Condition, compile_condition, compile_value
from tocsin.engine.machines.machine import Machine, OpenPlace, Part
from tocsin.engine.machines.static import Shared, StaticFilter
from tocsin.engine.machines.world import World
from tocsin.engine.references import Getter
from tocsin.engine.state import Found, Left, Placed
from tocsin.language.normal import Leaf
from tocsin.language.tree import (
    Aggregate,
    And,
    Comparison,
    EventReference,
    Expression,
    MatchDuration,
    OfEvent,
    TimeOf,
    Variable,
)
from tocsin.language.variables import walk
from tocsin.model.event import Event
from tocsin.model.values import Value


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One condition of a filter, as it stands in the text and as it runs.

    Attributes
    ----------
    text, holds
        The condition, and what says whether it holds.
    is_static
        Whether the event alone decides it.
    bindings
        The variables it binds or joins, with what to.
    is_of_event
        Whether the event alone says what a variable is bound to.
    """

    text: Expression
    is_static: bool
    holds: Condition
    bindings: tuple[tuple[str, Getter], ...] = ()
    is_of_event: bool = False

    def apply(self, left: Left, event: Event) -> Left | None:
        """Return what is known after it held, or None where it does not hold.

        A conjunct `expression = $x` binds an unbound variable.
        """
        for name, get in self.bindings:
            if name not in left.variables:
                value = get(left, event)
                if value is None:
                    return None
                return Left(left.taken, {**left.variables, name: value}, left.after, left.marks)
        return left if self.holds(left, event) else None


class LeafPart(Part):
    """An atom: `atom` is its place in the text.

    What an event alone decides is decided once for each event, whatever stands to the left, and
    for all atoms that share the same filters.
    """

    def __init__(self, leaf: Leaf, shared: Shared) -> None:
        self.alias = leaf.alias
        self.atom = leaf.number
        self.stream = leaf.stream
        self.variants = ((self,),)
        self.awaited = (self,)
        conjuncts = [_conjunct(part, leaf.alias) for part in conjuncts_of(leaf.condition)]
        self.static = tuple(one for one in conjuncts if one.is_static)
        self.dynamic = tuple(one for one in conjuncts if not one.is_static)
        self.joins = tuple(
            (name, get) for one in self.dynamic for name, get in one.bindings if one.is_of_event
        )
        self.joined = tuple(dict.fromkeys(name for name, _ in self.joins))
        self._filter = _shared_filter(leaf, self.static, shared)
        self.passes = self._filter.passes

    @property
    def is_free(self) -> bool:
        """Whether it looks at nothing but its own event and variables that this gives."""
        return all(one.is_of_event for one in self.dynamic)

    def take(self, left: Left, event: Event) -> Mapping[str, Value] | None:
        """Return the variables after an event took this part, or None where it cannot."""
        if not self.passes(event):
            return None
        for conjunct in self.dynamic:
            bound = conjunct.apply(left, event)
            if bound is None:
                return None
            left = bound
        return left.variables

    def opens(self, left: Left, placed: Placed) -> bool:
        """Say whether an event satisfies this opening condition."""
        return self.take(left, placed.event) is not None

    def open(self, left: Left) -> LeafMachine:
        """Return a machine for this atom."""
        return LeafMachine(self, left)


def _shared_filter(leaf: Leaf, static: tuple[Conjunct, ...], shared: Shared) -> StaticFilter:
    """Return a filter, an old one where there is one; own aliases occur in conditions."""
    key = (leaf.stream, leaf.alias, tuple(one.text for one in static))
    if not any(isinstance(node, EventReference) for one in static for node in walk(one.text)):
        key = (leaf.stream, "", key[2])
    found = shared.get(key)
    if found is None:
        found = shared[key] = StaticFilter(leaf.stream, tuple(one.holds for one in static))
    return found


def conjuncts_of(condition: Expression) -> tuple[Expression, ...]:
    """Return the conditions that a filter joins by AND."""
    if isinstance(condition, And):
        return tuple(conjunct for part in condition.parts for conjunct in conjuncts_of(part))
    return (condition,)


def _conjunct(condition: Expression, own: str) -> Conjunct:
    holds = compile_condition(condition, own)
    bindings: tuple[tuple[str, Getter], ...] = ()
    is_of_event = False
    if isinstance(condition, Comparison) and condition.operator == "=":
        sides = ((condition.left, condition.right), (condition.right, condition.left))
        bindings = tuple(
            (side.name, compile_value(other, own))
            for side, other in sides
            if isinstance(side, Variable)
        )
        is_of_event = any(_is_static(side, own) for side, _ in sides)
    return Conjunct(condition, _is_static(condition, own), holds, bindings, is_of_event)


def _is_static(condition: Expression, own: str) -> bool:
    """Say whether the event alone decides a condition."""
    for node in walk(condition):
        if isinstance(node, Variable | MatchDuration | Aggregate):
            return False
        if isinstance(node, OfEvent | TimeOf) and (
            node.event.alias != own or node.event.which is not None
        ):
            return False
    return True


class LeafMachine(Machine):
    """An atom in its place: it has no partial matches."""

    __slots__ = ("left", "part")

    def __init__(self, part: LeafPart, left: Left) -> None:
        self.part = part
        self.left = left

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited."""
        yield OpenPlace(self.left, self.part)

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event."""
        event = placed.event
        if not may_start or not self.part.passes(event):
            return []
        if not self.left.admits(placed, unordered=world.unordered):
            return []
        variables = self.part.take(self.left, event)
        if variables is None:
            return []
        taken = ((self.part, placed),)
        openings = self.part.variants[0]
        return [
            Found(
                taken,
                variables,
                None,
                openings,
                placed.position,
                placed,
                event.begin,
                event.end,
            )
        ]
