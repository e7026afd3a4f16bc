"""Read the rows of a file, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, TypeAlias

from tocsin.errors import ConfigurationError
from tocsin.model.event import Schema
from tocsin.model.read.csv import read_csv
from tocsin.model.read.formats import FORMATS, Format, sniff_format, telling_suffix
from tocsin.model.read.jsonl import read_jsonl
from tocsin.model.read.source import STDIN, Progress, Row, guarded, open_source, reported

_Parse: TypeAlias = Callable[[IO[bytes]], Iterator[Row]]


def read_events(
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,  # noqa: A002 - the word users know it by
    schema: Schema | None = None,
    delimiter: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """Return the rows of a file with their numbers; a row that cannot be read is a dead letter.

    Parameters
    ----------
    path
        A file in one of the `FORMATS`; JSONL and CSV may be packed with gzip. `-` is standard
        input, JSON lines unless `format` says CSV.
    format
        Without it, `sniff_format` decides.
    schema
        The declared types, by which the cells of a CSV file are read.
    delimiter
        What separates the cells of a CSV file; a comma, or a tab where the name ends in `.tsv`.
    progress
        Called now and then with what is done so far and the total, where that is known.

    Raises
    ------
    ConfigurationError
        The file cannot be read at all; at once where the beginning shows it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write('{"ts": 1000, "status": "denied"}')
    ...     file.flush()
    ...     list(read_events(file.name))
    [(0, {'ts': 1000, 'status': 'denied'})]
    """
    name = os.fspath(path)
    chosen = _checked(name, format or sniff_format(name), delimiter)
    if chosen == "jsonl":
        rows = _text_rows(name, read_jsonl, progress)
    elif chosen == "csv":
        parse = partial(read_csv, name=name, schema=schema, delimiter=_delimiter(name, delimiter))
        rows = _text_rows(name, parse, progress)
    else:
        rows = _table_rows(name, chosen, progress)
    return rows if name == STDIN else _begun(rows)


def _checked(name: str, chosen: Format, delimiter: str | None) -> Format:
    if chosen not in FORMATS:
        msg = f"unknown format '{chosen}'; the formats are {', '.join(FORMATS)}"
        raise ConfigurationError(msg)
    if chosen in ("parquet", "arrow") and (name == STDIN or name.lower().endswith(".gz")):
        msg = f"'{name}' cannot be read as {chosen}; give a file on disk that is not packed"
        raise ConfigurationError(msg)
    if delimiter is not None and (chosen != "csv" or len(delimiter) != 1):
        msg = f"the delimiter {delimiter!r} does not fit; it is one character, and for CSV only"
        raise ConfigurationError(msg)
    return chosen


def _delimiter(name: str, delimiter: str | None) -> str | None:
    return "\t" if delimiter is None and telling_suffix(name) == ".tsv" else delimiter


def _text_rows(name: str, parse: _Parse, progress: Progress | None) -> Iterator[Row]:
    with open_source(name) as source:
        rows = guarded(name, parse(source.stream))
        yield from reported(rows, progress, source.done, source.total)


def _table_rows(name: str, chosen: Format, progress: Progress | None) -> Iterator[Row]:
    from tocsin.model.read import arrow  # noqa: PLC0415 - slow to load, and text needs none of it

    read = arrow.read_parquet if chosen == "parquet" else arrow.read_ipc
    return read(name, progress=progress)


def _begun(rows: Iterator[Row]) -> Iterator[Row]:
    """Read the first row now, so that a file that cannot be read fails here and not later."""
    first = next(rows, None)
    return iter(()) if first is None else _resumed(first, rows)


def _resumed(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest
