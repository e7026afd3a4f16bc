"""What comes in: frames become one frame of events with a stream, a time and an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    DataType,
    DateType,
    IntegerType,
    LongType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from tocsin.errors import ConfigurationError
from tocsin.spark.schema import END, STREAM

Frames: TypeAlias = DataFrame | Mapping[str, DataFrame]
"""Events: one frame, or one for each stream."""

_RESERVED: Final = "$"
_US_PER_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Events:
    """The events of all streams in one frame.

    Attributes
    ----------
    frame
        With `$stream` where there are several streams.
    time, end, order
        The names of their columns; `end` and `order` may be None.
    is_named
        Whether rows carry the name of their stream.
    """

    frame: DataFrame
    time: str
    end: str | None
    order: str | None
    is_named: bool

    def end_us(self) -> Column:
        """Return the end of an event in microseconds."""
        return microseconds(self.frame, self.end or self.time)

    def sorted_by(self) -> list[Column]:
        """Return what events are ordered by; equal ones are told apart by what they hold."""
        given = [F.col(quoted(self.order))] if self.order is not None else []
        content = [F.col(quoted(name)) for name in sorted(self.frame.columns)]
        return [self.end_us(), *given, F.xxhash64(*content)]


def events_of(
    frames: Frames, *, time: str, end: str | None, order: str | None, streams: str | None
) -> Events:
    """Return the events of frames that were checked.

    Raises
    ------
    ConfigurationError
        A column is missing, has a type that is no time, or a name that tocsin needs for itself.
    """
    named = {"time": time, "end": end, "order": order}
    if isinstance(frames, Mapping):
        if streams is not None:
            msg = "streams= names a column of one frame, but there is a frame for each stream"
            raise ConfigurationError(msg)
        if not frames:
            msg = "there is no frame of events; give one, or a dict of them by stream"
            raise ConfigurationError(msg)
        every = [frame.withColumn(STREAM, F.lit(name)) for name, frame in frames.items()]
        for name, frame in frames.items():
            _check(frame, f"stream '{name}'", named)
        frame = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), every)
        return Events(frame, time, end, order, is_named=True)
    _check(frames, "the frame of events", named | {"streams": streams})
    if streams is not None:
        frames = frames.withColumnRenamed(streams, STREAM)
    return Events(frames, time, end, order, is_named=streams is not None)


def without_bad_rows(events: Events) -> Events:
    """Return the rows that are events; `dead_letters` has the others."""
    frame = events.frame.filter(~_is_bad(events))
    return Events(frame, events.time, events.end, events.order, events.is_named)


def dead_letters(events: Events) -> DataFrame:
    """Return the rows that are no events, each with its reason."""
    reason = F.coalesce(*[F.when(bad, F.lit(said)) for bad, said in _faults(events)])
    return events.frame.withColumn("reason", reason).filter(F.col("reason").isNotNull())


def _is_bad(events: Events) -> Column:
    return reduce(lambda a, b: a | b, [bad for bad, _ in _faults(events)])


def _faults(events: Events) -> list[tuple[Column, str]]:
    needed = [events.time, *([events.end] if events.end else [])]
    faults = [
        (F.col(quoted(name)).isNull(), f"missing_time: the column '{name}' is null")
        for name in needed
    ]
    if events.end is not None:
        begins = microseconds(events.frame, events.time)
        backwards = events.end_us() < begins
        faults.append((backwards, f"bad_interval: '{events.end}' lies before '{events.time}'"))
    if events.order is not None:
        missing = F.col(quoted(events.order)).isNull()
        faults.append((missing, f"missing_order: the column '{events.order}' is null"))
    if events.is_named:
        faults.append((F.col(quoted(STREAM)).isNull(), "missing_stream: the row names no stream"))
    return faults


def _check(frame: DataFrame, what: str, named: Mapping[str, str | None]) -> None:
    for option, name in named.items():
        if name is not None and name not in frame.columns:
            shown = ", ".join(frame.columns)
            msg = f"{what} has no column '{name}', which {option}= names; it has {shown}"
            raise ConfigurationError(msg)
    for name in filter(None, (named["time"], named["end"])):
        _check_time(frame.schema[name].dataType, name, what)
    _check_names(frame.columns, what)


def _check_time(of: DataType, name: str, what: str) -> None:
    if isinstance(of, TimestampType | TimestampNTZType | DateType | LongType | IntegerType):
        return
    hint = "; make it one with to_timestamp, zone included" if isinstance(of, StringType) else ""
    msg = (
        f"{what}: the column '{name}' is a {of.simpleString()}, not a timestamp, a date or whole "
        f"milliseconds{hint}"
    )
    raise ConfigurationError(msg)


def _check_names(names: Iterable[str], what: str) -> None:
    for name in names:
        if name.startswith(_RESERVED) and name not in (STREAM, END):
            msg = f"{what}: the column '{name}' begins with $, which tocsin keeps for itself"
            raise ConfigurationError(msg)


def microseconds(frame: DataFrame, name: str) -> Column:
    """Return a column of times in microseconds."""
    column, of = F.col(quoted(name)), frame.schema[name].dataType
    if isinstance(of, LongType | IntegerType):
        return column.cast("bigint") * _US_PER_MS
    return F.unix_micros(column.cast("timestamp"))


def quoted(name: str) -> str:
    """Return a name of a column for expressions: dots and dollars mean nothing in it."""
    return "`" + name.replace("`", "``") + "`"
