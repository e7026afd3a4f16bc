"""The tables of a pipeline's file, one method each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from tocsin.errors import DurationError
from tocsin.language.live import LiveProgram
from tocsin.language.suggest import did_you_mean
from tocsin.language.tree import Program, StreamDeclaration
from tocsin.model.durations import parse_duration
from tocsin.spark.pipeline.keys import Keys, shown_type
from tocsin.spark.pipeline.log import log_path
from tocsin.spark.pipeline.programs import SourceFile, joined_program, read_source_file
from tocsin.spark.pipeline.settings import (
    AVAILABLE_NOW,
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

_WRITE_MODES: Final = ("append", "overwrite", "error", "ignore")
_REMOTE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_OF_FILES: Final = ("parquet", "csv", "json", "orc", "delta", "text", "avro")
"""Formats that need a path; of others the options may say where the data are."""


class Reader:
    """Reads the tables of a file, one after the other."""

    def __init__(self, file: Path, top: Keys) -> None:
        self.file = file
        self.top = top

    def pipeline(self) -> Pipeline | None:
        """Return what the file says; where it says something wrong, the problems are noted."""
        top = self.top
        mode = cast(Mode, top.choice("mode", MODES, "batch"))
        log = log_path(self.file, top.text("log"))
        parts = top.number("parts")
        sources = self._sources(top.inner("sources"))
        columns = self._columns(top.inner("events"), sources)
        program, table = self._subscriptions(top.inner("subscriptions"))
        if program is not None and columns is not None:
            self._check_streams(program, columns, sources)
        sinks = self._sinks(top.inner("sinks"), mode)
        streaming = self._streaming(mode)
        settings = self._settings(top.inner("spark"))
        top.refuse_unknown()
        if columns is None or program is None:
            return None
        return Pipeline(
            self.file, mode, sources, columns, program, table, sinks, streaming, parts, settings,
            log,
        )  # fmt: skip

    def _sources(self, keys: Keys) -> dict[str, Source]:
        found = {name: self._source(inner) for name, inner in keys.inners()}
        if not found:
            example = '[sources.logins] with format = "parquet" and path = "logins"'
            self.top.refuse("sources", f"there is no source of events; add {example}")
        return found

    def _source(self, keys: Keys) -> Source:
        form, path, table = keys.text("format"), keys.text("path"), keys.text("table")
        self._check_place(keys, form, table)
        found = Source(
            form,
            self._resolved(path, keys, must_exist=True),
            table,
            keys.text("schema"),
            keys.texts("select"),
            keys.text("where"),
            keys.options("options"),
        )
        keys.refuse_unknown()
        return found

    def _check_place(self, keys: Keys, form: str | None, table: str | None) -> None:
        """See that it is said where something is, and once."""
        if "path" in keys.table and "table" in keys.table:
            keys.refuse("table", "there is a path too; leave one of them out")
        elif form is None and table is None and "format" not in keys.table:
            keys.refuse("format", 'it is missing; add format = "parquet", say, or a table')
        elif form in _OF_FILES and table is None and "path" not in keys.table:
            keys.refuse("path", f'it is missing; {form} needs one, as in path = "logins"')

    def _resolved(self, path: str | None, keys: Keys, *, must_exist: bool) -> str | None:
        """Return a path as it is from here; one with a scheme, such as s3://, as it stands."""
        if path is None or _REMOTE.match(path):
            return path
        whole = self.file.parent / path
        is_pattern = any(sign in path for sign in "*?[{")
        if must_exist and not is_pattern and not whole.exists():
            keys.refuse("path", f"there is no file or directory {whole}")
        return str(whole.absolute())

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
        keys.refuse_unknown()
        return found if time is not None else None

    def _subscriptions(self, keys: Keys) -> tuple[Program | None, Source | None]:
        names = keys.texts("files")
        table = self._source(keys.inner("table")) if "table" in keys.table else None
        keys.asked.append("table")
        keys.refuse_unknown()
        if not names:
            if "files" not in keys.table:
                keys.refuse("files", 'it is missing; add files = ["rules.tocsin"]')
            return None, table
        files = []
        for name in names:
            found = read_source_file(name, self.file.parent / name)
            if isinstance(found, SourceFile):
                files.append(found)
            else:
                keys.refuse("files", found)
        if len(files) < len(names):
            return None, table
        program, problems = joined_program(files, with_table=table is not None)
        self.top.problems.extend(f"subscriptions.files: {problem}" for problem in problems)
        if program is not None and not program.subscriptions:
            keys.refuse("files", "they hold no subscription; write SUBSCRIBE name MATCH […];")
        return program, table

    def _check_streams(
        self, program: Program, columns: EventColumns, sources: Mapping[str, Source]
    ) -> None:
        """See that every stream that is read has a source, and the time that was declared."""
        found = LiveProgram(program, default_stream=columns.stream)
        derived = {one.into for one in program.subscriptions if one.into is not None}
        read = {name for one in found.normal(program.subscriptions) for name in one.sources}
        for name in sorted(read - derived - set(sources)) if columns.streams is None else ():
            hint = did_you_mean(name, sources) or f"Add [sources.{name}]."
            self.top.refuse("sources", f"subscriptions read the stream '{name}'. {hint}")
        declared = [one for one in program.statements if isinstance(one, StreamDeclaration)]
        for one in declared:
            if one.name in read - derived and one.time not in (None, columns.time):
                msg = f"it is '{columns.time}', but STREAM {one.name} says TIME {one.time}"
                self.top.refuse("events.time", f"{msg}; let both name one column")

    def _sinks(self, keys: Keys, mode: Mode) -> dict[str, Sink]:
        for name in SINKS:
            keys.asked.append(name)
        found = {name: self._sink(keys.inner(name)) for name in keys.table if name in SINKS}
        if FORECASTS in keys.table:
            why = "there are no forecasts yet, since PREDICT does not run"
            keys.refuse(FORECASTS, f"{why}; leave the sink out")
            keys.asked.append(FORECASTS)
        keys.refuse_unknown()
        if NOTIFICATIONS not in keys.table:
            example = 'format = "parquet" and path = "alerts"'
            keys.refuse(NOTIFICATIONS, f"it is missing; add [sinks.notifications] with {example}")
        if LATE in keys.table and mode == "batch":
            keys.refuse(LATE, 'in a batch no event is late; leave it out, or say mode = "stream"')
        return found

    def _sink(self, keys: Keys) -> Sink:
        form, path, table = keys.text("format"), keys.text("path"), keys.text("table")
        self._check_place(keys, form, table)
        found = Sink(
            form,
            self._resolved(path, keys, must_exist=False),
            table,
            keys.choice("mode", _WRITE_MODES, "append"),
            keys.texts("partition_by"),
            keys.options("options"),
        )
        keys.refuse_unknown()
        return found

    def _streaming(self, mode: Mode) -> Streaming | None:
        keys = self.top.inner("stream")
        if mode == "batch":  # the table may stay there while one tries a batch
            for name in ("checkpoint", "trigger", "delay"):
                keys.text(name)
            keys.refuse_unknown()
            return None
        checkpoint = keys.text("checkpoint", example='[stream] with checkpoint = "checkpoint"')
        found = Streaming(
            self._resolved(checkpoint, keys, must_exist=False) or "",
            keys.text("trigger") or AVAILABLE_NOW,
            self._delay(keys),
        )
        keys.refuse_unknown()
        return found

    def _delay(self, keys: Keys) -> str:
        delay = keys.text("delay") or "0 s"
        try:
            parse_duration(delay)
        except DurationError as error:
            keys.refuse("delay", str(error))
        return delay

    def _settings(self, keys: Keys) -> dict[str, str]:
        """Return settings of Spark; dots in a key make tables of TOML, which are joined again."""
        found = {}
        for name, value in _leaves(keys.table, "spark"):
            if isinstance(value, bool):
                found[name] = str(value).lower()
            elif isinstance(value, str | int | float):
                found[name] = str(value)
            else:
                known = "a text, a number, true or false"
                msg = f"{name}: it must be {known}, and is {shown_type(value)}"
                self.top.problems.append(msg)
        return found


def _leaves(table: Mapping[str, Any], place: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        whole = name if name.startswith("spark.") else f"{place}.{name}"
        if isinstance(value, dict):
            yield from _leaves(value, whole)
        else:
            yield whole, value
