"""What there is in an engine and what has happened in it, in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tocsin.engine.course import Course
from tocsin.engine.feed import Feed
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.linear.arrays import NONE
from tocsin.engine.machines.silence import SilenceMachine
from tocsin.engine.members import Member, has_policies
from tocsin.engine.shares import LaneShares
from tocsin.engine.watch import Watch

# tracemalloc finds about 1,400 bytes for an instance of a chain together with the event it took.
_BYTES_OF_INSTANCE: Final = 1_300
_BYTES_OF_TAKEN: Final = 72
_BYTES_OF_KEPT: Final = 120


@dataclass(frozen=True, slots=True)
class SubscriptionStats:
    """The numbers of one subscription.

    Attributes
    ----------
    events, matches, notifications
        Events it has seen, matches it has found, and what its policies kept of them. Matches that
        LIMIT did not keep count as found up to the step in which it let the last one through; from
        then on nothing is looked for. `LIMIT n PER $x` goes on, and so do the counts.
    instances, kept_events
        Live partial matches, and events it has to keep.
    refused, dropped
        Instances that limits refused, or gave up.
    is_finished
        Whether LIMIT lets nothing through any more.
    stopped
        Why limits stopped it; None where they did not.
    bytes_estimate
        The memory of its partial matches. In a lane also its share of plan and index: what several
        use is divided among them.
    """

    events: int
    matches: int
    notifications: int
    instances: int
    kept_events: int
    refused: int
    dropped: int
    is_finished: bool
    stopped: str | None
    bytes_estimate: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The numbers of an engine; `subscriptions` are by name, as they stand when you look.

    `states` are those of the plan that subscriptions share, and `bytes_estimate` what plan,
    predicate index and instances take. `strings` are those that have a code: those that somebody
    needs, and the last ones that came. `evaluated` says how often the predicate index compared a
    predicate with an event whose values led to it, `skipped` how often it did not, since no partial
    match waited for it (`Options.single_step`). Where the last subscription to a stream ends, its
    share goes with it.
    """

    rows: int
    notifications: int
    dead_letters: int
    instances: int
    states: int
    deadlines: int
    bytes_estimate: int
    strings: int
    evaluated: int
    skipped: int
    subscriptions: Mapping[str, SubscriptionStats]


def stats_of(feed: Feed, notified: int) -> Stats:
    """Return the numbers of an engine."""
    course = feed.course
    course.catch_up_all()
    for unit in course.lanes.values():
        unit.lane.sweep()
    lanes = [unit.lane for unit in course.lanes.values()]
    counters = [lane.index.counters for lane in lanes] + [course.concerns.counters]
    skipped = sum(one.skipped for one in counters)
    watches = [_of_watch(watch) for watch in course.watches.values()]
    return Stats(
        rows=feed.rows,
        notifications=notified,
        dead_letters=feed.buried,
        instances=sum(one.instances for one in watches) + sum(lane.machine.live for lane in lanes),
        states=sum(lane.store.nodes for lane in lanes),
        deadlines=len(course.timers),
        bytes_estimate=sum(one.bytes_estimate for one in watches)
        + sum(lane.nbytes for lane in lanes),
        strings=len(course.vocabulary.code_of_string),
        evaluated=sum(one.candidates for one in counters) - skipped,
        skipped=skipped,
        subscriptions=_ByName(course),
    )


class _ByName(Mapping[str, SubscriptionStats]):
    """The numbers of each subscription, found when they are asked for: there may be very many."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._shares: dict[int, LaneShares] = {}

    def __getitem__(self, name: str) -> SubscriptionStats:
        order = self._course.orders[name]
        found = self._course.member(order)
        if found is None:
            return _of_watch(self._course.watches[order])
        return _of_member(*found, self._shares_of(found[0]))

    def _shares_of(self, unit: LaneUnit) -> LaneShares:
        """Return the shares in a lane, found once: that looks at the whole plan."""
        if unit.number not in self._shares:
            self._shares[unit.number] = LaneShares(unit.lane)
        return self._shares[unit.number]

    def __iter__(self) -> Iterator[str]:
        return iter(self._course.orders)

    def __len__(self) -> int:
        return len(self._course.orders)

    def __repr__(self) -> str:
        return repr(dict(self))


def _of_watch(watch: Watch) -> SubscriptionStats:
    state = watch.state
    instances, taken = _instances(watch)
    kept = len(state.world.kept)
    size = instances * _BYTES_OF_INSTANCE + taken * _BYTES_OF_TAKEN + kept * _BYTES_OF_KEPT
    return SubscriptionStats(
        events=state.counts.events,
        matches=state.counts.matches,
        notifications=state.counts.notifications,
        instances=instances,
        kept_events=kept,
        refused=state.world.refused,
        dropped=state.counts.dropped,
        is_finished=state.machine is None and state.stopped is None,
        stopped=state.stopped,
        bytes_estimate=size,
    )


def _of_member(unit: LaneUnit, member: Member, shares: LaneShares) -> SubscriptionStats:
    """What a subscription shares with others counts for each of them, but for its bytes."""
    machine, number = unit.lane.machine, member.number
    if number == NONE:
        matched, events, groups = member.matched, 0, []
    else:
        matched = int(unit.members.matched[number])
        events = machine.position - int(unit.lane.store.made[number])
        groups = unit.lane.store.groups_of(number)
    waiting, refused, dropped = machine.counts_of(groups)
    return SubscriptionStats(
        events=events,
        matches=matched,
        notifications=member.notified if has_policies(member.tree) else matched,
        instances=waiting,
        kept_events=0,
        refused=refused,
        dropped=member.dropped + dropped,
        is_finished=number == NONE and member.stopped is None,
        stopped=member.stopped,
        bytes_estimate=0 if number == NONE else shares.bytes_of(number),
    )


def _instances(watch: Watch) -> tuple[int, int]:
    """Return how many instances there are, and how many events they hold."""
    machine = watch.state.machine
    if machine is None:
        return 0, 0
    if isinstance(machine, SilenceMachine):
        return len(machine.listening), 0
    lengths = [len(found.taken) for found in machine.instances()]
    return len(lengths), sum(lengths)
