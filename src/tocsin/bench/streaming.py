"""Loading many subscriptions into an engine, and timing a stream that runs through it.

A rate is that of one thread on its core: events by the thread's own seconds, so that other work on
the machine counts as little as it can. The clock on the wall is kept beside it. A stream is cut
into equal parts; the first one warms up and does not count, every other one is a run.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from tocsin.bench.engines import Part, make_engine
from tocsin.bench.measure import Spent, spend
from tocsin.engine import Engine


@dataclass(frozen=True, slots=True)
class Loaded:
    """An engine with its subscriptions in force, and what that took.

    Attributes
    ----------
    states
        How many states the plan has that the subscriptions share.
    bytes_per_subscription
        What the engine says it holds, by subscription.
    """

    engine: Engine
    subscriptions: int
    spent: Spent
    states: int
    bytes_per_subscription: float


def load(head: str, parts: Sequence[Part], *, switched: str | None = None) -> Loaded:
    """Make an engine and put the subscriptions of all parts in force; `head` declares streams."""
    engine, spent = spend(lambda: make_engine(head, parts, switched=switched))
    count, stats = len(engine.subscriptions), engine.stats()
    return Loaded(engine, count, spent, stats.states, stats.bytes_estimate / max(count, 1))


@dataclass(frozen=True, slots=True)
class Run:
    """One part of a stream: its events, the notifications they gave, and what that took."""

    events: int
    notifications: int
    spent: Spent

    @property
    def rate(self) -> float:
        """Events a second of the thread's own time."""
        return self.events / self.spent.cpu_s


@dataclass(frozen=True, slots=True)
class Streamed:
    """What a stream through an engine took; the runs count, the warm-up does not."""

    warm_up: Run
    runs: tuple[Run, ...]

    @property
    def rates(self) -> tuple[float, ...]:
        """Events a second, run by run."""
        return tuple(run.rate for run in self.runs)

    @property
    def rate(self) -> float:
        """The rate of the middle run."""
        return statistics.median(self.rates)

    @property
    def notifications(self) -> int:
        """How many notifications came from the first event to the last."""
        return self.warm_up.notifications + sum(run.notifications for run in self.runs)

    @property
    def cpu_s(self) -> float:
        """The thread's own seconds in all runs."""
        return sum(run.spent.cpu_s for run in self.runs)

    @property
    def wall_s(self) -> float:
        """The seconds on the wall of all runs."""
        return sum(run.spent.wall_s for run in self.runs)


def stream(engine: Engine, events: pa.Table, *, runs: int, is_read: bool = False) -> Streamed:
    """Send events through an engine in `runs + 1` parts of the same size.

    Notifications are counted, which does not make them: they are made when somebody reads them.
    With `is_read` every one of them is, and that takes part of the time.
    """
    take = _read if is_read else _counted
    warm_up, *others = (_run(take, engine, part) for part in _parts(events, runs + 1))
    return Streamed(warm_up, tuple(others))


def _counted(engine: Engine, part: pa.Table) -> int:
    return len(engine.process(part))


def _read(engine: Engine, part: pa.Table) -> int:
    return sum(1 for _ in engine.process(part))


def _run(take: Callable[[Engine, pa.Table], int], engine: Engine, part: pa.Table) -> Run:
    notifications, spent = spend(lambda: take(engine, part))
    return Run(part.num_rows, notifications, spent)


def _parts(events: pa.Table, count: int) -> Iterator[pa.Table]:
    """Cut events into parts; the last one takes what is left over."""
    size = max(events.num_rows // count, 1)
    for place in range(count):
        yield events.slice(place * size, size if place < count - 1 else None)
