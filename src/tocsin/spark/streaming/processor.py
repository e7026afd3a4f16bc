"""The thin shell around a bucket: Spark calls it, and it reads and writes the state once.

Spark has two calls for state of one's own. `applyInPandasWithState` hands over the state together
with the rows and takes it back together with the results, and has one timeout for each group: just
what a bucket needs. `transformWithState` would ask for the state in calls of their own, and needs
protobuf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.state import GroupState

from tocsin.spark.ids import with_ids
from tocsin.spark.streaming.bucket import BucketState, step
from tocsin.spark.streaming.columns import CHANGES, EVENTS, TOLD, to_bytes
from tocsin.spark.streaming.layout import Layout
from tocsin.spark.streaming.task import StreamTask

STATE: Final = "layout string, wake_ms bigint, waiting binary, snapshot binary"

_Called = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def processor(task: StreamTask) -> _Called:
    """Return the function for `applyInPandasWithState`."""
    layout = task.layout
    written = layout.to_text()

    def run(
        key: tuple[Any, ...], frames: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        rows = [row for frame in frames for row in zip(frame[EVENTS], frame[CHANGES], strict=True)]
        brought = [bytes(events) for events, _ in rows if events is not None]
        changes = [bytes(changed) for _, changed in rows if changed is not None]
        before = _read(state, layout)
        watermark_ms = task.watermark_ms(state.getCurrentWatermarkMs())
        outcome = step(task, int(key[0]), before, brought, watermark_ms, changes=changes)
        _keep(state, outcome.state, written, task.zero_ms)
        if outcome.told:
            yield pd.DataFrame({TOLD: [to_bytes(with_ids(pa.concat_tables(outcome.told)))]})

    return run


def _read(state: GroupState, layout: Layout) -> BucketState:
    if not state.exists:
        return BucketState()
    written, *rest = state.get
    layout.check(written)
    return BucketState(*map(_plain, rest))


def _keep(state: GroupState, after: BucketState, layout: str, zero_ms: int) -> None:
    if after.is_nothing:
        if state.exists:
            state.remove()
        return
    state.update((layout, after.wake_ms, after.waiting, after.snapshot))
    call_ms = after.call_ms
    if call_ms is not None:
        # A timeout fires when the watermark is after it, and it may not lie before the watermark.
        state.setTimeoutTimestamp(max(call_ms - zero_ms - 1, state.getCurrentWatermarkMs(), 1))


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value
