"""The columns of a source, `ts timestamp, ip string`, looked over without Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tocsin.language.suggest import did_you_mean

_TYPES: Final = (
    "boolean", "tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long", "float",
    "real", "double", "decimal", "dec", "numeric", "date", "time", "timestamp", "timestamp_ntz",
    "timestamp_ltz", "string", "char", "character", "varchar", "binary", "void", "interval",
    "array", "struct", "map", "variant", "geometry", "geography",
)  # fmt: skip
_SHOWN: Final = "bigint, boolean, date, double, int, string or timestamp"
_TOKEN: Final = re.compile(r"`(?:[^`]|``)*`|'[^']*'|\"[^\"]*\"|\w+|\S")
_EXAMPLE: Final = 'as in "ts timestamp, ip string"'


def column_problems(schema: str) -> Iterator[str]:
    """Yield what is surely wrong with the columns of a schema; Spark judges the rest.

    Examples
    --------
    >>> list(column_problems("ts timestamp, tags array<string>, `a b` decimal(9, 2) NOT NULL"))
    []
    >>> list(column_problems("ts timestmap"))
    ["column 'ts': 'timestmap' is no type of Spark. Did you mean 'timestamp'?"]
    >>> print(*column_problems("ts, ip string"))
    column 'ts' has no type; write columns as in "ts timestamp, ip string"
    >>> print(*column_problems(" "))
    it names no column; write columns as in "ts timestamp, ip string"
    """
    if not schema.strip():
        yield f"it names no column; write columns {_EXAMPLE}"
        return
    for column in _columns(schema):
        if not column:
            yield f"there is a comma too many; write columns {_EXAMPLE}"
            continue
        name, *rest = column
        shown = name.strip("`")
        if not rest:
            yield f"column '{shown}' has no type; write columns {_EXAMPLE}"
        elif rest[0].isidentifier() and rest[0].lower() not in _TYPES:
            hint = did_you_mean(rest[0].lower(), _TYPES) or f"Write {_SHOWN}, say."
            yield f"column '{shown}': '{rest[0]}' is no type of Spark. {hint}"


def _columns(schema: str) -> list[list[str]]:
    """Return the tokens of each column; commas in brackets separate none."""
    found: list[list[str]] = [[]]
    depth = 0
    for token in _TOKEN.findall(schema):
        depth += (token in "<(") - (token in ">)")
        if token == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return found
