"""The course of a run: events, clock, and subscriptions that come and go.

Everything that happens has a place, and places compare as tuples. In step s

- `(s, 0, deadline)` is where the clock completes what waited for that deadline,
- `(s, 1)` is the event of that step,
- `(s, 2, place)` is where a subscription made in step s reports what history completed at `place`,
- a derived event stands right behind what completed it: its place is that one with one more entry.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tocsin.language.normal import NormalSubscription
from tocsin.model.event import Event
from tocsin.model.rows import Clock
from tocsin.model.values import INTEGER_MIN
from tocsin.reference.context import Match, Place


@dataclass(frozen=True, slots=True)
class Added:
    """Subscriptions are made together; `order` is the place of the first among all."""

    subscriptions: tuple[NormalSubscription, ...]
    order: int


@dataclass(frozen=True, slots=True)
class Removed:
    """A subscription ends."""

    name: str


Step: TypeAlias = Event | Clock | Added | Removed


@dataclass(frozen=True)
class Timeline:
    """All steps of a run, in their order."""

    steps: Sequence[Step]

    def reached(self, deadline: int) -> int | None:
        """Return the step in which the clock reaches a deadline.

        An event with end time x says that nothing with an earlier end time will come, so it
        reaches every deadline before x; a clock w reaches w itself.
        """
        number = bisect_left(self.clocks, deadline)
        return number if number < len(self.clocks) else None

    @cached_property
    def clocks(self) -> list[int]:
        """The latest deadline that has been reached after each step; it never decreases."""
        found: list[int] = []
        latest = INTEGER_MIN
        for step in self.steps:
            if isinstance(step, Event):
                latest = max(latest, step.end - 1)
            elif isinstance(step, Clock):
                latest = max(latest, step.moment)
            found.append(latest)
        return found

    def clock_before(self, number: int) -> int | None:
        """Return the clock when a step begins, None where there has been none."""
        for step in reversed(self.steps[:number]):
            if isinstance(step, Event):
                return step.end
            if isinstance(step, Clock):
                return step.moment
        return None

    def first_moment(self, number: int = 0) -> int | None:
        """Return the first time known from a step on."""
        for step in self.steps[number:]:
            if isinstance(step, Event):
                return step.end
            if isinstance(step, Clock):
                return step.moment
        return None

    def clock_place(self, deadline: int) -> Place | None:
        """Return the place at which the clock completes what waits for a deadline."""
        step = self.reached(deadline)
        return None if step is None else (step, 0, deadline)

    def completion(self, match: Match) -> Place | None:
        """Return the place at which a match becomes certain: its last event, or its deadline."""
        last = max(taken.placed.place for taken in match.taken)
        if match.deadline is None:
            return last
        clock = self.clock_place(match.deadline)
        return None if clock is None else max(last, clock)
