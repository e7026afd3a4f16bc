"""Notifications in the form somebody wants: a table, JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import enum
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import typer

from tocsin.cli.consoles import output, say, write
from tocsin.cli.tables import table_lines
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
_DEGREES: Final = ("possibility", "necessity")


def write_notifications(
    found: Notifications,
    form: OutputFormat | None,
    path: Path | None,
    *,
    limit: int,
    typed: bool | None = None,
) -> None:
    """Write notifications to a file, or to standard output where no path is given.

    Parameters
    ----------
    limit
        How many rows a table has; 0 for all.
    typed
        Whether Parquet has typed columns; None where one subscription alone notified.

    Raises
    ------
    ConfigurationError
        The form needs a file, or the file cannot be written.
    """
    chosen = form or _form_of(path)
    if chosen is OutputFormat.PARQUET:
        _write_parquet(found, path, typed=typed)
    elif chosen is OutputFormat.TABLE:
        show_table(found, limit=limit, path=path)
    else:
        write_text(found.to_json_lines() if chosen is OutputFormat.JSONL else to_csv(found), path)


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


def _write_parquet(found: Notifications, path: Path | None, *, typed: bool | None) -> None:
    if path is None:
        msg = "Parquet needs a file to go to; say --output alerts.parquet"
        raise ConfigurationError(msg)
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to load, and no other form needs it

    if typed is None:
        typed = len({one.subscription for one in found}) == 1
    table = found.to_arrow(typed=typed)
    try:
        pq.write_table(table, path)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_text(text: str, path: Path | None) -> None:
    """Write to a file, or to standard output; what cannot be written is said in words."""
    if path is None:
        typer.echo(text, nl=False)
        return
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(f"{path} cannot be written: {error.strerror or error}")


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


def show_table(found: Notifications, *, limit: int, path: Path | None = None) -> None:
    """Show the first notifications as a table, and say how many there are besides.

    Lines are as long as they must be, except in a terminal, where the last column is wrapped.
    """
    shown = found if limit == 0 else found[:limit]
    console = output()
    width = console.width if path is None and console.is_terminal else None
    lines = table_lines(shown.to_dicts(), width)
    if path is not None:
        write_text("".join(f"{line}\n" for line in lines), path)
    elif lines:
        write(lines[0], style="bold")
        write("\n".join(lines[1:]))
    if len(shown) < len(found):
        say(f"… {len(found) - len(shown):,} more; --limit 0 shows them all")
