"""Notifications for people: as text at a prompt, as HTML in a notebook."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tocsin.model.dead_letter import DeadLetter

SHOWN: Final = 20
"""How many notifications are shown; the rest are counted."""

_COLUMNS: Final = ("subscription", "at", "position", "begin", "end", "events", "variables", "emit")
_DEGREES: Final = ("possibility", "necessity")


def to_text(
    shown: Sequence[Mapping[str, Any]], count: int, dead_letters: Sequence[DeadLetter]
) -> str:
    """Return a heading and one line for each notification that is shown, of so many."""
    more = [f"  … and {count - len(shown)} more"] if count > len(shown) else []
    return "\n".join([_heading(count, dead_letters), *map(_line, shown), *more])


def to_html(
    shown: Sequence[Mapping[str, Any]], count: int, dead_letters: Sequence[DeadLetter]
) -> str:
    """Return a table of the notifications that are shown, everything in it escaped."""
    columns = _COLUMNS if all(map(_is_crisp, shown)) else _COLUMNS + _DEGREES
    head = "".join(f"<th>{column}</th>" for column in columns)
    body = "".join(_table_row(row, columns) for row in shown)
    heading = html.escape(_heading(count, dead_letters))
    more = f"<p>… and {count - len(shown)} more</p>" if count > len(shown) else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if shown else ""
    return f"<div><p>{heading}</p>{table}{more}</div>"


def _heading(count: int, dead_letters: Sequence[DeadLetter]) -> str:
    letters = f", {_counted(len(dead_letters), 'dead letter')}" if dead_letters else ""
    return _counted(count, "notification") + letters


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _line(row: Mapping[str, Any]) -> str:
    position = "the clock" if row["position"] is None else f"position {row['position']}"
    events = [f"{alias}={_shown_rows(rows)}" for alias, rows in row["events"].items()]
    variables = [f"${name}={_json(value)}" for name, value in row["variables"].items()]
    emit = [f"{name}: {_json(value)}" for name, value in row["emit"].items()]
    parts = [row["subscription"], f"at {row['at']}", position, " ".join(events)]
    parts += [" ".join(variables), "{" + ", ".join(emit) + "}" if emit else "", _degree(row)]
    return "  " + "  ".join(part for part in parts if part)


def _shown_rows(rows: Sequence[int | None]) -> str:
    return _json(rows[0]) if len(rows) == 1 else _json(rows)


def _is_crisp(row: Mapping[str, Any]) -> bool:
    return all(row[degree] == 1 for degree in _DEGREES)


def _degree(row: Mapping[str, Any]) -> str:
    return "" if _is_crisp(row) else f"degree ({row['possibility']:g}, {row['necessity']:g})"


def _table_row(row: Mapping[str, Any], columns: Sequence[str]) -> str:
    cells = (_html_cell(row[column]) for column in columns)
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _html_cell(value: object) -> str:
    if isinstance(value, Mapping):
        return "<br>".join(html.escape(f"{key}: {_json(item)}") for key, item in value.items())
    return "" if value is None else html.escape(str(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
