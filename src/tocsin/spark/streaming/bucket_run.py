"""The engine of a bucket while a micro-batch is run: due events, the clock, changes, a snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from tocsin.engine import Engine, Places
from tocsin.model.notification import Notifications
from tocsin.model.values import Timestamp
from tocsin.spark.placing import TIME
from tocsin.spark.schema import ROW, TIE
from tocsin.spark.streaming.changing import apply_changes
from tocsin.spark.streaming.columns import ORDER, TELLS
from tocsin.spark.streaming.letters import of_dead_letters
from tocsin.spark.streaming.live_engines import LiveEngines
from tocsin.spark.streaming.task import StreamTask
from tocsin.spark.streaming.versions import Changes

_US_PER_MS: Final = 1_000


class BucketRun:
    """The engine of a bucket during a step."""

    def __init__(
        self, task: StreamTask, bucket: int, snapshot: bytes | None, live: LiveEngines
    ) -> None:
        self.task, self.bucket, self.snapshot, self.live = task, bucket, snapshot, live
        self.engine: Engine | None = None

    def take(self, due: pa.Table | None, watermark_us: int | None) -> list[pa.Table]:
        """Run events in their order, and then the clock."""
        found: list[pa.Table] = []
        if due is None or due.num_rows == 0:
            self.engine = self._engine(watermark_us)
        else:
            by = [name for name in (TIME, ORDER, ROW, TIE) if name in due.column_names]
            due = due.sort_by([(name, "ascending") for name in by])
            self.engine = self._engine(due[TIME][0].as_py())
            rows = due.select(list(self.task.home(self.bucket).columns))
            taken = self.engine.process(rows, Places(due[ROW].to_numpy()))
            found += [taken.to_arrow()] if len(taken) else []
            own = frozenset(due.filter(due[TELLS])[ROW].to_pylist())
            found += of_dead_letters(one for one in taken.dead_letters if one.row in own)
        if watermark_us is None:
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

    def _engine(self, first_us: int | None) -> Engine:
        return self.live.take(self.task, self.bucket, self.snapshot, first_us)

    def finish(self, watermark_us: int | None) -> tuple[bytes | None, int | None]:
        """Return the engine as bytes, None where it is idle, and when it wants to be woken."""
        assert self.engine is not None
        is_idle = not self.task.is_changing and self.engine.is_idle()
        snapshot = None if is_idle else self.engine.snapshot()
        self.live.keep(self.task, self.bucket, self.engine, snapshot)
        if snapshot is None:
            return None, None
        span = self.task.home(self.bucket).span_us
        # Once all its windows have passed it may turn out to be idle.
        passed = [] if span is None or watermark_us is None else [watermark_us + span + 1]
        deadline = self.engine.next_deadline()
        moments = passed + ([] if deadline is None else [int(deadline)])
        return snapshot, whole_ms(min(moments)) if moments else None


def whole_ms(moment_us: int) -> int:
    """Return the first whole millisecond that is not before a moment.

    Examples
    --------
    >>> whole_ms(1_001), whole_ms(2_000), whole_ms(-1)
    (2, 2, 0)
    """
    return -(-moment_us // _US_PER_MS)
