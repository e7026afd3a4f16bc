"""The tables of a pipeline's file, one method each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from tocsin.language.tree import Program, StreamDeclaration
from tocsin.spark.files.reader import READERS
from tocsin.spark.files.reader import Reader as FileReader
from tocsin.spark.missing import stream_read
from tocsin.spark.pipeline.column_check import ColumnCheck, type_problems
from tocsin.spark.pipeline.keys import Keys, shown_type
from tocsin.spark.pipeline.log import log_path
from tocsin.spark.pipeline.occupied import occupied_problems
from tocsin.spark.pipeline.overlaps import Spot, overlap_problems, spot_of
from tocsin.spark.pipeline.partitions import partition_problems
from tocsin.spark.pipeline.places import Places
from tocsin.spark.pipeline.programs import SourceFile, joined_program, read_source_file
from tocsin.spark.pipeline.reads import reads_of
from tocsin.spark.pipeline.settings import (
    FORECASTS,
    LATE,
    MODES,
    NOTIFICATIONS,
    SINKS,
    EventColumns,
    Mode,
    Pipeline,
    Sink,
    Source,
    Streaming,
)
from tocsin.spark.pipeline.spark_keys import setting_problem
from tocsin.spark.pipeline.stream_keys import look_over_streaming, read_streaming

_FILES: Final = ("csv", "json", "orc", "parquet", "xml")
"""Formats whose files say what they hold, or do not, but not before they are read."""


class _Asked(NamedTuple):
    """The subscriptions: a program and the table that fills it in, or a table that is watched."""

    program: Program | None
    table: Source | None
    watched: Source | None = None
    files: tuple[str, ...] = ()


class Reader:
    """Reads the tables of a file, one after the other."""

    def __init__(self, file: Path, top: Keys) -> None:
        self.file = file
        self.top = top
        self.places = Places(file)

    def pipeline(self) -> Pipeline | None:
        """Return what the file says; where it says something wrong, the problems are noted."""
        top = self.top
        mode = cast(Mode, top.choice("mode", MODES, "batch"))
        log = log_path(self.file, top.text("log"))
        parts, reader = self._parts(mode), self._reader(mode)
        sources = self._sources(top.inner("sources"))
        columns = self._columns(top.inner("events"), sources)
        asked = self._subscriptions(top.inner("subscriptions"), mode)
        program, is_watched = asked.program, asked.watched is not None
        if columns is not None:
            self._check_read(program or Program(()), columns, sources)
        sinks = self._sinks(top.inner("sinks"), mode)
        streaming = self._streaming(mode, is_watched=is_watched)
        self._check_overlaps(sources, asked, sinks, self._needed(streaming, asked, log))
        if streaming is not None and streaming.checkpoint:
            top.problems.extend(occupied_problems(sinks, streaming))
        settings = self._settings(top.inner("spark"))
        if mode == "stream":
            self._check_schemas(sources, settings)
        top.close()
        if columns is None or program is None:
            return None
        return Pipeline(
            self.file, mode, sources, columns, program, asked.table, asked.watched, sinks,
            streaming, parts, reader, settings, log,
        )  # fmt: skip

    def _parts(self, mode: Mode) -> int | None:
        found = self.top.number("parts")
        if found is not None and mode == "stream":
            fix = "leave it out, and say buckets or shards in [stream]"
            self.top.refuse("parts", f"only a batch is split into parts; {fix}")
        return found

    def _reader(self, mode: Mode) -> FileReader:
        found = cast(FileReader, self.top.choice("reader", READERS, "auto"))
        if mode == "stream" and "reader" in self.top.table:
            self.top.refuse("reader", "Spark reads what comes in a stream; leave it out")
        return found

    def _sources(self, keys: Keys) -> dict[str, Source]:
        found = {name: self.places.source(inner) for name, inner in keys.inners()}
        if not found and not keys.is_misspelt:
            example = '[sources.logins] with format = "parquet" and path = "logins"'
            self.top.refuse("sources", f"there is no source of events; add {example}")
        return found

    def _check_schemas(self, sources: Mapping[str, Source], settings: Mapping[str, str]) -> None:
        """See that streams of files say what they hold: Spark looks into none before it starts."""
        if settings.get("spark.sql.streaming.schemaInference", "").lower() == "true":
            return
        for name, source in sources.items():
            if source.format in _FILES and source.schema is None:
                problem = 'a stream of files needs it; add schema = "ts timestamp, ip string", say'
                self.top.refuse(f"sources.{name}.schema", problem)

    def _columns(self, keys: Keys, sources: Mapping[str, Source]) -> EventColumns | None:
        time = keys.text("time", example='[events] with time = "ts", the column with the time')
        simultaneous = keys.choice("simultaneous", ("ordered", "unordered"), "ordered")
        found = EventColumns(
            time or "",
            keys.text("end"),
            keys.text("order"),
            keys.text("row"),
            keys.text("streams"),
            next(iter(sources)) if len(sources) == 1 and "streams" not in keys.table else None,
            "unordered" if simultaneous == "unordered" else "ordered",
        )
        if found.streams is not None and len(sources) > 1:
            keys.refuse("streams", "each of several sources is a stream; leave it out")
        keys.close()
        return found if time is not None else None

    def _subscriptions(self, keys: Keys, mode: Mode) -> _Asked:
        names = keys.texts("files")
        table, watched = (
            self.places.source(keys.inner(name)) if name in keys.table else None
            for name in ("table", "watched")
        )
        keys.asked += ["table", "watched"]
        if "files" not in keys.table and "watched" not in keys.table:
            keys.miss("files", 'add files = ["rules.tocsin"]')
        keys.close()
        if "watched" in keys.table:
            _check_watched(keys, mode)
            return _Asked(Program(()), table, watched)
        if not names:
            return _Asked(None, table)
        program = self._program(keys, names, with_table=table is not None)
        return _Asked(program, table, files=names)

    def _program(self, keys: Keys, names: tuple[str, ...], *, with_table: bool) -> Program | None:
        files = []
        for name in names:
            found = read_source_file(name, self.file.parent / name)
            if isinstance(found, SourceFile):
                files.append(found)
            else:
                keys.refuse("files", found)
        if len(files) < len(names):
            return None
        program, problems = joined_program(files, with_table=with_table)
        self.top.problems.extend(f"subscriptions.files: {problem}" for problem in problems)
        if program is not None and not program.subscriptions:
            keys.refuse("files", "they hold no subscription; write SUBSCRIBE name MATCH […];")
        return program

    def _check_read(
        self, program: Program, columns: EventColumns, sources: Mapping[str, Source]
    ) -> None:
        """See that sources give what is read of them."""
        reads = reads_of(program, default_stream=columns.stream)
        first_reader = {read.stream: read.subscription for read in reversed(reads)}
        if columns.streams is None and sources:
            self._check_streams(first_reader, sources)
        found = ColumnCheck.declared(sources, columns).missing(reads)
        self.top.problems.extend(said for said, doubt in found if doubt is None)
        self.top.problems.extend(type_problems(sources, columns))
        for one in program.statements:
            if isinstance(one, StreamDeclaration) and one.name in first_reader:
                self._check_declared_time(one, columns)

    def _check_streams(
        self, first_reader: Mapping[str, str], sources: Mapping[str, Source]
    ) -> None:
        for name in sorted(first_reader.keys() - sources.keys()):
            fix = f"add [sources.{name}]"
            said = stream_read(first_reader[name], name, sources, given="sources", fix=fix)
            self.top.refuse("sources", said)

    def _check_declared_time(self, declared: StreamDeclaration, columns: EventColumns) -> None:
        if declared.time not in (None, columns.time):
            msg = f"it is '{columns.time}', but STREAM {declared.name} says TIME {declared.time}"
            self.top.refuse("events.time", f"{msg}; let both name one column")

    def _sinks(self, keys: Keys, mode: Mode) -> dict[str, Sink]:
        for name in SINKS:
            keys.asked.append(name)
        found = {name: self.places.sink(keys.inner(name)) for name in keys.table if name in SINKS}
        for name, sink in found.items():
            self.top.problems.extend(partition_problems(name, sink))
        if FORECASTS in keys.table:
            why = "there are no forecasts yet, since PREDICT does not run"
            keys.refuse(FORECASTS, f"{why}; leave the sink out")
            keys.asked.append(FORECASTS)
        if NOTIFICATIONS not in keys.table:
            example = 'format = "parquet" and path = "alerts"'
            keys.miss(NOTIFICATIONS, f"add [sinks.notifications] with {example}")
        keys.close()
        if LATE in keys.table and mode == "batch":
            keys.refuse(LATE, 'in a batch no event is late; leave it out, or say mode = "stream"')
        return found

    def _streaming(self, mode: Mode, *, is_watched: bool) -> Streaming | None:
        keys = self.top.inner("stream")
        if mode == "batch":
            look_over_streaming(keys)
            return None
        return read_streaming(keys, self.places, is_watched=is_watched)

    def _check_overlaps(
        self,
        sources: Mapping[str, Source],
        asked: _Asked,
        sinks: Mapping[str, Sink],
        needed: Iterable[Spot],
    ) -> None:
        """See that sinks lie apart from one another, and from all that is read or needed."""
        read = {f"sources.{name}": source for name, source in sources.items()}
        tables = {"table": asked.table, "watched": asked.watched}
        read |= {f"subscriptions.{name}": one for name, one in tables.items() if one is not None}
        written = {f"sinks.{name}": sink for name, sink in sinks.items()}
        self.top.problems.extend(overlap_problems(read, written, needed))

    def _needed(self, streaming: Streaming | None, asked: _Asked, log: Path) -> Iterator[Spot]:
        yield spot_of("this file", self.file)
        yield spot_of("log", log)
        for name in asked.files:
            yield spot_of("subscriptions.files", self.file.parent / name)
        if streaming is not None and streaming.checkpoint:
            yield spot_of("stream.checkpoint", streaming.checkpoint)
        if streaming is not None and streaming.versions is not None:
            yield spot_of("stream.versions", streaming.versions)

    def _settings(self, keys: Keys) -> dict[str, str]:
        """Return settings of Spark; dots in a key make tables of TOML, which are joined again."""
        found = {}
        for name, value in _leaves(keys.table, "spark"):
            if isinstance(value, str | int | float):
                found[name] = str(value).lower() if isinstance(value, bool) else str(value)
                problem = setting_problem(name, found[name])
                if problem is not None:
                    self.top.problems.append(f"{name}: {problem}")
            else:
                known = "a text, a number, true or false"
                msg = f"{name}: it must be {known}, and is {shown_type(value)}"
                self.top.problems.append(msg)
        return found


def _check_watched(keys: Keys, mode: Mode) -> None:
    """See that a watched table is all that a stream has of subscriptions."""
    if mode == "batch":
        fix = 'say mode = "stream", or name files'
        keys.refuse("watched", f"only a stream can watch a table; {fix}")
    if "files" in keys.table:
        keys.refuse("files", "there is a watched table too; leave one of them out")
    if "table" in keys.table:
        keys.refuse("table", "it fills in files, and a watched table has whole texts; leave it out")


def _leaves(table: Mapping[str, Any], place: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        whole = name if name.startswith("spark.") else f"{place}.{name}"
        if isinstance(value, dict):
            yield from _leaves(value, whole)
        else:
            yield whole, value
