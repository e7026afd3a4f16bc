"""What there is in an engine and what has happened in it, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tocsin.engine.feed import Feed
from tocsin.engine.machines.silence import SilenceMachine
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
        Events it has seen, matches it has found, and what its policies kept of them.
    instances, kept_events
        Live partial matches, and events it has to keep.
    refused, dropped
        Instances that limits refused, or gave up.
    is_finished
        Whether LIMIT lets nothing through any more.
    stopped
        Why limits stopped it; None where they did not.
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
    """The numbers of an engine; `subscriptions` are by name."""

    rows: int
    notifications: int
    dead_letters: int
    instances: int
    deadlines: int
    bytes_estimate: int
    subscriptions: Mapping[str, SubscriptionStats]


def stats_of(feed: Feed, notified: int) -> Stats:
    """Return the numbers of an engine."""
    each = {watch.name: _of_watch(watch) for watch in feed.course.watches.values()}
    return Stats(
        rows=feed.rows,
        notifications=notified,
        dead_letters=feed.buried,
        instances=sum(one.instances for one in each.values()),
        deadlines=len(feed.course.timers),
        bytes_estimate=sum(one.bytes_estimate for one in each.values()),
        subscriptions=each,
    )


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


def _instances(watch: Watch) -> tuple[int, int]:
    """Return how many instances there are, and how many events they hold."""
    machine = watch.state.machine
    if machine is None:
        return 0, 0
    if isinstance(machine, SilenceMachine):
        return len(machine.listening), 0
    lengths = [len(found.taken) for found in machine.instances()]
    return len(lengths), sum(lengths)
