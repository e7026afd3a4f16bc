"""A back-test with the embedded engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tocsin.api import match
from tocsin.cli.backtesting.results import MOST_REASONS, BadRows, Tally, key_text
from tocsin.cli.inputs import EventRows
from tocsin.cli.notes import SeenStream, Watch
from tocsin.errors import ConfigurationError
from tocsin.language.explain.normal_form import default_stream
from tocsin.language.tree import Program, StreamDeclaration
from tocsin.model.controls import COMMANDS
from tocsin.model.notification import Notifications
from tocsin.model.read import read_events
from tocsin.model.rows import TIME_NAMES
from tocsin.testing.scenario_inputs import cell_types, joined

_COMMANDED: Final = {"$stream", *COMMANDS}
"""Columns with which not every row is an event of one stream."""
_SUFFIXES: Final = (".parquet", ".csv", ".jsonl", ".ndjson", ".arrow")


@dataclass(frozen=True, slots=True)
class History:
    """Where the events of a back-test are, what carries their time, and who looks at them."""

    paths: Sequence[Path]
    time: str | None
    stream: str | None
    watch: Watch

    def files(self) -> list[Path]:
        """Return the files; those of a directory in the order of their names.

        Raises
        ------
        ConfigurationError
            There is none.
        """
        found: list[Path] = []
        for path in self.paths:
            inside = sorted(path.rglob("*")) if path.is_dir() else [path]
            kept = [one for one in inside if one.suffix in _SUFFIXES] if path.is_dir() else inside
            if not kept or not path.exists():
                what = "no file of events in" if path.is_dir() else "no file or directory"
                msg = f"there is {what} {path}; events are in {', '.join(_SUFFIXES)}"
                raise ConfigurationError(msg)
            found += kept
        return found

    def time_column(self, program: Program, names: Sequence[str]) -> str | None:
        """Return which of several columns carries the time, None where nothing tells."""
        declared = [s.time for s in program.statements if isinstance(s, StreamDeclaration)]
        wanted = [self.time, *declared, *TIME_NAMES]
        return next((name for name in wanted if name in names), None)

    def see(
        self, time: str | None, rows: int, names: Sequence[str], ends: Iterable[int | None] | None
    ) -> None:
        """Note what a table holds; `ends` are its least and greatest time, if those are numbers."""
        if not _COMMANDED & {*names}:
            least, most = (None, None) if ends is None else ends
            seen = SeenStream(time, rows, {*names}, least, most)
            self.watch.streams[self.watch.default] = seen


def tallies(program: Program, history: History) -> tuple[list[Tally], BadRows]:
    """Return how often each subscription fired with which variables, and which rows were bad.

    Events of Parquet files are put in the order of their time; others must have it.
    """
    files = history.files()
    if all(path.suffix == ".parquet" for path in files):
        events, places = _table(program, history, files)
    else:
        events, places = _rows(program, history, files), str
    found = match(events, program, time=history.time, stream=history.stream)
    letters = found.dead_letters
    reasons = tuple(f"row {places(one.row)}: {one.reason}" for one in letters[:MOST_REASONS])
    return list(_counted(found)), BadRows(len(letters), reasons)


def _table(
    program: Program, history: History, files: Sequence[Path]
) -> tuple[Any, Callable[[int], str]]:
    """Return all events of Parquet files as one table, and what tells where a row of it stood."""
    try:
        table: Any = pq.read_table([str(path) for path in files])
        ends = np.cumsum([pq.read_metadata(str(path)).num_rows for path in files])
    except (OSError, ValueError) as error:
        msg = f"{files[0]} and the files beside it cannot be read: {error}"
        raise ConfigurationError(msg) from error
    time = history.time_column(program, table.column_names)
    if table.num_rows:
        times: Any = None if time is None else table[time]
        is_number = times is not None and pa.types.is_integer(times.type)
        numbers = [pc.min(times).as_py(), pc.max(times).as_py()] if is_number else None
        history.see(time, table.num_rows, table.column_names, numbers)
    rows: Any = np.arange(table.num_rows)
    if time is not None:
        rows = pc.sort_indices(table, sort_keys=[(time, "ascending")]).to_numpy()
        table = table.take(pa.array(rows))
    return table, partial(_place, files, ends, rows)


def _place(files: Sequence[Path], ends: Any, rows: Any, row: int) -> str:
    """Return the number of a row in its file, and the file where there are several."""
    file = int(np.searchsorted(ends, rows[row], side="right"))
    own = int(rows[row]) - (int(ends[file - 1]) if file else 0)
    return f"{own} of {files[file]}" if len(files) > 1 else str(own)


def _rows(program: Program, history: History, files: Sequence[Path]) -> EventRows:
    schema = cell_types(program, history.stream or default_stream(program))
    return EventRows(joined(read_events(path, schema=schema) for path in files), history.watch)


def _counted(found: Notifications) -> Iterator[Tally]:
    table: Any = found.to_arrow()
    moments = table["at"].cast("int64").to_pylist()
    names = table["subscription"].to_pylist()
    counts: dict[tuple[str, str], list[int]] = {}
    for name, variables, at in zip(names, table["variables"].to_pylist(), moments, strict=True):
        tally = counts.setdefault((name, key_text(dict(variables))), [0, at, at])
        tally[0] += 1
        tally[1], tally[2] = min(tally[1], at), max(tally[2], at)
    for (name, key), (count, first, last) in counts.items():
        yield Tally(name, key, count, first, last)
