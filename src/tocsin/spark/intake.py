"""What comes in: frames become one frame of events with a stream, a time and an order."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    IntegerType,
    LongType,
    MapType,
    StructType,
    TimestampNTZType,
    VariantType,
)

from tocsin.errors import ConfigurationError
from tocsin.spark.folding import any_of, union_of
from tocsin.spark.frames import check_frame, check_same_types
from tocsin.spark.schema import END, STREAM, TIE

Frames: TypeAlias = DataFrame | Mapping[str, DataFrame]
"""Events: one frame, or one for each stream."""

_US_PER_MS: Final = 1_000
_US_PER_DAY: Final = 86_400_000_000
MOST_MS: Final = (2**63 - 1) // _US_PER_MS


@dataclass(frozen=True, slots=True)
class Events:
    """The events of all streams in one frame.

    Attributes
    ----------
    frame
        With `$stream` where there are several streams, and `$end` where events last.
    time, end, order
        The names of their columns; `end` and `order` may be None.
    is_named
        Whether rows carry the name of their stream.
    row
        The column that numbers events in the order of the stream, None where they are counted.
    copies
        Columns that repeat one of the given ones under the name that the engine knows.
    schemas
        The columns of each stream, None where only the rows know which streams there are.
    only
        The frame as it was given, where there is no other.
    """

    frame: DataFrame
    time: str
    end: str | None
    order: str | None
    is_named: bool
    row: str | None = None
    copies: frozenset[str] = frozenset()
    schemas: Mapping[str, StructType] | None = None
    only: DataFrame | None = None

    @property
    def streams(self) -> tuple[str, ...] | None:
        """The streams that there are, None where only the rows know."""
        return None if self.schemas is None else tuple(self.schemas)

    def end_us(self) -> Column:
        """Return the end of an event in microseconds."""
        return microseconds(self.frame, self.end or self.time)

    def sorted_by(self) -> list[Column]:
        """Return what events are ordered by; equal ones are told apart by what they hold."""
        if self.row is not None:
            return [self.end_us(), F.col(quoted(self.row))]
        given = [F.col(quoted(self.order))] if self.order is not None else []
        return [self.end_us(), *given, F.col(quoted(TIE)) if self.is_tied else self.tie()]

    @property
    def is_tied(self) -> bool:
        """Whether rows carry what tells them apart."""
        return TIE in self.frame.columns

    def tied(self) -> Events:
        """Return events that carry what tells them apart, so that columns may be dropped."""
        return replace(self, frame=self.frame.withColumn(TIE, self.tie()))

    def tie(self, names: Collection[str] | None = None) -> Column:
        """Return what tells events of equal time apart: a hash of all that they were given with.

        All columns have a say, also those that no subscription reads: otherwise one more
        subscription could change what another one finds.

        Parameters
        ----------
        names
            The columns that have a say, where it is not for all of them to have one.
        """
        given = self.tie_columns().fields
        chosen = [field for field in given if names is None or field.name in names]
        return F.expr(content_hash_text(StructType(chosen)))

    def tie_columns(self) -> StructType:
        """Return all columns that events were given with."""
        return StructType([one for one in self.frame.schema.fields if one.name not in self.copies])


def events_of(  # noqa: PLR0913 - every option is a keyword of its own
    frames: Frames,
    *,
    time: str,
    end: str | None,
    order: str | None,
    streams: str | None,
    row: str | None = None,
) -> Events:
    """Return the events of frames that were checked.

    Raises
    ------
    ConfigurationError
        A column is missing, has a type that is no time, or a name that tocsin needs for itself.
    """
    named = {"time": time, "end": end, "order": order, "row": row}
    if isinstance(frames, Mapping):
        if streams is not None:
            msg = "streams= names a column of one frame, but there is a frame for each stream"
            raise ConfigurationError(msg)
        if not frames:
            msg = "there is no frame of events; give one, or a dict of them by stream"
            raise ConfigurationError(msg)
        for name, frame in frames.items():
            check_frame(frame, f"stream '{name}'", named)
        check_same_types(frames)
        every = [frame.withColumn(STREAM, F.lit(name)) for name, frame in frames.items()]
        joined = union_of(every)
        only = next(iter(frames.values())) if len(frames) == 1 else None
        # The name of the only stream tells no rows apart: it has no say in their order.
        copies = frozenset({STREAM}) if only is not None else frozenset()
        schemas = {name: frame.schema for name, frame in frames.items()}
        given = Events(
            joined, time, end, order, is_named=True, row=row, copies=copies, schemas=schemas,
            only=only,
        )  # fmt: skip
        return _with_end(given)
    check_frame(frames, "the frame of events", named | {"streams": streams})
    if streams is not None and streams != STREAM:
        named_stream = frames.withColumn(STREAM, F.col(quoted(streams)))
        copies = frozenset({STREAM})
        return _with_end(
            Events(named_stream, time, end, order, is_named=True, row=row, copies=copies)
        )
    is_named = STREAM in frames.columns
    return _with_end(Events(frames, time, end, order, is_named, row, only=frames))


def _with_end(events: Events) -> Events:
    """Call the end of events what the engine calls it; subscriptions may read the column too."""
    if events.end is None or events.end == END:
        return replace(events, end=END if END in events.frame.columns else None)
    frame = events.frame.withColumn(END, F.col(quoted(events.end)))
    return replace(events, frame=frame, end=END, copies=events.copies | {END})


def without_bad_rows(events: Events, *, observed: str | None = None) -> Events:
    """Return the rows that are events; `bad_rows` has the others.

    With a name, Spark's progress tells under it how many others there were, as `dead_letters`.
    """
    is_bad, frame = is_bad_row(events), events.frame
    if observed is not None:
        frame = frame.observe(observed, F.count_if(is_bad).alias("dead_letters"))
    return replace(events, frame=frame.filter(~is_bad))


def is_bad_row(events: Events) -> Column:
    """Return whether a row is no event; a source may be asked to give only such rows."""
    return any_of([bad for bad, _ in _faults(events)])


def bad_rows(events: Events) -> DataFrame:
    """Return the rows that are no events, each with its reason: a kind and a sentence."""
    reason = F.coalesce(*[F.when(bad, F.lit(said)) for bad, said in _faults(events)])
    return events.frame.withColumn("$reason", reason).filter(F.col(quoted("$reason")).isNotNull())


def _faults(events: Events) -> list[tuple[Column, str]]:
    faults: list[tuple[Column, str]] = []
    for name in filter(None, (events.time, events.end)):
        faults.append((F.col(quoted(name)).isNull(), f"bad_time: the column '{name}' is null"))
        if isinstance(events.frame.schema[name].dataType, LongType):
            is_far = ~F.col(quoted(name)).between(-MOST_MS, MOST_MS)
            faults.append((is_far, f"bad_time: '{name}' is outside what milliseconds can tell"))
    if events.end is not None:
        backwards = events.end_us() < microseconds(events.frame, events.time)
        faults.append((backwards, f"bad_time: '{events.end}' lies before '{events.time}'"))
    faults += [
        (F.col(quoted(name)).isNull(), f"bad_control: the column '{name}' is null")
        for name in (events.order, events.row)
        if name is not None
    ]
    if events.is_named:
        faults.append((F.col(quoted(STREAM)).isNull(), "bad_control: the row names no stream"))
    return faults


def microseconds(frame: DataFrame, name: str) -> Column:
    """Return a column of times in microseconds, without a zone those of UTC, as the engine does."""
    column, of = F.col(quoted(name)), frame.schema[name].dataType
    if isinstance(of, LongType | IntegerType):
        return F.try_multiply(column.cast("bigint"), F.lit(_US_PER_MS))
    if isinstance(of, DateType):
        return F.unix_date(column).cast("bigint") * _US_PER_DAY
    if isinstance(of, TimestampNTZType):
        return F.expr(zoneless_microseconds(quoted(name)))
    return F.unix_micros(column)


def zoneless_microseconds(column: str) -> str:
    """Return a time without a zone in microseconds, as those of UTC, for SQL.

    Differences and casts of Spark go by the zone of the session, in which an hour of the year may
    be missing; dates and the fields of a time do not.
    """
    minutes = f"hour({column}) * 60 + minute({column})"
    of_minute = f"CAST(extract(SECOND FROM {column}) * 1000000 AS BIGINT)"
    days = f"CAST(unix_date(CAST({column} AS DATE)) AS BIGINT)"
    return f"({days} * 1440 + {minutes}) * 60000000 + {of_minute}"


def quoted(name: str) -> str:
    """Return a name of a column for expressions: dots and dollars mean nothing in it.

    Examples
    --------
    >>> quoted("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def content_hash_text(schema: StructType) -> str:
    """Return for SQL what tells apart rows that hold different things.

    Spark's hash passes over nulls, so that it does not know in which of two columns a value stands;
    it is told apart which of them are null.

    Examples
    --------
    >>> content_hash_text(StructType().add("v", LongType()))
    'xxhash64(`v`, `v` IS NULL)'
    """
    fields = sorted(schema.fields, key=lambda field: field.name)
    content = [_hashable(field.name, field.dataType) for field in fields]
    return f"xxhash64({', '.join([*content, *(f'{quoted(f.name)} IS NULL' for f in fields)])})"


def _hashable(name: str, of: DataType) -> str:
    """Spark hashes no maps and no variants."""
    return f"to_json(struct({quoted(name)}))" if _has_map(of) else quoted(name)


def _has_map(of: DataType) -> bool:
    if isinstance(of, ArrayType):
        return _has_map(of.elementType)
    if isinstance(of, StructType):
        return any(_has_map(field.dataType) for field in of.fields)
    return isinstance(of, MapType | VariantType)
