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
_TOKEN: Final = re.compile(
    r"""--[^\r\n]*|/\*.*?\*/|`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\w+|\S""", re.DOTALL
)
_REMARKS: Final = ("--", "/*")
_NAME: Final = re.compile(r"\w+|`(?:[^`]|``)+`")
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
        shown = plain_name(name)
        if not rest:
            yield f"column '{shown}' has no type; write columns {_EXAMPLE}"
        elif rest[0].isidentifier() and rest[0].lower() not in _TYPES:
            hint = did_you_mean(rest[0].lower(), _TYPES) or f"Write {_SHOWN}, say."
            yield f"column '{shown}': '{rest[0]}' is no type of Spark. {hint}"


def column_names(schema: str) -> tuple[str, ...] | None:
    """Return the columns of a schema; None where it is not certain that they are all.

    Examples
    --------
    >>> column_names("ts timestamp, at struct<x: int, y: int> NOT NULL, `a b` decimal(9, 2)")
    ('ts', 'at', 'a b')
    >>> column_names("struct<ts: timestamp>") is None
    True
    """
    if any(column_problems(schema)) or not _is_closed(schema):
        return None
    found = []
    for name, first, *_ in _columns(schema):
        if _NAME.fullmatch(name) is None or not (first == ":" or first.isidentifier()):
            return None
        found.append(plain_name(name))
    return tuple(found)


def column_type(schema: str, name: str) -> str | None:
    """Return the type of a column, without its size; None where that is not certain.

    Examples
    --------
    >>> column_type("ts TIMESTAMP NOT NULL, v: decimal(9, 2)", "v")
    'decimal'
    >>> column_type("ts timestamp", "at") is None
    True
    """
    if column_names(schema) is None:
        return None
    types = {plain_name(own): rest[rest[0] == ":"].lower() for own, *rest in _columns(schema)}
    return types.get(name)


def plain_name(name: str) -> str:
    """Return a name as it is without quotes.

    Examples
    --------
    >>> plain_name("ts"), plain_name("`a``b`")
    ('ts', 'a`b')
    """
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def _is_closed(schema: str) -> bool:
    """Say whether every bracket has its other one, so that no comma was taken for another."""
    depth = 0
    for token in _tokens(schema):
        depth += (token in "<(") - (token in ">)")
        if depth < 0:
            return False
    return depth == 0


def _tokens(schema: str) -> Iterator[str]:
    return (one for one in _TOKEN.findall(schema) if not one.startswith(_REMARKS))


def _columns(schema: str) -> list[list[str]]:
    """Return the tokens of each column; commas in brackets separate none."""
    found: list[list[str]] = [[]]
    depth = 0
    for token in _tokens(schema):
        depth += (token in "<(") - (token in ">)")
        if token == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return found
