"""Notifications as the lines of a table; only its last column may be wrapped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from tocsin.cli.consoles import visible

_COLUMNS: Final = ("at", "subscription", "events", "values")
_GAP: Final = "  "
_LEAST_WIDTH: Final = 16
"""A last column that is narrower is not wrapped: the terminal does it as well."""


def table_lines(notifications: Sequence[Mapping[str, Any]], width: int | None) -> list[str]:
    r"""Return the lines of a table, its head first; none where there is no notification.

    Parameters
    ----------
    notifications
        As `Notifications.to_dicts` gives them.
    width
        How long a line may be; None where that does not matter.

    Examples
    --------
    >>> found = {"at": 0, "subscription": "high", "events": {"e": [0]}, "emit": {"x": 1}}
    >>> print("\n".join(table_lines([found], None)))
    at  subscription  events  values
    ────────────────────────────────
    0   high          e=0     x=1
    """
    if not notifications:
        return []
    rows = [(_left(found), _values(found)) for found in notifications]
    widths = _widths([_COLUMNS[:-1], *(left for left, _ in rows)])
    indent = sum(widths) + len(_GAP) * len(widths)
    body = []
    for left, values in rows:
        first, *others = _wrapped(values, None if width is None else width - indent)
        body.append(_line(left, widths, first))
        body += [_line(("",) * len(left), widths, other) for other in others]
    head = _line(_COLUMNS[:-1], widths, _COLUMNS[-1])
    longest = max(cell_len(line) for line in (head, *body))
    return [head, "─" * min(longest, width or longest), *body]


def _left(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells that are never wrapped."""
    return visible(str(found["at"])), visible(found["subscription"]), _events(found["events"])


def _widths(rows: Sequence[tuple[str, ...]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]


def _line(cells: Sequence[str], widths: Sequence[int], last: str) -> str:
    padded = (set_cell_size(cell, width) for cell, width in zip(cells, widths, strict=True))
    return _GAP.join((*padded, last)).rstrip()


def _wrapped(words: Sequence[str], room: int | None) -> list[str]:
    """Put words into lines; a word longer than a line is left to the terminal."""
    if room is None or room < _LEAST_WIDTH:
        return [" ".join(words)]
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _events(events: Mapping[str, list[int | None]]) -> str:
    said = []
    for alias, rows in events.items():
        if rows:
            shown = ",".join("clock" if row is None else str(row) for row in rows)
            said.append(f"{visible(alias)}={shown}")
    return " ".join(said)


def _values(found: Mapping[str, Any]) -> list[str]:
    values = found["emit"] or found["variables"]
    return [f"{visible(name)}={_shown(value)}" for name, value in values.items()]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "-" if value is None else visible(str(value))
