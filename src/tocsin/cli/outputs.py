"""Notifications in the form somebody wants: a table, JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import enum
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from tocsin.cli.consoles import output, say
from tocsin.errors import ConfigurationError
from tocsin.model.notification import Notifications


class OutputFormat(enum.StrEnum):
    """The forms of notifications."""

    TABLE = "table"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


_SUFFIXES: Final = {
    ".jsonl": OutputFormat.JSONL,
    ".ndjson": OutputFormat.JSONL,
    ".csv": OutputFormat.CSV,
    ".parquet": OutputFormat.PARQUET,
    ".txt": OutputFormat.TABLE,
}
_PLAIN: Final = ("subscription", "kind", "at", "position", "begin", "end")
_MAPPINGS: Final = ("events", "variables", "emit")
_COLUMNS: Final = ("at", "subscription", "events", "values")
_GAP: Final = "  "
_DEGREES: Final = ("possibility", "necessity")


def write_notifications(
    found: Notifications, form: OutputFormat | None, path: Path | None, *, limit: int
) -> None:
    """Write notifications to a file, or to standard output where no path is given.

    Raises
    ------
    ConfigurationError
        The form needs a file, or the file cannot be written.
    """
    chosen = form or _form_of(path)
    if chosen is OutputFormat.PARQUET:
        _write_parquet(found, path)
    elif chosen is OutputFormat.TABLE and path is None:
        show_table(found, limit=limit)
    else:
        _write_text(_text_of(found, chosen), path)


def check_writable(*paths: Path | None) -> None:
    """Refuse a file in a directory that is not there, before anything runs for it.

    Raises
    ------
    ConfigurationError
        The file cannot be written.
    """
    for path in paths:
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            why = "it is a directory" if path.is_dir() else "its directory is not there"
            msg = f"{path} cannot be written: {why}"
            raise ConfigurationError(msg)


def _form_of(path: Path | None) -> OutputFormat:
    if path is None:
        return OutputFormat.TABLE
    form = _SUFFIXES.get(path.suffix.lower())
    if form is None:
        msg = f"the name {path} does not tell a format; say --format jsonl, csv, parquet or table"
        raise ConfigurationError(msg)
    return form


def _write_parquet(found: Notifications, path: Path | None) -> None:
    if path is None:
        msg = "Parquet needs a file to go to; say --output alerts.parquet"
        raise ConfigurationError(msg)
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to load, and no other form needs it

    try:
        pq.write_table(found.to_arrow(), path)
    except OSError as error:
        raise _unwritable(path, error) from error


def _write_text(text: str, path: Path | None) -> None:
    if path is None:
        typer.echo(text, nl=False)
        return
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(f"{path} cannot be written: {error.strerror or error}")


def _text_of(found: Notifications, form: OutputFormat) -> str:
    if form is OutputFormat.JSONL:
        return found.to_json_lines()
    if form is OutputFormat.CSV:
        return to_csv(found)
    return f"{found!r}\n"


def to_csv(found: Notifications) -> str:
    """Return notifications as CSV; every alias, variable and emitted field has its column.

    Several rows of one alias stand in one cell, separated by spaces.
    """
    rows = [_flat(row) for row in found.to_dicts()]
    names = dict.fromkeys(name for row in rows for name in row)
    inner = [name for name in names if name.partition(".")[0] in _MAPPINGS]
    columns = [*_PLAIN, *sorted(inner, key=lambda name: _MAPPINGS.index(name.partition(".")[0]))]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*columns, *_DEGREES], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _flat(row: Mapping[str, Any]) -> dict[str, object]:
    flat = {name: _cell(value) for name, value in row.items() if name not in _MAPPINGS}
    for name in _MAPPINGS:
        flat.update({f"{name}.{key}": _cell(value) for key, value in row[name].items()})
    return flat


def _cell(value: object) -> object:
    if isinstance(value, list):
        return " ".join("" if item is None else str(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def show_table(found: Notifications, *, limit: int) -> None:
    """Show the first notifications as a table, and say how many there are besides."""
    shown = found if limit == 0 else found[:limit]
    rows = [
        (
            str(row["at"]),
            str(row["subscription"]),
            _events(row["events"]),
            _values(row["emit"] or row["variables"]),
        )
        for row in shown.to_dicts()
    ]
    if rows:
        console = output()
        console.print(_table(rows, console.width))
    if len(shown) < len(found):
        say(f"… {len(found) - len(shown):,} more; --limit 0 shows them all")


def _table(rows: Sequence[tuple[str, ...]], width: int) -> Table:
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.padding = (0, 1, 0, 0)
    for name, column in zip(_COLUMNS, _widths(rows, width), strict=True):
        table.add_column(name, width=column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _widths(rows: Sequence[tuple[str, ...]], width: int) -> list[int]:
    """Make columns narrow enough by breaking between words, the last column first."""
    columns = list(zip(_COLUMNS, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    for place in reversed(range(len(widths))):
        widest_word = max(len(word) for cell in columns[place] for word in cell.split() or [""])
        given = max(0, min(over, widths[place] - widest_word))
        widths[place] -= given
        over -= given
    return widths


def _events(events: Mapping[str, list[int | None]]) -> str:
    said = []
    for alias, rows in events.items():
        if rows:
            said.append(f"{alias}={','.join('clock' if row is None else str(row) for row in rows)}")
    return " ".join(said)


def _values(values: Mapping[str, object]) -> str:
    return " ".join(f"{name}={_shown(value)}" for name, value in values.items())


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "-" if value is None else str(value)
