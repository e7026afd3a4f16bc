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

from tocsin.spark.placing import TIME
from tocsin.spark.streaming.bucket_run import BucketRun, whole_ms
from tocsin.spark.streaming.columns import TELLS, of_bytes, to_bytes
from tocsin.spark.streaming.letters import of_early_rows, of_late_rows
from tocsin.spark.streaming.live_engines import LIVE, LiveEngines
from tocsin.spark.streaming.task import StreamTask

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
    watermark_ms: int | None,
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
        No event that ends up to then will still be taken; None before Spark knows any.
    changes
        Subscriptions that come and go; they do so at the watermark.
    """
    watermark_us = None if watermark_ms is None else watermark_ms * _US_PER_MS
    waiting = None if state.waiting is None else of_bytes(state.waiting)
    fresh = pa.concat_tables([of_bytes(one) for one in brought]) if brought else None
    told: list[pa.Table] = []
    if fresh is not None:
        fresh, told = _taken(task, fresh, watermark_us)
    due = None
    if waiting is not None and watermark_us is not None:
        waiting, due = _split(waiting, watermark_us)
    snapshot, wake_ms = state.snapshot, state.wake_ms
    is_woken = wake_ms is not None and watermark_ms is not None and wake_ms <= watermark_ms
    if is_woken or changes or (due is not None and due.num_rows):
        run = BucketRun(task, bucket, snapshot, live)
        told += run.take(due, watermark_us)
        told += run.change(changes)
        snapshot, wake_ms = run.finish(watermark_us)
    waiting = _joined(waiting, fresh)
    return Outcome(_state(waiting, snapshot, wake_ms), tuple(told))


def _taken(
    task: StreamTask, fresh: pa.Table, watermark_us: int | None
) -> tuple[pa.Table | None, list[pa.Table]]:
    """Return the new events that can wait for the watermark, and what is told of the others."""
    if watermark_us is not None:
        later, late = _split(fresh, watermark_us)
        return later, of_late_rows(task, late.filter(late[TELLS]), watermark_us)
    # Spark's watermark never lies before its 0. It would not pass these if all events were such.
    zero_us = task.zero_ms * _US_PER_MS
    later, early = _split(fresh, zero_us - 1)
    return later, of_early_rows(task, early.filter(early[TELLS]), zero_us)


def _state(waiting: pa.Table | None, snapshot: bytes | None, wake_ms: int | None) -> BucketState:
    if waiting is None:
        return BucketState(wake_ms, None, snapshot)
    return BucketState(
        wake_ms, to_bytes(waiting), snapshot, whole_ms(pc.min(waiting[TIME]).as_py())
    )


def _split(table: pa.Table, watermark_us: int) -> tuple[pa.Table | None, pa.Table]:
    """Return the events after the watermark, None where there are none, and the others."""
    is_due = table[TIME].to_numpy() <= watermark_us
    later = table.filter(pa.array(np.logical_not(is_due)))
    return later if later.num_rows else None, table.filter(pa.array(is_due))


def _joined(waiting: pa.Table | None, fresh: pa.Table | None) -> pa.Table | None:
    every = [one for one in (waiting, fresh) if one is not None]
    return pa.concat_tables(every) if every else None
