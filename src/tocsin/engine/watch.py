"""One live subscription: its machine, its stream, its policies, and how it tells of matches."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from tocsin.engine.complete import Complete, complete_match, complete_silence
from tocsin.engine.expressions import compile_condition
from tocsin.engine.machines.alone import agreeing_is_enough
from tocsin.engine.machines.build import build
from tocsin.engine.machines.diary import Ending
from tocsin.engine.machines.filters import is_within
from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.interests import Interest, interests_of
from tocsin.engine.machines.machine import Machine, Part
from tocsin.engine.machines.retention import reach_of_past, retention_of, sightings_of
from tocsin.engine.machines.silence import SilenceMachine, Silent
from tocsin.engine.machines.static import Shared
from tocsin.engine.machines.world import World
from tocsin.engine.policies import Policies
from tocsin.engine.state import Found, Left, Place, Placed, nothing_left
from tocsin.engine.telling import Telling
from tocsin.engine.timers import Timers
from tocsin.language.normal import NormalSubscription, Silence
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.values import Value

TRACED: Final = 32
"""So many events at least can `Engine.trace` speak of."""


@dataclass(slots=True)
class Counts:
    """What a subscription has done so far."""

    events: int = 0
    matches: int = 0
    notifications: int = 0
    dropped: int = 0


@dataclass(slots=True)
class State:
    """What changes in a subscription while events flow: what a snapshot holds of it."""

    world: World
    machine: Machine | SilenceMachine | None  # None: finished or stopped
    policies: Policies = field(default_factory=Policies)
    counts: Counts = field(default_factory=Counts)
    stopped: str | None = None
    recent: deque[Placed] = field(default_factory=lambda: deque(maxlen=TRACED))


class Watch:
    """A subscription that is being watched.

    Parameters
    ----------
    subscription
        In normal form.
    order, made
        Its place among all subscriptions ever made, and the step in which it was made.
    timers
        The queue in which its deadlines wait.
    shared
        The filters that it may share with others.
    unordered
        Whether events with equal end times never follow one another.
    """

    def __init__(  # noqa: PLR0913 - what a subscription is, and what it shares
        self,
        subscription: NormalSubscription,
        *,
        order: int,
        made: int,
        timers: Timers,
        shared: Shared,
        unordered: bool,
    ) -> None:
        self.subscription = subscription
        self.tree = subscription.tree
        self.order = order
        self.made = made
        is_silence = isinstance(subscription.pattern, Silence)
        within = None if is_silence else self.tree.within  # it speaks of matches, not of absences
        self.statics: tuple[Part | Link, ...] = build(subscription.pattern, within, shared)
        whole = self.statics[-1]
        assert isinstance(whole, Part)
        self._whole = whole
        where = subscription.where
        self._where = None if where is None else compile_condition(where)
        self._telling = Telling(subscription)
        retention = retention_of(self.statics, within)
        world = World(timers, order, unordered=unordered, retention=retention)
        world.sightings.update(sightings_of(self.statics))
        self.state = State(world, self._opened())

    @property
    def name(self) -> str:
        """The name of the subscription."""
        return self.tree.name

    def _opened(self) -> Machine | SilenceMachine:
        pattern = self.subscription.pattern
        if isinstance(pattern, Silence):
            is_shared = not self.subscription.variables or agreeing_is_enough(self.statics)
            reach = reach_of_past(self.statics)
            return SilenceMachine(self._whole, pattern, is_shared=is_shared, reach=reach)
        return self._whole.open(nothing_left())

    def interests(self) -> tuple[Interest, ...] | None:
        """Return filters one of which every event satisfies that may change anything here.

        Each is a stream (None: any of its streams) and a condition on the event. An event that
        satisfies none may be skipped; None stands for all events.
        """
        subscription = self.subscription
        return interests_of(
            subscription.pattern, subscription.sources, unordered=self.state.world.unordered
        )

    def skip(self, count: int) -> None:
        """Let events of its streams pass that satisfy none of its interests: they only count."""
        if self.state.machine is not None:
            self.state.world.position += count
            self.state.counts.events += count

    def expire(self, clock: int) -> None:
        """Drop the instances that can no longer complete, for those who count them.

        An event that is fed does so by itself, one that was skipped does not.
        """
        machine = self.state.machine
        if machine is not None and not isinstance(machine, SilenceMachine):
            world = self.state.world
            machine.expire(world, world.position + 1, clock)  # where the next event will stand

    def start(self, moment: int) -> None:
        """Begin to watch at a moment, unless it has begun already."""
        world, machine = self.state.world, self.state.machine
        if world.start is None:
            world.start = moment
        if isinstance(machine, SilenceMachine):
            machine.start(world)

    def run(
        self, place: Place, deadline: int | None, events: list[tuple[Place, Event]]
    ) -> list[Complete]:
        """Let the clock reach a deadline, then take events; return what is kept, in order.

        The events stand right behind the place of the deadline, and end with it.
        """
        state = self.state
        if state.machine is None:
            return []
        placed = state.world.place(events)
        complete = [] if deadline is None else self._reach(place, deadline, placed)
        for one in placed:
            complete += self._feed(one)
        state.counts.matches += len(complete)
        return complete

    def _reach(self, place: Place, deadline: int, upcoming: list[Placed]) -> list[Complete]:
        world, machine = self.state.world, self.state.machine
        if isinstance(machine, SilenceMachine):
            lasted = machine.reach(world, deadline, upcoming)
            return [complete_silence(one, place) for one in lasted if self._is_wanted(one)]
        assert machine is not None
        found = self._wanted(machine.reach(world, deadline, upcoming))
        return [complete_match(one, place, by_clock=True) for one in found]

    def _feed(self, placed: Placed) -> list[Complete]:
        world, machine = self.state.world, self.state.machine
        self.state.counts.events += 1
        self.state.recent.append(placed)
        world.take(placed)
        if isinstance(machine, SilenceMachine):
            machine.feed(world, placed)
            return []
        assert machine is not None
        found = machine.feed(world, placed, may_start=True)
        if not found:
            return []
        wanted = self._wanted(found)
        return [complete_match(one, placed.place, by_clock=False) for one in wanted]

    def _is_wanted(self, silent: Silent) -> bool:
        """Say whether WHERE keeps a silence."""
        return self._where is None or self._where(Left((), silent.variables, None, {}), None)

    def _wanted(self, found: list[Found]) -> list[Found]:
        """Return each match once, without those that WITHIN or WHERE refuses."""
        distinct = {one.identity(): one for one in found}
        return [one for one in distinct.values() if self._is_kept(one)]

    def _is_kept(self, found: Found) -> bool:
        """Say whether WITHIN and WHERE keep a match, and note the end of one that they refuse."""
        within, where, left = self.tree.within, self._where, nothing_left().behind(found)
        if within is not None and not is_within(found, within):
            self.state.world.diary.note(Ending("window", left, at=found.settled))
            return False
        if where is not None and not where(left, None):
            self.state.world.diary.note(Ending("condition", left, at=found.settled, by=found.last))
            return False
        return True

    def keep(self, complete: list[Complete]) -> list[Complete]:
        """Return what the policies keep; where they can keep no more, the watch is finished."""
        since = self.tree.since
        if since is not None and since.only_new:
            complete = [one for one in complete if self._is_new(one)]
        if not complete:
            return complete
        policies = self.state.policies
        kept = policies.kept(self.tree, complete, self._oldest)
        self.state.counts.notifications += len(kept)
        if policies.is_exhausted(self.tree):
            self.close()
        return kept

    def _is_new(self, one: Complete) -> bool:
        """`SINCE … ONLY NEW`: one of its events at least, or its silence, is a new one."""
        return any(place > (self.made,) for place in one.places or (one.place,))

    def close(self) -> None:
        """Give back all state; nothing is found any more."""
        self.state.machine = None
        self.state.world.kept.clear()
        self.state.recent.clear()

    def _oldest(self) -> int | None:
        machine = self.state.machine
        if machine is None or isinstance(machine, SilenceMachine):
            return None
        return min((found.first for found in machine.instances()), default=None)

    def emitted(self, one: Complete) -> dict[str, Value]:
        """Return what EMIT asks for."""
        return self._telling.emitted(one)

    def notification(self, one: Complete, emitted: dict[str, Value]) -> Notification:
        """Return what the subscriber is told."""
        return self._telling.notification(self.name, one, emitted)
