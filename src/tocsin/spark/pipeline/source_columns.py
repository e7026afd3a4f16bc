"""Which columns a source gives, as far as its schema tells without Spark."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from tocsin.spark.pipeline.ddl import column_names, plain_name
from tocsin.spark.pipeline.places import has_scheme
from tocsin.spark.pipeline.settings import Source

_TAKE_SCHEMAS: Final = ("csv", "json", "parquet", "orc", "text", "xml", "avro")
"""Formats that give the columns that they are told, and those of folders such as day=2026-03-02."""
_SELECTED: Final = re.compile(
    r"(?P<expression>.*\sAS\s+)?(?P<name>\w+|`(?:[^`]|``)+`)", re.IGNORECASE | re.DOTALL
)
_REMARK: Final = re.compile(r"--|/\*")
_PATTERN: Final = re.compile(r"[*?\[{\\]")
"""Signs of a path that stands for several, which are Spark's to find."""


@dataclass(frozen=True)
class SourceColumns:
    """The columns of a source.

    Attributes
    ----------
    key
        The key that says which they are: `schema` or `select`; None where Spark has looked.
    names
        Those that it surely has.
    path
        Where folders may give more; None where all are known.
    """

    key: str | None
    names: tuple[str, ...]
    path: str | None

    def lacks(self, name: str) -> bool | None:
        """Say whether a column is missing; None where Spark alone can look for folders of it."""
        if name in self.names:
            return False
        if self.path is None:
            return True
        return None if self.folders is None else name.lower() not in self.folders

    @cached_property
    def folders(self) -> frozenset[str] | None:
        """The columns of folders, in small letters; None where they are out of sight."""
        return None if self.path is None else _folders_of(self.path)


def source_columns(source: Source) -> SourceColumns | None:
    """Return the columns of a source; None where its data tell, or an expression of SQL.

    Examples
    --------
    >>> source_columns(Source("csv", "in", schema="at date, v int", select=("at AS ts", "v")))
    SourceColumns(key='select', names=('ts', 'v'), path=None)
    """
    if source.schema is None or (source.format or "").lower() not in _TAKE_SCHEMAS:
        return None
    has_more_paths = any(name.lower() == "path" for name in source.options)
    names = column_names(source.schema)
    if names is None or source.path is None or has_more_paths:
        return None
    if not source.select:
        return SourceColumns("schema", names, source.path)
    selected = _selected(source.select, names)
    if selected is None:
        return None
    is_open = any(one.strip() == "*" for one in source.select)
    return SourceColumns("select", selected, source.path if is_open else None)


def _selected(select: Iterable[str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return what expressions are called; None where one of them has no name that shows."""
    found: list[str] = []
    for text in map(str.strip, select):
        parts = _SELECTED.fullmatch(text)
        if text == "*":
            found.extend(names)
        elif parts is None or _REMARK.search(text):
            return None
        else:
            name = plain_name(parts["name"])
            if parts["expression"] is None and name not in names:
                return None  # a function without brackets, say, or a column of a folder
            found.append(name)
    return tuple(found)


def _folders_of(path: str) -> frozenset[str] | None:
    """Return the columns of folders such as day=2026-03-02 on the way to a path and below it."""
    if has_scheme(path) or _PATTERN.search(path) or not Path(path).exists():
        return None
    found, seen = set(Path(path).parts), set[str]()
    troubles: list[OSError] = []
    for place, folders, _ in os.walk(path, followlinks=True, onerror=troubles.append):
        if (real := os.path.realpath(place)) in seen:
            folders.clear()  # a link that leads back
            continue
        seen.add(real)
        found.update(folders)
    return None if troubles else frozenset(filter(None, map(_column_of, found)))


def _column_of(folder: str) -> str | None:
    name, sign, _ = folder.partition("=")
    return unquote(name).lower() if sign else None
