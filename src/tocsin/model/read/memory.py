"""Rows of what a caller has in memory: dicts, an Arrow table, a DataFrame; or of a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any, cast

from tocsin.errors import ConfigurationError
from tocsin.model.read.files import read_events
from tocsin.model.read.source import Progress, Row, count_rows, reported


def rows_of(events: object, *, progress: Progress | None = None) -> Iterator[Row]:
    """Return the numbered rows of an iterable of dicts, a table, a DataFrame or a file's path.

    A table is one of pyarrow, or of any library that hands tables over as Arrow streams.
    What an iterable yields is passed on as it is: `Intake` says which of it are events.

    Raises
    ------
    ConfigurationError
        It is none of these.

    Examples
    --------
    >>> list(rows_of([{"ts": 1000}, {"ts": 2000}]))
    [(0, {'ts': 1000}), (1, {'ts': 2000})]
    """
    if isinstance(events, str | os.PathLike):
        return read_events(events, progress=progress)
    if _is_of("pandas", "DataFrame", events):
        from tocsin.model.read.frame import read_frame  # noqa: PLC0415 - loads pyarrow

        return read_frame(events, progress=progress)
    if hasattr(events, "__arrow_c_stream__") or _is_of("pyarrow", "RecordBatch", events):
        return _arrow_rows(events, progress)
    return _iterable_rows(events, progress)


def _is_of(library: str, name: str, events: object) -> bool:
    """Say whether this is an object of that class, without loading the library."""
    bases = type(events).__mro__
    return any(b.__name__ == name and b.__module__.split(".")[0] == library for b in bases)


def _arrow_rows(events: Any, progress: Progress | None) -> Iterator[Row]:
    """Return the rows of an Arrow table, or of another library's that can hand over as one."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    from tocsin.model.read.arrow import check_names, rows_of_batches  # noqa: PLC0415 - the same

    try:
        table = pa.table(events) if isinstance(events, pa.RecordBatch) else events
        reader = pa.RecordBatchReader.from_stream(table)
    except pa.ArrowException as error:
        raise ConfigurationError(_not_events(events)) from error
    check_names(reader.schema.names, "the table")
    total = getattr(events, "num_rows", None)
    return reported(rows_of_batches(reader), progress, count_rows, total)


def _iterable_rows(events: object, progress: Progress | None) -> Iterator[Row]:
    library = type(events).__module__.split(".")[0]
    is_column = library in ("numpy", "pandas", "pyarrow")
    if is_column or not isinstance(events, Iterable) or isinstance(events, Mapping | bytes):
        raise ConfigurationError(_not_events(events))
    # What stands in a row is for `Intake` to judge.
    rows = cast(Iterator[Row], enumerate(events))
    total = len(events) if isinstance(events, Sized) else None
    return reported(rows, progress, count_rows, total)


def _not_events(events: object) -> str:
    hint = "put it in a list: [event]" if isinstance(events, Mapping) else "give a list of dicts"
    return f"{type(events).__name__} is no stream of events; {hint}, a table or a path"
