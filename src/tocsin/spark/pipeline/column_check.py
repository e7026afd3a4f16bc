"""Columns of sources, declared or read, held against what events and subscriptions need of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from pyspark.sql.types import StructType

from tocsin.errors import ConfigurationError
from tocsin.spark.missing import column_named, column_read
from tocsin.spark.pipeline.ddl import column_type
from tocsin.spark.pipeline.reads import Read, reads_of
from tocsin.spark.pipeline.settings import EventColumns, Pipeline, Source
from tocsin.spark.pipeline.source_columns import SourceColumns, source_columns

_NAMED: Final = ("time", "end", "order", "row", "streams")
_TIMES: Final = (
    "timestamp", "timestamp_ntz", "timestamp_ltz", "date", "bigint", "long", "int", "integer",
)  # fmt: skip
"""Types of columns that hold times, as `match` takes them."""
_WHOLE: Final = ("bigint", "long", "int", "integer", "smallint", "short", "tinyint", "byte")
_IS_TIME: Final = (
    _TIMES,
    "it must be a timestamp, a date or whole milliseconds; let select make it one with "
    "to_timestamp, zone included",
)
_WANTED: Final = {
    "time": _IS_TIME, "end": _IS_TIME, "row": (_WHOLE, "it must number events with integers"),
}  # fmt: skip
"""By option, of which types its column may be, and how that is told."""


class Missing(NamedTuple):
    """A column that is missing: a sentence with its key, and why a run may yet take it.

    `doubt` is None where a run is sure to be refused.
    """

    said: str
    doubt: str | None = None


def notes_on_columns(pipeline: Pipeline) -> Iterator[str]:
    """Yield what is to be said of columns that seem to be missing, while a run may go on."""
    reads = reads_of(pipeline.program, default_stream=pipeline.columns.stream)
    check = ColumnCheck.declared(pipeline.sources, pipeline.columns)
    for said, doubt in check.missing(reads):
        if doubt is not None:
            yield f"{said} ({doubt})"


def type_problems(sources: Mapping[str, Source], columns: EventColumns) -> Iterator[str]:
    """Yield which columns of declared schemas are surely not what `[events]` names them for."""
    for source, one in sources.items():
        if one.schema is not None and not one.select:
            types = partial(column_type, one.schema)
            yield from _type_problems(f"sources.{source}.schema", types, columns)


def _type_problems(
    key: str, types: Callable[[str], str | None], columns: EventColumns
) -> Iterator[str]:
    for option, (wanted, fix) in _WANTED.items():
        name = getattr(columns, option)
        of = None if name is None else types(name)
        if of is not None and of not in wanted:
            said = f"the column '{name}', which events.{option} names, is a {of}"
            yield f"{key}: {said}; {fix}"


def check_source_columns(pipeline: Pipeline, schemas: Mapping[str, StructType]) -> None:
    """See that sources have what is needed of them, now that Spark says what they have.

    Raises
    ------
    ConfigurationError
        They lack columns, or have them of other types; the message names the keys of all of them.
    """
    known = {name: SourceColumns(None, tuple(of.names), None) for name, of in schemas.items()}
    reads = reads_of(pipeline.program, default_stream=pipeline.columns.stream)
    found = ColumnCheck(known, pipeline.columns).missing(reads)
    sure = [said for said, doubt in found if doubt is None]
    for name, of in schemas.items():
        types = {field.name: field.dataType.simpleString() for field in of.fields}
        sure += _type_problems(f"sources.{name}", types.get, pipeline.columns)
    if sure:
        raise ConfigurationError("\n".join(f"{pipeline.file}: {said}" for said in sure))


class ColumnCheck:
    """Looks for columns in those sources of a pipeline whose columns are known.

    Names are compared as `match` does: upper and lower case are different.
    """

    def __init__(self, known: Mapping[str, SourceColumns | None], columns: EventColumns) -> None:
        self.events = columns
        self.known = known

    @classmethod
    def declared(cls, sources: Mapping[str, Source], columns: EventColumns) -> ColumnCheck:
        """Return the check of what sources declare, before Spark reads any."""
        return cls({name: source_columns(one) for name, one in sources.items()}, columns)

    def missing(self, reads: Iterable[Read]) -> tuple[Missing, ...]:
        """Return all that is missing: first what `[events]` names, then what is read."""
        return (*self.named(), *self.read(reads))

    def named(self) -> Iterator[Missing]:
        """Yield the columns that `[events]` names and a source lacks."""
        for source in self.known:
            for option in _NAMED:
                name = getattr(self.events, option)
                if name is not None and self._lacks(source, name) is not False:
                    said = column_named("it", name, f"events.{option}", self._names(source))
                    yield Missing(f"{self._key(source)}: {said}", self._doubt([source], name))

    def read(self, reads: Iterable[Read]) -> Iterator[Missing]:
        """Yield the columns that subscriptions read and no source of theirs has, each once.

        `match` puts all sources into one frame. So it refuses only what is in none of them; a
        column of another one is just never there.
        """
        told = set()
        for (subscription, name), streams in _streams_by_column(reads).items():
            sources = [self._source_of(stream) for stream in streams]
            first = sources[0]
            is_own = name.startswith("$")  # $stream, say: every frame has it
            is_known = is_own or any(self._lacks(one, name) is False for one in sources)
            if is_known or (first, name) in told:
                continue
            told.add((first, name))
            said = column_read(subscription, name, streams[0], self._names(first))
            doubt = self._doubt(sources, name) or self._doubt(self.known, name)
            yield Missing(f"{self._key(first)}: {said}", doubt)

    def _source_of(self, stream: str) -> str:
        return stream if self.events.streams is None else next(iter(self.known), stream)

    def _lacks(self, source: str, name: str) -> bool | None:
        """Say whether a source lacks a column: False also where nobody knows its columns."""
        own = self.known.get(source)
        return False if own is None else own.lacks(name)

    def _doubt(self, sources: Iterable[str], name: str) -> str | None:
        """Return why a column may be in one of several sources, None where it is in none."""
        verdicts = {self._lacks(one, name) for one in sources}
        if None in verdicts:
            return f"unless a folder such as {name}=… gives it"
        return "another source may have it, these events do not" if False in verdicts else None

    def _key(self, source: str) -> str:
        own = self.known[source]
        if own is None or own.key is None:
            return f"sources.{source}"
        return f"sources.{source}.{own.key}"

    def _names(self, source: str) -> tuple[str, ...]:
        own = self.known[source]
        return () if own is None else own.names


def _streams_by_column(reads: Iterable[Read]) -> dict[tuple[str, str], list[str]]:
    """Return the streams of which a subscription reads a column, in its order."""
    found: dict[tuple[str, str], list[str]] = {}
    for read in reads:
        for name in sorted(read.columns):
            found.setdefault((read.subscription, name), []).append(read.stream)
    return found
