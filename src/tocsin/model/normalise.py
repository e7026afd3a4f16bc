"""Make the value of a row a value of an event: plain, in 64 bits, of the declared kind."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, TypeAlias

from tocsin.errors import TimeError
from tocsin.model.dead_letter import DeadLetterKind, RowRefused
from tocsin.model.times import parse_time
from tocsin.model.values import (
    INTEGER_MAX,
    INTEGER_MIN,
    Duration,
    Kind,
    Timestamp,
    Value,
    kind_of,
    show_value,
)

_MICROSECOND: Final = dt.timedelta(microseconds=1)
# The missing values of pandas are singletons of types of their own.
_PANDAS_MISSING: Final = frozenset({"NaTType", "NAType"})

_Convert: TypeAlias = Callable[[str, Any], Value]


def normalise(name: str, value: object, kind: Kind = Kind.UNKNOWN) -> Value:
    """Return what an event carries for an attribute; None where the value is missing.

    Parameters
    ----------
    name
        The attribute, for the message.
    value
        Anything: what JSON, a table or a caller gave.
    kind
        What the schema declares; `UNKNOWN` takes every kind as it comes.

    Raises
    ------
    RowRefused
        No event carries such a value, or the attribute is declared otherwise.

    Examples
    --------
    >>> normalise("count", 3.0, Kind.INTEGER), normalise("ts", 1000, Kind.TIMESTAMP)
    (3, Timestamp(1000000))
    >>> normalise("rent", float("nan")) is None
    True
    """
    plain = _PLAIN.get(type(value), _plain_other)(name, value)
    if plain is None or kind is Kind.UNKNOWN:
        return plain
    return _DECLARED[kind](name, plain)


def is_text(text: str) -> bool:
    """Say whether a string can be written as UTF-8; JSON can smuggle in half a character."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _plain_same(_name: str, value: Any) -> Value:
    return value  # type: ignore[no-any-return]  # the table below calls it for exact types only


def _plain_int(name: str, value: int) -> int:
    if INTEGER_MIN <= value <= INTEGER_MAX:
        return value
    what = f"{show_value(value)} is an integer outside 64 bits; send it as a string or a float"
    raise _refused(name, what, "out_of_range")


def _plain_float(_name: str, value: float) -> float | None:
    return None if math.isnan(value) else value


def _plain_str(name: str, value: str) -> str:
    if is_text(value):
        return value
    raise _refused(name, f"{show_value(value)} is not Unicode text", "bad_encoding")


def _plain_time(name: str, value: object) -> Timestamp:
    try:
        return parse_time(value)
    except TimeError as error:
        raise _refused(name, str(error), "bad_time") from error


def _plain_delta(name: str, value: dt.timedelta) -> Duration:
    if getattr(value, "nanoseconds", 0):  # only pandas.Timedelta has them
        raise _refused(name, f"{show_value(value)} is finer than a microsecond", "bad_type")
    return Duration(_plain_int(name, value // _MICROSECOND))


def _plain_other(name: str, value: Any) -> Value:
    """Subclasses of the plain types, NumPy's scalars, pandas' missing values."""
    if type(value).__module__ == "numpy":
        return _plain_numpy(name, value)
    if type(value).__name__ in _PANDAS_MISSING:
        return None
    for base, convert in _SUBCLASSES:
        if isinstance(value, base):
            return convert(name, value)
    raise _not_carried(name, value)


def _plain_numpy(name: str, value: Any) -> Value:
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in ("M", "m"):
        return _plain_numpy_time(name, value, "datetime64" if kind == "M" else "timedelta64")
    item = value.item() if getattr(value, "shape", None) == () else value
    if type(item).__module__ == "numpy":
        raise _not_carried(name, value)
    return normalise(name, item)


def _plain_numpy_time(name: str, value: Any, dtype: str) -> Value:
    if str(value) == "NaT":
        return None
    micro = value.astype(f"{dtype}[us]")
    if micro != value:
        raise _refused(name, f"{value!s} is finer than a microsecond", "bad_time")
    us = int(micro.astype("int64"))
    return Timestamp(us) if dtype == "datetime64" else Duration(us)


def _refuse_dict(name: str, value: dict[object, object]) -> Value:
    if "fuzzy" in value:
        what = f"{show_value(value)} is a fuzzy value; those come later, send a plain one"
        raise _refused(name, what, "fuzzy")
    raise _not_carried(name, value)


def _as_boolean(name: str, value: Value) -> Value:
    if isinstance(value, bool):
        return value
    raise _not_declared(name, value, Kind.BOOLEAN)


def _as_integer(name: str, value: Value) -> Value:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():  # tables make floats of integers
        return _plain_int(name, int(value))
    raise _not_declared(name, value, Kind.INTEGER)


def _as_float(name: str, value: Value) -> Value:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise _not_declared(name, value, Kind.FLOAT)


def _as_string(name: str, value: Value) -> Value:
    if isinstance(value, str):
        return value
    raise _not_declared(name, value, Kind.STRING)


def _as_timestamp(name: str, value: Value) -> Value:
    return _plain_time(name, value)


def _as_duration(name: str, value: Value) -> Value:
    if isinstance(value, Duration):
        return value
    raise _not_declared(name, value, Kind.DURATION)


def _not_declared(name: str, value: Value, kind: Kind) -> RowRefused:
    found = kind_of(value).value
    return _refused(name, f"{show_value(value)} is {found}, but {kind.value} is declared")


def _not_carried(name: str, value: object) -> RowRefused:
    hint = next((hint for base, hint in _HINTS if isinstance(value, base)), "")
    what = f"{show_value(value)} is a {type(value).__name__}, which no event carries"
    return _refused(name, what + hint)


def _refused(name: str, what: str, kind: DeadLetterKind = "bad_type") -> RowRefused:
    return RowRefused(kind, f"attribute {show_value(name)}: {what}")


_HINTS: Final[tuple[tuple[type | tuple[type, ...], str], ...]] = (
    (Decimal, "; send a float or a string"),
    ((list, tuple, set, frozenset), "; send one row for each item"),
    (dict, "; send its parts as attributes of their own"),
    ((bytes, bytearray), "; send a string"),
)
_PLAIN: Final[dict[type, _Convert]] = {
    type(None): _plain_same,
    bool: _plain_same,
    int: _plain_int,
    float: _plain_float,
    str: _plain_str,
    Timestamp: _plain_same,
    Duration: _plain_same,
    dt.datetime: _plain_time,
    dt.date: _plain_time,
    dt.timedelta: _plain_delta,
    dict: _refuse_dict,
}
_SUBCLASSES: Final[tuple[tuple[type, _Convert], ...]] = (
    (int, lambda name, value: _plain_int(name, int(value))),
    (float, lambda name, value: _plain_float(name, float(value))),
    (str, lambda name, value: _plain_str(name, str.__str__(value))),
    (dt.date, _plain_time),  # a datetime is one too
    (dt.timedelta, _plain_delta),
    (dict, _refuse_dict),
)
_DECLARED: Final[dict[Kind, _Convert]] = {
    Kind.BOOLEAN: _as_boolean,
    Kind.INTEGER: _as_integer,
    Kind.FLOAT: _as_float,
    Kind.STRING: _as_string,
    Kind.TIMESTAMP: _as_timestamp,
    Kind.DURATION: _as_duration,
}
