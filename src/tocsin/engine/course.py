"""The course of a run: steps, phases, derived events, and subscriptions that come and go.

A step is an event, a clock, or a subscription made or ended. In a step the clock first completes
what waited for deadlines, one phase for each, then the event comes. In a phase producers go before
readers, so that a derived event is seen in the phase that made it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from tocsin.engine.complete import Complete
from tocsin.engine.history import History
from tocsin.engine.limits import Limiter
from tocsin.engine.machines.static import no_filters
from tocsin.engine.state import Place
from tocsin.engine.timers import Timers
from tocsin.engine.watch import Watch
from tocsin.language.normal import NormalSubscription
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.values import Timestamp


@dataclass(slots=True, eq=False)
class Notice:
    """A notification and the place at which it is given."""

    place: Place
    ties: Place
    notification: Notification


class Course:
    """All live subscriptions and the clock they share.

    Parameters
    ----------
    unordered
        Whether events with equal end times never follow one another.
    history
        What SINCE looks back at; None where nothing is kept.
    limiter
        Keeps the number of instances within limits.
    """

    def __init__(self, *, unordered: bool, history: History | None, limiter: Limiter) -> None:
        self.unordered = unordered
        self.history = history
        self.limiter = limiter
        self.timers = Timers()
        self.shared = no_filters()
        self.step = 0
        self.made = 0
        self.clock: int | None = None
        self.watches: dict[int, Watch] = {}
        self._waiting_for_start: list[int] = []
        self.ranks: dict[int, tuple[int, int]] = {}
        self.readers: dict[str, dict[int, None]] = {}  # by stream, in the order of the text
        self._producers: dict[str, dict[int, None]] = {}

    def event(self, event: Event) -> list[Notification]:
        """Take an event; it reaches the deadlines before its end."""
        self._begin_step(event.end)
        notices = self._reach(event.end - 1)
        place = (self.step, 1)
        notices += self._phase(place, None, (), [(place, event)])
        self._end_step(event.end, is_event=True)
        return [notice.notification for notice in notices]

    def advance(self, moment: int) -> list[Notification]:
        """Take a clock; it reaches the deadlines up to that moment."""
        self._begin_step(moment)
        notices = self._reach(moment)
        self._end_step(moment, is_event=False)
        return [notice.notification for notice in notices]

    def _begin_step(self, moment: int) -> None:
        self.step += 1
        if self._waiting_for_start:
            for order in self._waiting_for_start:
                self.watches[order].start(moment)
            self._waiting_for_start = []

    def _end_step(self, moment: int, *, is_event: bool) -> None:
        self.clock = moment
        if self.history is not None:
            self.history.end_step(self.step, moment, is_event=is_event)

    def _reach(self, moment: int) -> list[Notice]:
        notices: list[Notice] = []
        while (due := self.timers.pop_until(moment)) is not None:
            deadline, waiting = due
            notices += self._phase((self.step, 0, deadline), deadline, waiting, [])
        return notices

    def _phase(
        self,
        place: Place,
        deadline: int | None,
        waiting: Iterable[int],
        events: list[tuple[Place, Event]],
    ) -> list[Notice]:
        """Run whom a deadline or an event concerns; return the notices in their order."""
        phase = _Phase(self, place, deadline)
        phase.due.update(waiting)
        for order in phase.due:
            phase.call(order)
        for at, event in events:
            phase.publish(at, event)
        return phase.run()

    def add(self, subscriptions: Iterable[NormalSubscription]) -> list[Notification]:
        """Make subscriptions together; return the matches of history that SINCE asks for."""
        self.step += 1
        phase = _Phase(self, (self.step, 2), None)
        for watch in [self._made(subscription) for subscription in subscriptions]:
            if self.history is not None and watch.tree.since is not None:
                phase.replayed[watch.order] = self.history.replay(watch, self.timers)
                phase.call(watch.order)
            elif self.clock is not None:
                watch.start(self.clock)
        notices = phase.run()
        if self.history is not None and phase.replayed:
            self.history.end_step(self.step, None, is_event=False)
        return [notice.notification for notice in notices]

    def _made(self, subscription: NormalSubscription) -> Watch:
        watch = Watch(
            subscription,
            order=self.made,
            made=self.step,
            timers=self.timers,
            shared=self.shared,
            unordered=self.unordered,
        )
        self.made += 1
        self.restore(watch)
        return watch

    def restore(self, watch: Watch) -> None:
        """Put a watch in its place among the others."""
        self.watches[watch.order] = watch
        if self.clock is None:
            self._waiting_for_start.append(watch.order)
        into, sources = watch.tree.into, watch.subscription.sources
        for source in sources:
            self.readers.setdefault(source, {})[watch.order] = None
        if into is not None:
            self._producers.setdefault(into, {})[watch.order] = None
        if into is not None or any(source in self._producers for source in sources):
            self._rank_all()
        else:
            self.ranks[watch.order] = (0, watch.order)

    def remove(self, name: str) -> None:
        """End a subscription, and leave no trace of it."""
        self.step += 1
        order = next(order for order, watch in self.watches.items() if watch.name == name)
        watch = self.watches.pop(order)
        del self.ranks[order]
        for source in watch.subscription.sources:
            self.readers[source].pop(order, None)
        if watch.tree.into is not None:
            del self._producers[watch.tree.into][order]
        self.timers.remove(order)
        self.limiter.forget(order)
        self._waiting_for_start = [one for one in self._waiting_for_start if one != order]

    def _rank_all(self) -> None:
        """Rank the watches, producers before readers; the checker refuses circles."""
        depths: dict[int, int] = {}
        for order in self.watches:
            self._depth(order, depths)
        self.ranks = {order: (depth, order) for order, depth in depths.items()}

    def _depth(self, order: int, depths: dict[int, int]) -> int:
        if order not in depths:
            sources = self.watches[order].subscription.sources
            feeding = [one for source in sources for one in self._producers.get(source, ())]
            deepest = (self._depth(one, depths) for one in feeding)
            depths[order] = 1 + max(deepest, default=-1)
        return depths[order]


class _Phase:
    """One place in the course of a run: who has to run, with which events."""

    def __init__(self, course: Course, place: Place, deadline: int | None) -> None:
        self.course = course
        self.place = place
        self.deadline = deadline
        self.due: set[int] = set()
        self.replayed: dict[int, list[Complete]] = {}  # what history completed
        self.notices: list[Notice] = []
        self._queue: list[tuple[int, int]] = []
        self._events: dict[int, list[tuple[Place, Event]]] = {}

    def call(self, order: int) -> None:
        """Let a watch run in its turn."""
        if order in self.course.watches and order not in self._events:
            self._events[order] = []
            heapq.heappush(self._queue, self.course.ranks[order])

    def publish(self, place: Place, event: Event) -> None:
        """Hand an event to all who read its stream."""
        if self.course.history is not None:
            self.course.history.add(place, event)
        for order in self.course.readers.get(event.stream, ()):
            self.call(order)
            self._events[order].append((place, event))

    def run(self) -> list[Notice]:
        """Run all who were called, producers first; return the notices in their order."""
        while self._queue:
            _, order = heapq.heappop(self._queue)
            watch = self.course.watches[order]
            events = sorted(self._events[order], key=lambda item: item[0])
            deadline = self.deadline if order in self.due else None
            complete = self.replayed.get(order, [])
            complete += self.course.limiter.run(watch, self.place, deadline, events)
            self.report(watch, watch.keep(complete))
        self.notices.sort(key=lambda notice: (notice.place, notice.ties))
        return self.notices

    def report(self, watch: Watch, kept: list[Complete]) -> None:
        """Notify, and put the derived events right behind what completed them."""
        for one in kept:
            place: Place = one.place
            if place < (watch.made,):  # history, reported when the subscription is made
                place = (watch.made, 2, place)
            ties = (one.places, watch.order, *one.order()[2:])
            emitted = watch.emitted(one)
            notice = Notice(place, ties, watch.notification(one, emitted))
            self.notices.append(notice)
            into = watch.tree.into
            if into is not None:
                clock = self.course.clock
                end = one.at if clock is None else max(one.at, clock)
                event = Event(into, one.row, Timestamp(one.begin), Timestamp(end), emitted)
                self.publish((*place, ties), event)
