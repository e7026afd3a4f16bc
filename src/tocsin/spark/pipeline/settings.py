"""What the file of a pipeline says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from tocsin.language.tree import Program
from tocsin.model.values import Timestamp
from tocsin.spark.files.reader import Reader

Mode: TypeAlias = Literal["batch", "stream"]

MODES: Final = ("batch", "stream")
NOTIFICATIONS: Final = "notifications"
DEAD_LETTERS: Final = "dead_letters"
LATE: Final = "late"
SINKS: Final = (NOTIFICATIONS, DEAD_LETTERS, LATE)
REFUSED: Final = "refused"
"""The count of rows whose values the engine does not take."""
BAD_PROGRAMS: Final = "bad_programs"
"""The count of subscriptions of a watched table whose text is wrong."""
FORECASTS: Final = "forecasts"
"""A sink that will be there when PREDICT runs."""
AVAILABLE_NOW: Final = "available-now"
WITHOUT_MAPS: Final = ("csv", "text")
"""Formats of sinks that hold no maps: they become JSON there."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table to read: the events of a stream, or a table of parameters.

    Attributes
    ----------
    format
        Any that Spark knows; None for a table of the catalog.
    path, table
        Where it is; both None where the options say it, as those of Kafka do.
    schema
        The columns as Spark writes them; None where the data tell.
    select, where
        Columns and rows to take, as expressions of SQL; all without.
    options
        For Spark's reader.
    """

    format: str | None = None
    path: str | None = None
    table: str | None = None
    schema: str | None = None
    select: tuple[str, ...] = ()
    where: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sink:
    """A table to write; `mode` is Spark's, and a stream always appends."""

    format: str | None = None
    path: str | None = None
    table: str | None = None
    mode: str = "append"
    partition_by: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventColumns:
    """Which columns of events mean what; as for `tocsin.spark.match`.

    `stream` is the stream of subscriptions that name none.
    """

    time: str
    end: str | None = None
    order: str | None = None
    row: str | None = None
    streams: str | None = None
    stream: str | None = None
    simultaneous: Literal["ordered", "unordered"] = "ordered"

    def options(self) -> dict[str, Any]:
        """Return them as keywords, those that were said."""
        return {
            name: value
            for name in ("time", "end", "order", "row", "streams", "stream", "simultaneous")
            if (value := getattr(self, name)) is not None
        }


@dataclass(frozen=True, slots=True)
class Streaming:
    """How a stream is run.

    Attributes
    ----------
    checkpoint
        Where Spark keeps what it needs to go on.
    trigger
        `"available-now"`: what is there, then stop; else how often, as in `"10 seconds"`.
    delay
        How much later than a later event an event may still come.
    start, buckets, shards, versions
        As for `match_stream`; None where they were not said. A watched table has versions.
    """

    checkpoint: str
    trigger: str = AVAILABLE_NOW
    delay: str = "0 s"
    start: Timestamp | None = None
    buckets: int | None = None
    shards: int | None = None
    versions: str | None = None

    def options(self) -> dict[str, Any]:
        """Return those of `match_stream` as keywords, where they were said."""
        return {
            name: value
            for name in ("delay", "start", "buckets", "shards", "versions")
            if (value := getattr(self, name)) is not None
        }


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline that was checked.

    Attributes
    ----------
    file
        Where it stands; relative paths in it start from there.
    sources
        By the name of the stream.
    program
        All subscriptions; templates where there is a table, and none where one is watched.
    table
        The parameter table of the templates.
    watched
        The table of subscriptions that may change while a stream runs.
    sinks
        By name, the notifications among them.
    parts
        Into how many parts work is split; as Spark says without.
    reader
        Who reads Parquet files.
    settings
        Of Spark, `spark.master` among them.
    log
        The JSON lines that a run writes.
    """

    file: Path
    mode: Mode
    sources: Mapping[str, Source]
    columns: EventColumns
    program: Program
    table: Source | None
    watched: Source | None
    sinks: Mapping[str, Sink]
    streaming: Streaming | None
    parts: int | None
    reader: Reader
    settings: Mapping[str, str]
    log: Path

    def places(self) -> Iterator[tuple[str, Source | Sink]]:
        """Yield all that is read and written, each with its key in the file."""
        for name, source in self.sources.items():
            yield f"sources.{name}", source
        for name, table in (("table", self.table), ("watched", self.watched)):
            if table is not None:
                yield f"subscriptions.{name}", table
        for name, sink in self.sinks.items():
            yield f"sinks.{name}", sink
