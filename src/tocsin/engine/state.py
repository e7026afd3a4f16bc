"""What machines work with: placed events, what stands to the left, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tocsin.model.event import Event
from tocsin.model.values import Value, join_key

if TYPE_CHECKING:
    from tocsin.engine.machines.leaf import LeafPart

# Where something stands in the course of a run: places compare as tuples. In step s
# (s, 0, deadline) is the clock, (s, 1) the event, (s, 2, place) what history completed, and a
# derived event stands right behind what completed it, with one more entry.
Place: TypeAlias = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class Placed:
    """An event with its position in the stream of one subscription."""

    position: int
    place: Place
    event: Event


Taken: TypeAlias = "tuple[LeafPart, Placed]"


@dataclass(slots=True, eq=False)
class Found:
    """One way the stream satisfies a part of a pattern.

    Attributes
    ----------
    taken
        Its events with the atoms they play, in the order in which the parts took them.
    variables
        All variables bound so far, those bound before this part included.
    deadline
        The clock had to reach this moment (`!q FOR T`).
    openings
        The leaves whose conditions OR-ed are the opening condition of the part that is there.
    first, last
        The smallest position, and the event at the largest.
    begin, end
        The earliest begin and the latest end.
    """

    taken: tuple[Taken, ...]
    variables: Mapping[str, Value]
    deadline: int | None
    openings: tuple[LeafPart, ...]
    first: int
    last: Placed
    begin: int
    end: int

    @property
    def settled(self) -> int:
        """The time after which something may follow: its end, or its deadline."""
        return self.end if self.deadline is None else max(self.end, self.deadline)

    def identity(self) -> object:
        """Two derivations that agree in this are one match."""
        return (self.order(), frozen(self.variables), self.deadline)

    def order(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The order of matches that complete together: positions, then atoms as in the text."""
        events = sorted((placed.position, leaf.atom) for leaf, placed in self.taken)
        return tuple(p for p, _ in events), tuple(a for _, a in events)

    def then(self, other: Found) -> Found:
        """Return this match followed by another, which has seen its variables."""
        return Found(
            self.taken + other.taken,
            other.variables,
            latest(self.deadline, other.deadline),
            self.openings,
            min(self.first, other.first),
            self.last if self.last.position > other.last.position else other.last,
            min(self.begin, other.begin),
            max(self.end, other.end),
        )

    def opened_by(self, openings: tuple[LeafPart, ...]) -> Found:
        """Return the same match with another opening condition."""
        return Found(
            self.taken,
            self.variables,
            self.deadline,
            openings,
            self.first,
            self.last,
            self.begin,
            self.end,
        )

    def until(self, deadline: int) -> Found:
        """Return the same match, complete at a deadline."""
        same = self.opened_by(self.openings)
        same.deadline = deadline
        return same


def latest(one: int | None, other: int | None) -> int | None:
    """Return the later of two deadlines, either of which there may not be."""
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def frozen(variables: Mapping[str, Value]) -> frozenset[tuple[str, object]]:
    """Return variable values in a form that compares as `=` does."""
    return frozenset((name, join_key(value)) for name, value in variables.items())


def ordered(variables: Mapping[str, Value]) -> tuple[object, ...]:
    """Return variable values in a form that has an order, whatever their kinds."""
    return tuple((name, *join_key(value)) for name, value in sorted(variables.items()))


@dataclass(slots=True, eq=False)
class Left:
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

    taken: tuple[Taken, ...]
    variables: Mapping[str, Value]
    after: tuple[int, int, int] | None
    marks: Mapping[str, int]

    def behind(self, found: Found) -> Left:
        """Return what stands to the left of whatever follows a match."""
        after = (found.last.position, found.end, found.settled)
        return Left(self.taken + found.taken, found.variables, after, self.marks)

    def from_the_start(self, variables: Mapping[str, Value]) -> Left:
        """Return the same with other variables, where a part may begin anywhere."""
        return Left(self.taken, variables, None, self.marks)

    def without_deadline(self) -> Left:
        """Return the same, where a part may follow before a deadline has passed."""
        if self.after is None:
            return self
        position, end, _ = self.after
        return Left(self.taken, self.variables, (position, end, end), self.marks)

    def in_repetition(self, aliases: tuple[str, ...]) -> Left:
        """Return the same at the begin of one more repetition."""
        if not aliases:
            return self
        counts = dict.fromkeys(aliases, 0)
        for leaf, _ in self.taken:
            if leaf.alias in counts:
                counts[leaf.alias] += 1
        return Left(self.taken, self.variables, self.after, {**self.marks, **counts})

    def events_of(self, alias: str) -> list[Event]:
        """Return all events of an alias so far."""
        return [placed.event for leaf, placed in self.taken if leaf.alias == alias]

    def admits(self, placed: Placed, *, unordered: bool) -> bool:
        """Say whether an event may follow; it has come after everything here."""
        if self.after is None:
            return True
        position, end, settled = self.after
        begin = placed.event.begin
        if placed.position <= position or (settled > end and begin <= settled):
            return False
        return not unordered or begin > end


def nothing_left() -> Left:
    """Return what stands to the left of a whole pattern."""
    return Left((), {}, None, {})
