"""The stream of one subscription as its machines see it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tocsin.engine.machines.diary import Diary
from tocsin.engine.state import Found, Place, Placed
from tocsin.engine.timers import Timers
from tocsin.model.event import Event

if TYPE_CHECKING:
    from tocsin.engine.machines.machine import Machine
    from tocsin.engine.machines.sightings import Sightings

KEEP_ALL: Final = -1
"""A retention without end."""


class World:
    """Positions, kept events, deadlines and room for instances.

    Attributes
    ----------
    unordered
        Whether events with equal end times never follow one another.
    start
        When the subscription began to watch; None where there has been no event and no clock.
    position
        That of the event that came last, -1 before the first.
    retention
        For how long events are kept (`KEEP_ALL`: for ever; None: not at all). A leading absence
        looks back at them, and what a deadline completes has to catch up with them.
    sightings
        What leading absences note instead, where they stand alone, by the numbers of their parts.
    diary
        How partial matches ended.
    """

    __slots__ = (
        "_order",
        "_timers",
        "diary",
        "instances",
        "kept",
        "most_instances",
        "position",
        "refused",
        "retention",
        "sightings",
        "start",
        "unordered",
    )

    def __init__(
        self, timers: Timers, order: int, *, unordered: bool, retention: int | None
    ) -> None:
        self._timers = timers
        self._order = order
        self.unordered = unordered
        self.retention = retention
        self.sightings: dict[int, Sightings] = {}
        self.start: int | None = None
        self.position = -1
        self.kept: deque[Placed] = deque()
        self.instances = 0
        self.most_instances: int | None = None
        self.refused = 0
        self.diary = Diary()

    def place(self, events: list[tuple[Place, Event]]) -> list[Placed]:
        """Return the next events with their positions; each has come once it is taken."""
        return [
            Placed(position, place, event)
            for position, (place, event) in enumerate(events, self.position + 1)
        ]

    def take(self, placed: Placed) -> None:
        """Let an event come, and keep it for as long as it may be needed."""
        self.position = placed.position
        for sightings in self.sightings.values():
            sightings.note(self, placed)
        if self.retention is not None:
            self.kept.append(placed)
            self._forget(placed.event.end)

    def _forget(self, now: int) -> None:
        if self.retention == KEEP_ALL:
            return
        assert self.retention is not None
        while self.kept[0].event.end < now - self.retention:
            self.kept.popleft()

    def since(self, position: int) -> list[Placed]:
        """Return the events that have come after a position."""
        if position >= self.position:
            return []
        newer: list[Placed] = []
        for placed in reversed(self.kept):
            if placed.position <= position:
                break
            newer.append(placed)
        return newer[::-1]

    def schedule(self, deadline: int) -> None:
        """Ask to be called when the clock reaches a deadline."""
        self._timers.add(deadline, self._order)

    def admit(self) -> bool:
        """Say whether there is room for one more instance, and count it or its refusal."""
        if self.most_instances is not None and self.instances >= self.most_instances:
            self.refused += 1
            return False
        self.instances += 1
        return True

    def feed_aside(
        self, machine: Machine, placed: Placed, *, may_start: bool = True
    ) -> list[Found]:
        """Feed a machine of what is absent; how its partial matches end is not noted."""
        self.diary.aside += 1
        try:
            return machine.feed(self, placed, may_start=may_start)
        finally:
            self.diary.aside -= 1

    def past(self, before: int) -> Iterator[tuple[World, Placed]]:
        """Yield the kept events before a position, each with the world as it was then."""
        past = World(self._timers, self._order, unordered=self.unordered, retention=None)
        past.start, past.kept, past.sightings = self.start, self.kept, self.sightings
        for placed in self.kept:
            if placed.position >= before:
                return
            past.position = placed.position
            yield past, placed
