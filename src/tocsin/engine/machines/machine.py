"""What every part of a compiled pattern, and every machine opened from it, can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed
from tocsin.language.tree import Limit

if TYPE_CHECKING:
    from tocsin.engine.machines.leaf import LeafPart


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a match may reach, of all span limits around a part the tightest.

    `span_us` has the part's own waits added to it, since a wait takes no event; with waits inside
    there is no bound on events.
    """

    span_us: int | None = None
    events: int | None = None

    def within(self, limit: Limit | None) -> Reach:
        """Return this and one more limit."""
        if limit is None:
            return self
        assert isinstance(limit.amount, int), "templates are filled in before they run"
        if limit.unit == "time":
            return Reach(_least(self.span_us, limit.amount), self.events)
        return Reach(self.span_us, _least(self.events, limit.amount))

    def with_waits(self, waits_us: int) -> Reach:
        """Return this for a part in which waits of such a length stand."""
        if not waits_us:
            return self
        return Reach(None if self.span_us is None else self.span_us + waits_us, None)

    def is_left_by(self, first: int, begin: int, position: int, end: int) -> bool:
        """Say whether a match that began so can take neither such an event nor a later one."""
        if self.span_us is not None and end - begin > self.span_us:
            return True
        return self.events is not None and position - first >= self.events


def _least(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


class Part:
    """A part of a compiled pattern: it never changes, and machines are opened from it.

    Attributes
    ----------
    number
        Its place among the parts of the subscription, by which a snapshot names it.
    variants
        The opening conditions that a match of it may have, each as the leaves OR-ed in it.
    waits_us
        How long the `!q FOR T` inside it may take together after its last event.
    can_be_empty
        Whether it may vanish.
    awaited
        The atoms for whose events alone its machines wait; None where others matter too.
    stands_alone
        Of what is absent: whether it finds the same matches for all who look back.
    """

    number = -1
    variants: tuple[tuple[LeafPart, ...], ...] = ()
    waits_us = 0
    can_be_empty = False
    awaited: tuple[LeafPart, ...] | None = None
    stands_alone = False

    @abstractmethod
    def open(self, left: Left) -> Machine:
        """Return a machine that finds the matches of this part, given what stands to its left."""


def awaited_together(parts: Iterable[Part]) -> tuple[LeafPart, ...] | None:
    """Return the atoms for whose events alone several parts wait."""
    leaves: list[LeafPart] = []
    for part in parts:
        if part.awaited is None:
            return None
        leaves += part.awaited
    return tuple(dict.fromkeys(leaves))


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """A place in which an atom waits for an event, or a deadline for the clock."""

    left: Left
    leaf: LeafPart | None = None
    deadline: int | None = None


class Machine:
    """Finds the matches of a part incrementally; its state is its live partial matches.

    Attributes
    ----------
    is_over
        Whether it can never find a match again, so that it is dropped.
    """

    __slots__ = ()
    is_over: bool = False

    @abstractmethod
    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event and return the matches that it completes.

        Parameters
        ----------
        world
            The stream that is watched.
        placed
            The event; it has come after everything to the left.
        may_start
            Whether a match that begins with this event is of any use.
        """

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return the matches that the clock completes at a deadline.

        `upcoming` are the events that stand right behind it and end with it: they may still
        prevent what waits for it, and are fed afterwards.
        """
        del world, deadline, upcoming
        return []

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited, for those who ask why."""
        yield from ()

    def instances(self) -> Iterator[Found]:
        """Yield the live partial matches, one for each instance."""
        yield from ()

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        del position

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop the instances that can take neither an event at such a place nor a later one.

        An event that is fed does so by itself; this is for those who count instances after events
        that were skipped.
        """
        del world, position, end

    def has_begun_by(self, position: int) -> bool:
        """Say whether an instance is alive that began at or before a position."""
        return any(found.first <= position for found in self.instances())
