"""Streams of Spark as events: each under a watermark, with what orders and names its rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.errors import ConfigurationError
from tocsin.spark.intake import Events, Frames, events_of, quoted, without_bad_rows
from tocsin.spark.placing import TIME
from tocsin.spark.schema import ROW
from tocsin.spark.streaming.columns import EVENT_TIME, ORDER, TIE

_US_PER_MS: Final = 1_000


def watched(  # noqa: PLR0913 - the options of `events_of`, and one
    frames: Frames,
    time: str,
    end: str | None,
    order: str | None,
    streams: str | None,
    delay_us: int,
) -> Events:
    """Return the events of all frames, each under a watermark of its own."""
    every: list[Frames] = [frames]
    if isinstance(frames, Mapping) and frames:
        every = [{name: one} for name, one in frames.items()]
    found = []
    for one in every:
        events = without_bad_rows(events_of(one, time=time, end=end, order=order, streams=streams))
        if not events.frame.isStreaming:
            msg = "match_stream needs a streaming frame, as from spark.readStream; use match"
            raise ConfigurationError(msg)
        moment = F.timestamp_micros(events.end_us())
        delay = f"{-(-delay_us // _US_PER_MS)} milliseconds"
        timed = events.frame.withColumn(EVENT_TIME, moment).withWatermark(quoted(EVENT_TIME), delay)
        found.append(Events(timed, time, events.end, order, events.is_named))
    union = reduce(
        lambda a, b: a.unionByName(b, allowMissingColumns=True), [one.frame for one in found]
    )
    return Events(union.drop(EVENT_TIME), time, found[0].end, order, found[0].is_named)


def placed(events: Events, row: str | None) -> tuple[DataFrame, tuple[str, ...]]:
    """Return events with what orders and names them, and the names of these columns."""
    frame = events.frame
    if row is not None and row not in frame.columns:
        shown = ", ".join(frame.columns)
        msg = f"the events have no column '{row}', which row= names; they have {shown}"
        raise ConfigurationError(msg)
    tie = F.xxhash64(*[F.col(quoted(name)) for name in sorted(frame.columns)])
    added = {TIME: events.end_us(), TIE: tie}
    if events.order is not None:
        added[ORDER] = F.col(quoted(events.order))
    added[ROW] = tie if row is None else F.col(quoted(row)).cast("bigint")
    return frame.withColumns(added), tuple(added)
