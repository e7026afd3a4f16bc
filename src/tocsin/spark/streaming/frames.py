"""Streams of Spark as events: each under a watermark, with what orders and names its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.errors import ConfigurationError
from tocsin.spark.folding import union_of
from tocsin.spark.frames import check_same_types
from tocsin.spark.intake import Events, Frames, events_of, quoted, without_bad_rows
from tocsin.spark.placing import TIME
from tocsin.spark.schema import ROW, TIE
from tocsin.spark.streaming.columns import EVENT_TIME, ORDER

_US_PER_MS: Final = 1_000
_WATERMARK: Final = "spark.watermarkDelayMs"
"""Spark notes so in a column which watermark follows it."""


def watched(  # noqa: PLR0913 - the options of `events_of`, and three
    frames: Frames,
    time: str,
    end: str | None,
    order: str | None,
    row: str | None,
    streams: str | None,
    delay_us: int,
    observed: str | None = None,
    zero_us: int = 0,
) -> Events:
    """Return the events of all frames, each under a watermark of its own, with their end as `TIME`.

    It is made from the column that the watermark follows. A filter that reads it stays above the
    watermark, so that it moves with events that nobody asks for, too. Spark's watermark never lies
    before 1970, so it follows the time since `zero_us`.
    """
    every: list[Frames] = [frames]
    schemas = None
    if isinstance(frames, Mapping) and frames:
        every = [{name: one} for name, one in frames.items()]
        schemas = {name: one.schema for name, one in frames.items()}
        check_same_types(frames)  # a union would turn one type into the other
    found = []
    for number, one in enumerate(every):
        counted = None if observed is None else f"{observed} {number}"
        given = events_of(one, time=time, end=end, order=order, streams=streams, row=row)
        events = without_bad_rows(given, observed=counted)
        if not events.frame.isStreaming:
            msg = "match_stream needs a streaming frame, as from spark.readStream; use match"
            raise ConfigurationError(msg)
        _check_unwatched(events.frame)
        moment = F.timestamp_micros(_moved(events.end_us(), -zero_us))
        delay = f"{-(-delay_us // _US_PER_MS)} milliseconds"
        timed = events.frame.withColumn(EVENT_TIME, moment).withWatermark(quoted(EVENT_TIME), delay)
        end_us = _moved(F.unix_micros(quoted(EVENT_TIME)), zero_us)
        timed = timed.withColumn(TIME, end_us).drop(EVENT_TIME)
        found.append(replace(events, frame=timed))
    union = union_of([one.frame for one in found])
    return replace(found[0], frame=union, schemas=schemas)


def _check_unwatched(frame: DataFrame) -> None:
    """See that a frame has no watermark: Spark takes no second one behind it."""
    own = [one.name for one in frame.schema.fields if _WATERMARK in one.metadata]
    if own:
        msg = (
            f"the frame has a watermark on '{own[0]}'; leave withWatermark out, and say with "
            "delay= how much later an event may come"
        )
        raise ConfigurationError(msg)


def _moved(moment_us: Column, by_us: int) -> Column:
    return moment_us + F.lit(by_us) if by_us else moment_us


def placed(events: Events, ties: Collection[str]) -> tuple[DataFrame, tuple[str, ...]]:
    """Return the events of `watched` with what orders and names them, and these columns' names.

    As in a batch, numbers that rows bring order events of equal time, whatever else may.

    Parameters
    ----------
    ties
        The columns that order events of equal time.
    """
    tie = events.tie(ties)
    added = {TIE: tie}
    if events.order is not None and events.row is None:
        added[ORDER] = F.col(quoted(events.order))
    added[ROW] = tie if events.row is None else F.col(quoted(events.row)).cast("bigint")
    return events.frame.withColumns(added), (TIME, *added)
