"""Rows of a pandas DataFrame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tocsin.errors import ConfigurationError
from tocsin.model.read.arrow import BATCH_ROWS, check_names, rows_of_columns
from tocsin.model.read.columns import Column, decode_column
from tocsin.model.read.source import Progress, Row, count_rows, reported


def read_frame(frame: Any, *, progress: Progress | None = None) -> Iterator[Row]:
    """Return the rows of a DataFrame; an index that has a name is a column like the others.

    Raises
    ------
    ConfigurationError
        A column has no string for a name or shares it, or the index holds times without a name.
    """
    table = _with_index(frame)
    names = list(table.columns)
    _check_names(names)
    return reported(_rows(table, names), progress, count_rows, len(table))


def _rows(table: Any, names: list[str]) -> Iterator[Row]:
    for start in range(0, len(table), BATCH_ROWS):
        part = table.iloc[start : start + BATCH_ROWS]
        columns = [_column(name, part[name]) for name in names]
        yield from rows_of_columns(start, len(part), columns)


def _with_index(frame: Any) -> Any:
    index = frame.index
    if type(index).__name__ == "DatetimeIndex" and index.name is None:
        msg = "the index of the DataFrame holds times but has no name; set frame.index.name = 'ts'"
        raise ConfigurationError(msg)
    levels = [name for name in index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=levels) if levels else frame


def _check_names(names: list[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            msg = f"the DataFrame has a column named {name!r}; give it a string for a name"
            raise ConfigurationError(msg)
    check_names(names, "the DataFrame")


def _column(name: str, series: Any) -> Column:
    """Return the cells; those of Python objects stay what they are, one by one."""
    if series.dtype == object:
        return Column(name, series.tolist())
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError):
        return Column(name, series.tolist())
    return decode_column(name, array)
