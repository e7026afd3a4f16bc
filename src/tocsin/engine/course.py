"""The course of a run: steps, phases, derived events, and subscriptions that come and go.

A step is an event, a clock, or a subscription made or ended. In a step the clock first completes
what waited for deadlines, one phase for each, then the event comes. In a phase producers go before
readers, so that a derived event is seen in the phase that made it.

Subscriptions run in units: a watch is one subscription on the general road, a lane holds all linear
ones that read the same streams. Lanes run ahead over a whole batch; if nobody else has to know,
their matches are what the batch gives, and otherwise they join the phases of their events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from tocsin.engine.batch_steps import BatchSteps, Runs
from tocsin.engine.columns import Batch, batch_of_events
from tocsin.engine.concerns import Concerns
from tocsin.engine.forgetting import Forgetting
from tocsin.engine.history import History
from tocsin.engine.lane_matches import NO_ROW
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.lazy_matches import LazyMatches
from tocsin.engine.limits import Limiter
from tocsin.engine.linear.arrays import Int64Array
from tocsin.engine.machines.static import no_filters
from tocsin.engine.members import Member
from tocsin.engine.mixed_matches import mixed
from tocsin.engine.options import Options
from tocsin.engine.phase import Notice, Phase
from tocsin.engine.places import Places, check_growing
from tocsin.engine.roster import Roster
from tocsin.engine.timers import Timers
from tocsin.engine.watch import Watch
from tocsin.language.normal import NormalSubscription
from tocsin.language.tree import Subscription
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.plan.linear import Linear, NotLinearError, linear_form


class Course(Roster):
    """All live subscriptions and the clock they share.

    Parameters
    ----------
    unordered
        Whether events with equal end times never follow one another.
    history
        What SINCE looks back at; None where nothing is kept.
    limiter
        Keeps the number of instances within limits.
    options
        Which indexes to use.
    """

    def __init__(
        self, *, unordered: bool, history: History | None, limiter: Limiter, options: Options
    ) -> None:
        super().__init__(limiter, options)
        self.unordered = unordered
        self.history = history
        self.timers = Timers()
        self.shared = no_filters()
        self.step = 0
        self.clock: int | None = None
        self.watches: dict[int, Watch] = {}
        self.concerns = Concerns(self.vocabulary)
        self._forgetting = Forgetting(self.vocabulary)
        self._waiting_for_start: list[int] = []
        self._seen: dict[int, int] = {}  # events of their streams that watches have counted
        self._passed: dict[tuple[str, ...], int] = {}  # and those that have passed
        self._watching: Counter[tuple[str, ...]] = Counter()  # watches by what they read

    # Events and clocks.

    def event(self, event: Event) -> Sequence[Notification]:
        """Take an event; it reaches the deadlines before its end."""
        return self.events([event])

    def events(self, events: Sequence[Event]) -> Sequence[Notification]:
        """Take events in order, each a step of its own."""
        rows = np.array([NO_ROW if event.row is None else event.row for event in events], np.int64)
        batch = batch_of_events(events, self.vocabulary)
        return self.take(batch, Places(rows), events)

    def take(
        self, batch: Batch, places: Places, events: Sequence[Event] | None = None
    ) -> Sequence[Notification]:
        """Take a batch of events, each a step of its own; `events` are the same as objects."""
        found = self.run(batch, places, events)
        self.forget()  # rows that are no events brought strings, too
        return found

    def forget(self) -> None:
        """Forget strings that nobody needs; no batch that was read may wait for its run."""
        self._forgetting.forget(self.lanes.values(), self.concerns)

    def check_positions(self, parts: Sequence[tuple[Batch, Places]]) -> None:
        """Refuse positions that do not grow before anybody has seen an event.

        Raises
        ------
        ConfigurationError
            They do not grow, from part to part and from what has come before.
        """
        reached = {
            unit.sources: unit.lane.machine.position
            for unit in self.lanes.values()
            if not self.ranks.is_fed(unit.sources)
        }
        for sources, after in [*reached.items(), *self._passed.items()]:
            codes = [self.vocabulary.code(one) for one in sources]
            own = [
                positions[np.isin(batch.stream, codes)]
                for batch, places in parts
                if (positions := places.positions_of(sources)) is not None
            ]
            if own:
                check_growing(np.concatenate(own), after, sources)

    def run(
        self, batch: Batch, places: Places, events: Sequence[Event] | None
    ) -> Sequence[Notification]:
        """Do as `take` does, and forget nothing: other batches were read and have not run yet."""
        if batch.size == 0:
            return []
        steps = np.arange(self.step + 1, self.step + 1 + batch.size)
        lanes_are_alone = self._lanes_are_alone()  # with LIMIT a subscription may leave on the way
        runs = self._run_ahead(batch, places, steps)
        if lanes_are_alone and not self.watches:
            if self.history is not None:
                self.history.add_batch(self.step + 1, batch, places.rows, self.vocabulary.words())
            self.step += batch.size
            self.clock = int(batch.end_us[-1])
            return LazyMatches(runs)
        seen = [] if lanes_are_alone else runs
        notices = BatchSteps(self, batch, places, events, seen).run()
        return mixed(LazyMatches(runs if lanes_are_alone else []), notices)

    def _lanes_are_alone(self) -> bool:
        """Say whether nobody has to know of the matches of lanes."""
        return not any(
            any(self.ranks.readers.get(into) for into in unit.members.feeding)
            or (unit.members.feeding and self.history is not None)
            or self.ranks.is_fed(unit.sources)
            for unit in self.lanes.values()
        )

    def _run_ahead(self, batch: Batch, places: Places, steps: Int64Array) -> Runs:
        """Let the lanes run that read nothing but what comes from outside."""
        runs: Runs = []
        for unit in self.lanes.values():
            if not self.ranks.is_fed(unit.sources):
                self.limiter.limit_lane(unit.lane, self.lane_list())
                own, found = unit.take(batch, places, steps)
                runs += [(unit, own, part) for part in found]
        return runs

    def advance(self, moment: int) -> list[Notification]:
        """Take a clock; it reaches the deadlines up to that moment."""
        self.begin_step(moment)
        notices = self.reach(moment)
        self.end_step(moment, is_event=False)
        for unit in self.lanes.values():
            unit.lane.machine.now_us = max(unit.lane.machine.now_us, moment)
        return [notice.notification for notice in notices]

    def begin_step(self, moment: int) -> None:
        """Begin a step that brings a time."""
        self.step += 1
        self.start(moment)

    def start(self, moment: int) -> None:
        """Let watches that have seen no time yet begin at a moment."""
        for order in self._waiting_for_start:
            self.watches[order].start(moment)
        self._waiting_for_start = []

    def is_waiting_for_start(self) -> bool:
        """Say whether a watch begins with the next time that comes."""
        return bool(self._waiting_for_start)

    def end_step(self, moment: int, *, is_event: bool) -> None:
        """End a step."""
        self.clock = moment
        if self.history is not None:
            self.history.end_step(self.step, moment, is_event=is_event)

    def reach(self, moment: int) -> list[Notice]:
        """Let the clock complete what waits for deadlines up to a moment."""
        notices: list[Notice] = []
        while (due := self.timers.pop_until(moment)) is not None:
            deadline, waiting = due
            phase = Phase(self, (self.step, 0, deadline), deadline)
            phase.due.update(waiting)
            for order in waiting:
                phase.call(order)
            notices += phase.run()
        return notices

    # Positions: watches are not called for what does not concern them, but it counts.

    def passed(self, sources: tuple[str, ...]) -> int:
        """Return how many events of some streams have passed."""
        return self._passed.get(sources, 0)

    def pass_by(self, stream: str) -> None:
        """Count an event of a stream."""
        for sources in self._passed:
            if stream in sources:
                self._passed[sources] += 1

    def sees_all(self, watch: Watch) -> bool:
        """Say whether a watch must be called for every event that concerns it, whatever its key.

        Events that subscriptions make come with no batch. And where limits count instances, those
        whose window has passed leave with the next event that is seen.
        """
        return self.limiter.is_active or self.ranks.is_fed(watch.subscription.sources)

    def set_passed(self, counts: dict[tuple[str, ...], int]) -> None:
        """Say how many events of the streams that somebody watches have passed."""
        self._passed.update(counts)

    def watched_sources(self) -> list[tuple[str, ...]]:
        """Return the streams of each watch."""
        return list(self._passed)

    def catch_up(self, watch: Watch, taking: int = 0) -> None:
        """Let a watch count what has passed, but for what it is about to take."""
        passed = self._passed[watch.subscription.sources]
        watch.skip(passed - taking - self._seen[watch.order])
        self._seen[watch.order] = passed

    def catch_up_all(self) -> None:
        """Let all watches count what has passed."""
        for watch in self.watches.values():
            self.catch_up(watch)
            if self.clock is not None:
                watch.expire(self.clock)

    # Subscriptions.

    def add(self, subscriptions: Iterable[NormalSubscription]) -> list[Notification]:
        """Make subscriptions together; return the matches of history that SINCE asks for."""
        self.step += 1
        phase = Phase(self, (self.step, 2), None)
        for subscription in subscriptions:
            form = self._linear(subscription)
            if form is not None:
                self.join_lane(subscription, form, self.made, self.step)
                self.made += 1
                continue
            watch = self._made(subscription)
            if self.history is not None and watch.tree.since is not None:
                phase.replayed[watch.order] = self.history.replay(watch, self.timers)
                phase.call(watch.order)
            elif self.clock is not None:
                watch.start(self.clock)
        notices = phase.run()
        if self.history is not None and phase.replayed:
            self.history.end_step(self.step, None, is_event=False)
        return [notice.notification for notice in notices]

    def takes_lanes(self, subscription: Subscription) -> bool:
        """Say whether a subscription may run in a lane; history is replayed on watches."""
        looks_back = subscription.since is not None and self.clock is not None
        return self.options.kernels and not self.unordered and not looks_back

    def _linear(self, subscription: NormalSubscription) -> Linear | None:
        """Return the linear form of what can run in a lane."""
        if not self.takes_lanes(subscription.tree):
            return None
        try:
            return linear_form(subscription)
        except NotLinearError:
            return None

    def member(self, order: int) -> tuple[LaneUnit, Member] | None:
        """Return the lane and the subscription with an order; None where it is a watch."""
        return None if order in self.watches else self.in_lane(order)

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
        self.orders[watch.name] = watch.order
        if self.clock is None:
            self._waiting_for_start.append(watch.order)
        sources = watch.subscription.sources
        self._passed.setdefault(sources, 0)
        self._watching[sources] += 1
        self._seen[watch.order] = self._passed[sources]  # it has counted all that has passed
        self.concerns.add(watch)
        self.ranks.add(watch.order, sources)
        self.ranks.feed(watch.order, watch.tree.into)

    def remove(self, name: str) -> None:
        """End a subscription, and leave no trace of it."""
        self.step += 1
        if self.orders[name] not in self.watches:
            self.leave(name)
            return
        order = self.orders.pop(name)
        watch = self.watches.pop(order)
        self.ranks.remove(order, watch.subscription.sources, watch.tree.into)
        self.concerns.remove(order)
        self.timers.remove(order)
        self.limiter.forget(order)
        del self._seen[order]
        self._watching[watch.subscription.sources] -= 1
        if not self._watching[watch.subscription.sources]:
            del self._watching[watch.subscription.sources]
            del self._passed[watch.subscription.sources]
        self._waiting_for_start = [one for one in self._waiting_for_start if one != order]
