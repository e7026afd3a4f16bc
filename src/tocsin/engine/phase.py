"""One place in the course of a run: who has to run, with which events."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tocsin.engine.complete import Complete
from tocsin.engine.members import Member
from tocsin.engine.state import Place
from tocsin.engine.watch import Watch
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.values import Timestamp

if TYPE_CHECKING:
    from tocsin.engine.course import Course


@dataclass(slots=True, eq=False)
class Notice:
    """A notification and the place at which it is given."""

    place: Place
    ties: Place
    notification: Notification


class Phase:
    """A place of the course.

    Attributes
    ----------
    due
        Who waited for the deadline.
    replayed
        What history completed, by watch.
    found
        What lanes have found already, by lane and subscription.
    """

    def __init__(self, course: Course, place: Place, deadline: int | None) -> None:
        self.course = course
        self.place = place
        self.deadline = deadline
        self.due: set[int] = set()
        self.replayed: dict[int, list[Complete]] = {}
        self.found: dict[int, list[tuple[Member, list[Complete]]]] = {}
        self.notices: list[Notice] = []
        self._queue: list[tuple[int, int]] = []
        self._events: dict[int, list[tuple[Place, Event]]] = {}

    def call(self, unit: int) -> None:
        """Let a unit run in its turn."""
        if unit not in self._events and (unit < 0 or unit in self.course.watches):
            self._events[unit] = []
            heapq.heappush(self._queue, self.course.ranks.of(unit))

    def publish(self, place: Place, event: Event, units: Iterable[int] | None = None) -> None:
        """Hand an event to those whom it concerns, or to all who read its stream."""
        if self.course.history is not None:
            self.course.history.add(place, event)
        self.course.pass_by(event.stream)
        readers = self.course.ranks.readers.get(event.stream, {}) if units is None else units
        for unit in readers:
            self.call(unit)
            self._events[unit].append((place, event))

    def run(self) -> list[Notice]:
        """Run all who were called, producers first; return the notices in their order."""
        while self._queue:
            _, unit = heapq.heappop(self._queue)
            events = sorted(self._events[unit], key=lambda item: item[0])
            if unit < 0:
                self._run_lane(unit, events)
            else:
                self._run_watch(self.course.watches[unit], events)
        self.notices.sort(key=lambda notice: (notice.place, notice.ties))
        return self.notices

    def _run_watch(self, watch: Watch, events: list[tuple[Place, Event]]) -> None:
        course = self.course
        course.catch_up(watch, len(events))
        deadline = self.deadline if watch.order in self.due else None
        complete = self.replayed.get(watch.order, [])
        complete += course.limiter.run(watch, self.place, deadline, events)
        self.report(watch, watch.keep(complete))

    def _run_lane(self, number: int, events: list[tuple[Place, Event]]) -> None:
        unit = self.course.unit(number)
        found = self.found.get(number, [])
        if events:
            found = [*found, *unit.run(events)]
        for member, complete in found:
            self.report(member, complete)

    def report(self, who: Watch | Member, kept: list[Complete]) -> None:
        """Notify, and put the derived events right behind what completed them."""
        for one in kept:
            place: Place = one.place
            if place < (who.made,):  # history, reported when the subscription is made
                place = (who.made, 2, place)
            ties = (one.places, who.order, *one.order()[2:])
            emitted = who.emitted(one)
            self.notices.append(Notice(place, ties, who.notification(one, emitted)))
            into = who.tree.into
            if into is not None:
                clock = self.course.clock
                end = one.at if clock is None else max(one.at, clock)
                event = Event(into, one.row, Timestamp(one.begin), Timestamp(end), emitted)
                self.publish((*place, ties), event)
