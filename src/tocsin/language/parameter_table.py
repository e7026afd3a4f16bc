"""A table of parameters, column by column, with errors that name row and column."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import pyarrow as pa

from tocsin.errors import ConfigurationError
from tocsin.language.builder.values import constant, count_of, duration_of, moment_of
from tocsin.language.suggest import nearest
from tocsin.language.tree import Literal
from tocsin.model.durations import US_PER_MS
from tocsin.model.values import Duration

_MISSING: Final = object()
_BRACE: Final = re.compile(r"[{}]")


class ParameterTable:
    """The columns of a `pyarrow.Table`, a pandas frame or a list of dicts.

    Parameters
    ----------
    first_row
        What messages call the first row.

    Examples
    --------
    >>> ParameterTable([{"user": "ann"}, {"user": "bob"}]).column("user", str)
    ['ann', 'bob']
    """

    def __init__(self, table: object, *, first_row: int = 1) -> None:
        self._table = table
        self._first_row = first_row
        if isinstance(table, pa.Table | pa.RecordBatch):
            self.names = list(table.schema.names)
        elif hasattr(table, "columns") and hasattr(table, "iloc"):  # pandas, without importing it
            self.names = list(table.columns)
        elif isinstance(table, list | tuple) and all(isinstance(row, Mapping) for row in table):
            self.names = list(dict.fromkeys(name for row in table for name in row))
        else:
            shown = type(table).__name__
            msg = f"a {shown} is no table; give a pyarrow.Table, a pandas frame or a list of dicts"
            raise ConfigurationError(msg)

    @property
    def height(self) -> int:
        """How many rows there are."""
        table: Any = self._table
        return len(table)

    def column(self, name: str, fit: Callable[[object], Any]) -> list[Any]:
        """Return a column, each value made to fit; equal values become one object."""
        fitted: dict[tuple[type, object], Any] = {}
        found = []
        for row, value in enumerate(self._values(name), self._first_row):
            if value is None or value is _MISSING or _is_nan(value):
                self._refuse_gap(name, row, value)
            try:
                key = (type(value), value)
                made = fitted.get(key)
                if made is None:
                    made = fitted[key] = fit(value)
            except (ConfigurationError, TypeError) as error:
                self._refuse_value(name, row, value, error)
            found.append(made)
        return found

    def _values(self, name: str) -> list[Any]:
        table: Any = self._table
        if not self.names and not self.height:  # no rows, so nobody said which columns there are
            return []
        if self.names.count(name) != 1:
            self._refuse_column(name)
        if isinstance(table, pa.Table | pa.RecordBatch):
            return list(table.column(name).to_pylist())
        if isinstance(table, list | tuple):
            return [row.get(name, _MISSING) for row in table]
        return [
            None if gap else value
            for value, gap in zip(table[name].tolist(), table[name].isna().tolist(), strict=True)
        ]

    def _refuse_column(self, name: str) -> NoReturn:
        several = self.names.count(name)
        names = [str(name) for name in self.names]
        near = nearest(name, names)
        hint = f"It has: {', '.join(names)}."
        if near is not None:
            hint = f"It has '{near}': call that column '{name}', or write {{{near}}}."
        msg = f"the table has no column '{name}' for the parameter {{{name}}}. {hint}"
        if several:
            msg = f"the table has {several} columns '{name}'; rename all but one"
        raise ConfigurationError(msg)

    def _refuse_gap(self, name: str, row: int, value: object) -> NoReturn:
        gap = "the key" if value is _MISSING else "the value"
        msg = f"row {row}, column '{name}': {gap} is missing; give one, or leave the row out"
        raise ConfigurationError(msg)

    def _refuse_value(self, name: str, row: int, value: object, error: Exception) -> NoReturn:
        reason = str(error)
        if isinstance(error, TypeError):
            reason = f"a {type(value).__name__} is no value; give a number, a string or a time"
        msg = f"row {row}, column '{name}': {reason}"
        raise ConfigurationError(msg) from error


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def fit_value(value: object) -> Literal:
    """Fit a value where a constant stands."""
    return Literal(constant(float(value) if isinstance(value, decimal.Decimal) else value))


def fit_length_of_time(value: object) -> Duration:
    """Fit text such as `"5 min"`, a `timedelta` or an integer in milliseconds.

    Examples
    --------
    >>> fit_length_of_time("5 min"), fit_length_of_time(250)
    (Duration(300000000), Duration(250000))
    """
    whole = _whole(value)
    duration = duration_of(value) if whole is None else Duration(whole * US_PER_MS)
    if duration < 0:
        msg = f"{value!r} is not a length of time; it cannot be negative"
        raise ConfigurationError(msg)
    return duration


def fit_beside_duration(value: object) -> Literal:
    """Fit a value beside a length of time: another one, or a moment to take it from."""
    if isinstance(value, dt.date):
        return Literal(moment_of(value))
    whole = _whole(value)
    return Literal(duration_of(value) if whole is None else Duration(whole * US_PER_MS))


def fit_moment(value: object) -> Literal:
    """Fit a `datetime`, ISO text or an integer in milliseconds where a time stands."""
    return Literal(moment_of(value))


def fit_count(value: object) -> int:
    """Fit a whole number that is not negative."""
    whole = _whole(value)
    return count_of(value if whole is None else whole, "a whole number")


def fit_name(value: object) -> str:
    """Fit a value into the name of a subscription."""
    whole = _whole(value)
    if whole is not None:
        return str(int(whole))
    text = str(value) if isinstance(value, str | dt.date) else ""
    if text and not _BRACE.search(text):
        return text
    msg = f"{value!r} cannot be part of a name; give text without braces or a whole number"
    raise ConfigurationError(msg)


def _whole(value: object) -> int | None:
    """Return a plain whole number; a frame that once had gaps keeps them as floats."""
    if isinstance(value, Duration | bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None
