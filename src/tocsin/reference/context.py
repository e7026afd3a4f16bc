"""What has been matched so far, as far as a part of a pattern can see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tocsin.language.normal import Leaf
from tocsin.model.event import Event
from tocsin.model.values import Value, join_key

# Where something stands in the course of the run; places compare as tuples. See `timeline`.
Place: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """An event with its position in the stream of one subscription."""

    position: int
    place: Place
    event: Event


@dataclass(frozen=True, slots=True)
class Taken:
    """An event that plays the part of an atom."""

    leaf: Leaf
    placed: Placed


@dataclass(frozen=True, slots=True)
class Match:
    """One way the stream satisfies a part of a pattern.

    Attributes
    ----------
    taken
        Its events, in the order in which the parts took them.
    variables
        All variables bound so far, those bound before this part included.
    deadline
        The clock must reach this moment for the match to be complete (`!q FOR T`).
    openings
        The leaves whose conditions OR-ed are the opening condition of the part.
    """

    taken: tuple[Taken, ...]
    variables: Mapping[str, Value]
    deadline: int | None = None
    openings: tuple[Leaf, ...] = ()

    @property
    def first(self) -> Placed:
        """The event at the smallest position."""
        return min((taken.placed for taken in self.taken), key=lambda placed: placed.position)

    @property
    def last(self) -> Placed:
        """The event at the largest position."""
        return max((taken.placed for taken in self.taken), key=lambda placed: placed.position)

    @property
    def begin(self) -> int:
        """The earliest begin time of its events."""
        return min(taken.placed.event.begin for taken in self.taken)

    @property
    def end(self) -> int:
        """The latest end time of its events."""
        return max(taken.placed.event.end for taken in self.taken)

    @property
    def settled(self) -> int:
        """The time after which something may follow: its end, or its deadline."""
        return self.end if self.deadline is None else max(self.end, self.deadline)

    def identity(self) -> object:
        """Two derivations that agree in this are one match."""
        events = sorted((taken.placed.position, taken.leaf.number) for taken in self.taken)
        return (tuple(events), frozenset_of(self.variables), self.deadline)


@dataclass(frozen=True, slots=True)
class Context:
    """What stands to the left of a part.

    Attributes
    ----------
    taken, variables
        Everything matched to the left.
    after
        What the part must follow: position, end time, and the same time or a later deadline.
    marks
        For an alias inside the current repetition of its iteration: how many events it had before
        that repetition.
    """

    taken: tuple[Taken, ...] = ()
    variables: Mapping[str, Value] = field(default_factory=dict)
    after: tuple[int, int, int] | None = None
    marks: Mapping[str, int] = field(default_factory=dict)

    def extended(self, match: Match) -> Context:
        """Return the context to the right of a match."""
        after = (match.last.position, match.end, match.settled)
        return replace(self, taken=self.taken + match.taken, variables=match.variables, after=after)

    def from_the_start(self, variables: Mapping[str, Value]) -> Context:
        """Return a context in which a part may begin anywhere, with the given variables."""
        return replace(self, variables=variables, after=None)

    def without_deadline(self) -> Context:
        """Return a context in which a part may follow before a deadline has passed."""
        if self.after is None:
            return self
        position, end, _ = self.after
        return replace(self, after=(position, end, end))

    def in_repetition(self, aliases: tuple[str, ...]) -> Context:
        """Return the context at the begin of one more repetition."""
        counts = {alias: len(self.events_of(alias)) for alias in aliases}
        return replace(self, marks={**self.marks, **counts})

    def events_of(self, alias: str) -> tuple[Event, ...]:
        """Return all events of an alias so far."""
        return tuple(t.placed.event for t in self.taken if t.leaf.alias == alias)


def joined(parts: tuple[Match, ...], openings: tuple[Leaf, ...]) -> Match:
    """Return the match that consists of several, whose variables agree."""
    deadlines = [part.deadline for part in parts if part.deadline is not None]
    variables: dict[str, Value] = {}
    for part in parts:  # 1 and 1.0 agree: the value bound first is kept
        variables = {**part.variables, **variables}
    return Match(
        taken=tuple(taken for part in parts for taken in part.taken),
        variables=variables,
        deadline=max(deadlines, default=None),
        openings=openings,
    )


def ordered_values(variables: Mapping[str, Value]) -> tuple[object, ...]:
    """Return variable values in a form that has an order, whatever their kinds."""
    return tuple((name, *join_key(value)) for name, value in sorted(variables.items()))


def frozenset_of(variables: Mapping[str, Value]) -> frozenset[tuple[str, object]]:
    """Return variable values in a form that compares as `=` does."""
    return frozenset((name, join_key(value)) for name, value in variables.items())
