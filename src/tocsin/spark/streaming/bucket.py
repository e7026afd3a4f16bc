"""One step of a bucket: what a micro-batch does to its state. It knows nothing of Spark.

Events wait until the watermark has passed them, since only then their order is known. So what a
micro-batch brings is never run in it: it is late, or it waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine import Engine, Places
from tocsin.model.notification import Notifications
from tocsin.model.values import Timestamp
from tocsin.spark.placing import TIME
from tocsin.spark.schema import ROW, TIE
from tocsin.spark.streaming.changing import apply_changes
from tocsin.spark.streaming.columns import ORDER, TELLS, of_bytes, to_bytes
from tocsin.spark.streaming.letters import of_dead_letters, of_late_rows
from tocsin.spark.streaming.live_engines import LIVE, LiveEngines
from tocsin.spark.streaming.task import StreamTask
from tocsin.spark.streaming.versions import Changes

_US_PER_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class BucketState:
    """What Spark keeps of a bucket.

    Attributes
    ----------
    wake_ms
        The watermark at which its engine has to do something without an event.
    waiting
        Events that the watermark has not passed, as bytes; None where there are none.
    snapshot
        Its engine; None where that is idle.
    first_ms
        The watermark that passes the first of the events that wait.
    """

    wake_ms: int | None = None
    waiting: bytes | None = None
    snapshot: bytes | None = None
    first_ms: int | None = field(default=None, compare=False)

    @property
    def call_ms(self) -> int | None:
        """The watermark at which the bucket wants to be called; None where it need not."""
        moments = (one for one in (self.wake_ms, self.first_ms) if one is not None)
        return min(moments, default=None)

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to keep."""
        return self.waiting is None and self.snapshot is None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step gave: the next state, and tables of notifications and of late events."""

    state: BucketState
    told: tuple[pa.Table, ...]


def step(  # noqa: PLR0913 - what a step depends on, all of it
    task: StreamTask,
    bucket: int,
    state: BucketState,
    brought: Sequence[bytes],
    watermark_ms: int,
    *,
    changes: Sequence[bytes] = (),
    live: LiveEngines = LIVE,
) -> Outcome:
    """Return what a micro-batch does to a bucket.

    Parameters
    ----------
    brought
        New events, as bytes.
    watermark_ms
        No event that ends up to then will still be taken. Spark says 0 before it knows any.
    changes
        Subscriptions that come and go; they do so at the watermark.
    """
    watermark_us = watermark_ms * _US_PER_MS
    waiting = None if state.waiting is None else of_bytes(state.waiting)
    fresh = pa.concat_tables([of_bytes(one) for one in brought]) if brought else None
    told: list[pa.Table] = []
    if fresh is not None and watermark_ms > 0:
        fresh, late = _split(fresh, watermark_us)
        told += of_late_rows(task, late.filter(late[TELLS]), watermark_us)
    due = None
    if waiting is not None and watermark_ms > 0:
        waiting, due = _split(waiting, watermark_us)
    snapshot, wake_ms = state.snapshot, state.wake_ms
    is_woken = wake_ms is not None and wake_ms <= watermark_ms
    if is_woken or changes or (due is not None and due.num_rows):
        run = _Run(task, bucket, snapshot, live)
        told += run.take(due, watermark_us)
        told += run.change(changes)
        snapshot, wake_ms = run.finish(watermark_us)
    waiting = _joined(waiting, fresh)
    return Outcome(_state(waiting, snapshot, wake_ms), tuple(told))


def _state(waiting: pa.Table | None, snapshot: bytes | None, wake_ms: int | None) -> BucketState:
    if waiting is None:
        return BucketState(wake_ms, None, snapshot)
    return BucketState(wake_ms, to_bytes(waiting), snapshot, _ms(pc.min(waiting[TIME]).as_py()))


class _Run:
    """The engine of a bucket during a step."""

    def __init__(
        self, task: StreamTask, bucket: int, snapshot: bytes | None, live: LiveEngines
    ) -> None:
        self.task, self.bucket, self.snapshot, self.live = task, bucket, snapshot, live
        self.engine: Engine | None = None

    def take(self, due: pa.Table | None, watermark_us: int) -> list[pa.Table]:
        """Run events in their order, and then the clock."""
        found: list[pa.Table] = []
        if due is None or due.num_rows == 0:
            self.engine = self._engine(watermark_us)
        else:
            by = [name for name in (TIME, ORDER, TIE) if name in due.column_names]
            due = due.sort_by([(name, "ascending") for name in by])
            self.engine = self._engine(due[TIME][0].as_py())
            rows = due.select(list(self.task.home(self.bucket).columns))
            taken = self.engine.process(rows, Places(due[ROW].to_numpy()))
            found += [taken.to_arrow()] if len(taken) else []
            found += of_dead_letters(taken.dead_letters)
        if watermark_us == 0:
            return found
        by_clock = self.engine.advance(Timestamp(watermark_us))
        told = Notifications(by_clock, form=self.engine.time_form)
        return [*found, told.to_arrow()] if len(told) else found

    def change(self, changes: Sequence[bytes]) -> list[pa.Table]:
        """Let subscriptions come and go."""
        assert self.engine is not None
        home = self.task.home(self.bucket)
        found: list[pa.Table] = []
        for one in map(Changes.of_bytes, changes):
            found += apply_changes(
                self.engine, one, home, shard=self.bucket - home.first, stream=self.task.stream
            )
        return found

    def _engine(self, first_us: int) -> Engine:
        return self.live.take(self.task, self.bucket, self.snapshot, first_us)

    def finish(self, watermark_us: int) -> tuple[bytes | None, int | None]:
        """Return the engine as bytes, None where it is idle, and when it wants to be woken."""
        assert self.engine is not None
        is_idle = not self.task.is_changing and self.engine.is_idle()
        snapshot = None if is_idle else self.engine.snapshot()
        self.live.keep(self.task, self.bucket, self.engine, snapshot)
        if snapshot is None:
            return None, None
        span = self.task.home(self.bucket).span_us
        # Once all its windows have passed it may turn out to be idle.
        passed = [] if span is None else [watermark_us + span + 1]
        deadline = self.engine.next_deadline()
        moments = passed + ([] if deadline is None else [int(deadline)])
        return snapshot, _ms(min(moments)) if moments else None


def _split(table: pa.Table, watermark_us: int) -> tuple[pa.Table | None, pa.Table]:
    """Return the events after the watermark, None where there are none, and the others."""
    is_due = table[TIME].to_numpy() <= watermark_us
    later = table.filter(pa.array(np.logical_not(is_due)))
    return later if later.num_rows else None, table.filter(pa.array(is_due))


def _joined(waiting: pa.Table | None, fresh: pa.Table | None) -> pa.Table | None:
    every = [one for one in (waiting, fresh) if one is not None]
    return pa.concat_tables(every) if every else None


def _ms(moment_us: int) -> int:
    """Return the first whole millisecond that is not before a moment."""
    return -(-moment_us // _US_PER_MS)
