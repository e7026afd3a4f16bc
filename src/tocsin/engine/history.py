"""What SINCE looks back at: all steps so far, with the events that each brought."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tocsin.engine.columns import Batch
from tocsin.engine.columns.decode import events_of
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.engine.columns.words import Words
from tocsin.engine.complete import Complete
from tocsin.engine.state import Place
from tocsin.engine.timers import Timers
from tocsin.engine.watch import Watch
from tocsin.model.event import Event

PlacedEvents: TypeAlias = list[tuple[Place, Event]]


@dataclass(slots=True, eq=False)
class Past:
    """A step: the time it brought, None where it brought none, and its events."""

    number: int
    moment: int | None
    is_event: bool
    events: PlacedEvents


@dataclass(slots=True, eq=False)
class PastBatch:
    """Steps that each brought an event, kept as they came."""

    first_step: int
    batch: Batch
    rows: Int64Array
    words: Words

    @property
    def moment(self) -> int:
        """The time that the last of them brought."""
        return int(self.batch.end_us[-1])

    def steps(self) -> Iterator[Past]:
        """Yield the steps one by one."""
        places = np.arange(self.batch.size)
        events = events_of(self.batch, self.rows, self.words, places)
        for step, event in enumerate(events, self.first_step):
            yield Past(step, event.end, True, [((step, 1), event)])


class History:
    """The steps of a run from its beginning."""

    __slots__ = ("_open", "first_moment", "steps")

    def __init__(self) -> None:
        self.steps: list[Past | PastBatch] = []
        self.first_moment: int | None = None
        self._open: PlacedEvents = []

    def add(self, place: Place, event: Event) -> None:
        """Note an event of the current step; one without time has no end to be noted at."""
        self._open.append((place, event))

    def add_batch(self, first_step: int, batch: Batch, rows: Int64Array, words: Words) -> None:
        """Note a batch of events, each a step of its own."""
        if self.first_moment is None:
            self.first_moment = int(batch.end_us[0])
        self.steps.append(PastBatch(first_step, batch, rows, words))

    def expand(self) -> None:
        """Keep every step by itself, as a snapshot does."""
        self.steps = list(self._every_step())

    def _every_step(self) -> Iterator[Past]:
        for past in self.steps:
            if isinstance(past, PastBatch):
                yield from past.steps()
            else:
                yield past

    def end_step(self, number: int, moment: int | None, *, is_event: bool) -> None:
        """Note the end of a step."""
        if self.first_moment is None:
            self.first_moment = moment
        self.steps.append(Past(number, moment, is_event, self._open))
        self._open = []

    def replay(self, watch: Watch, timers: Timers) -> list[Complete]:
        """Let a new subscription see what SINCE asks for; return what that completes."""
        if self.first_moment is None:
            return []
        complete: list[Complete] = []
        watch.start(self._start(watch))
        for past in self._every_step():
            complete += _replay_step(watch, timers, past)
        return complete

    def _start(self, watch: Watch) -> int:
        since = watch.tree.since
        assert since is not None
        assert self.first_moment is not None
        clock = next(past.moment for past in reversed(self.steps) if past.moment is not None)
        first = self.first_moment
        return min(clock, first if since.moment is None else max(first, since.moment))


def _replay_step(watch: Watch, timers: Timers, past: Past) -> list[Complete]:
    """Let deadlines and events of a step come in the order of their places."""
    groups = _phases(watch, past.events)
    complete: list[Complete] = []
    reached = None if past.moment is None else past.moment - past.is_event
    while True:
        deadline = timers.next_of(watch.order)
        if deadline is not None and (reached is None or deadline > reached):
            deadline = None
        place = min(
            [*groups, *([] if deadline is None else [(past.number, 0, deadline)])], default=None
        )
        if place is None:
            return complete
        if deadline is not None and place == (past.number, 0, deadline):
            timers.drop(deadline, watch.order)
        else:
            deadline = None
        complete += watch.run(place, deadline, groups.pop(place, []))


def _phases(watch: Watch, events: PlacedEvents) -> dict[Place, PlacedEvents]:
    """Return the events that count for a subscription, by the phases in which they came."""
    since = watch.tree.since
    assert since is not None
    phases: dict[Place, PlacedEvents] = {}
    for place, event in sorted(events, key=lambda item: item[0]):
        is_late_enough = since.moment is None or event.begin >= since.moment
        if is_late_enough and event.stream in watch.subscription.sources:
            phases.setdefault(_phase_of(place), []).append((place, event))
    return phases


def _phase_of(place: Place) -> Place:
    """In step s: (s, 0, deadline), (s, 1) or (s, 2)."""
    return place[:3] if place[1] == 0 else place[:2]
