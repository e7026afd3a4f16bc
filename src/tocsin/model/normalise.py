"""Make the value of a row a value of an event: plain, in 64 bits, of the declared kind."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping, Sequence, Set
from decimal import Decimal
from typing import Any, Final, TypeAlias

from tocsin.errors import TimeError
from tocsin.model.dead_letter import DeadLetterKind, RowRefused
from tocsin.model.show import show_value
from tocsin.model.times import parse_time, too_fine
from tocsin.model.values import (
    INTEGER_MAX,
    INTEGER_MIN,
    Duration,
    Kind,
    Timestamp,
    Value,
    kind_of,
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


def normalise_undeclared(name: str, value: object) -> Value:
    """Return what an event carries for an attribute that its stream does not declare.

    Nested values are left out there: nobody has promised anything else, and the rest of the row
    is of use without them.

    Examples
    --------
    >>> normalise_undeclared("rent", 5), normalise_undeclared("rooms", [2, 3])
    (5, None)
    """
    return None if is_nested(value) else normalise(name, value)


def is_nested(value: object) -> bool:
    """Say whether a value holds several: a list, an object, an array. A fuzzy value is one value.

    Examples
    --------
    >>> is_nested([2]), is_nested({"a": 1}), is_nested({"fuzzy": "cheap"}), is_nested("text")
    (True, True, False, False)
    """
    if type(value) in _ONE_VALUE:
        return False
    if isinstance(value, Mapping):
        return "fuzzy" not in value
    if type(value).__module__ == "numpy":
        return getattr(value, "shape", ()) != () or _dtype_kind(value) == "V"  # V is a record
    return isinstance(value, Sequence | Set) and not isinstance(value, _TEXTS)


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
        raise _refused(name, too_fine(show_value(value)), "bad_time")
    return Duration(_plain_int(name, value // _MICROSECOND))


def _plain_decimal(name: str, value: Decimal) -> Value:
    """Return the integer or the float that equals a decimal exactly; rounding is for the sender."""
    if value.is_nan():
        return None
    if INTEGER_MIN <= value <= INTEGER_MAX and value == value.to_integral_value():
        return int(value)
    nearest = float(value)
    if Decimal.from_float(nearest) == value:
        return nearest
    what = f"{show_value(value)} is a decimal that no integer and no float equals exactly"
    raise _refused(name, f"{what}; cast it to a float or a string")


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
    kind = _dtype_kind(value)
    if kind in ("M", "m"):
        return _plain_numpy_time(name, value, "datetime64" if kind == "M" else "timedelta64")
    item = value.item() if getattr(value, "shape", None) == () else value
    if type(item).__module__ == "numpy":
        raise _not_carried(name, value)
    return normalise(name, item)


def _dtype_kind(value: Any) -> str:
    return getattr(getattr(value, "dtype", None), "kind", "")


def _plain_numpy_time(name: str, value: Any, dtype: str) -> Value:
    if str(value) == "NaT":
        return None
    micro = value.astype(f"{dtype}[us]")
    if micro != value:
        raise _refused(name, too_fine(f"{value!s}"), "bad_time")
    us = int(micro.astype("int64"))
    return Timestamp(us) if dtype == "datetime64" else Duration(us)


def _refuse_dict(name: str, value: Mapping[object, object]) -> Value:
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
    of_its_own = (f"a value of type {type(value).__name__}", "")
    words = ((word, hint) for base, word, hint in _WORDS if isinstance(value, base))
    word, hint = next(words, _LIST if is_nested(value) else of_its_own)
    return _refused(name, f"{show_value(value)} is {word}, which no event carries{hint}")


def _refused(name: str, what: str, kind: DeadLetterKind = "bad_type") -> RowRefused:
    return RowRefused(kind, f"attribute {show_value(name)}: {what}")


_LIST: Final = ("a list", "; send one row for each item")
_WORDS: Final[tuple[tuple[type | tuple[type, ...], str, str], ...]] = (
    (Mapping, "an object", "; send its parts as attributes of their own"),
    ((bytes, bytearray, memoryview), "bytes", "; send a string"),
    (dt.time, "a time of day", "; send a string"),
)
_TEXTS: Final = (str, bytes, bytearray, memoryview)
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
    Decimal: _plain_decimal,
    dict: _refuse_dict,
}
_ONE_VALUE: Final = frozenset(_PLAIN) - {dict}
_SUBCLASSES: Final[tuple[tuple[type, _Convert], ...]] = (
    (int, lambda name, value: _plain_int(name, int(value))),
    (float, lambda name, value: _plain_float(name, float(value))),
    (str, lambda name, value: _plain_str(name, str.__str__(value))),
    (dt.date, _plain_time),  # a datetime is one too
    (dt.timedelta, _plain_delta),
    (Decimal, _plain_decimal),
    (Mapping, _refuse_dict),
)
_DECLARED: Final[dict[Kind, _Convert]] = {
    Kind.BOOLEAN: _as_boolean,
    Kind.INTEGER: _as_integer,
    Kind.FLOAT: _as_float,
    Kind.STRING: _as_string,
    Kind.TIMESTAMP: _as_timestamp,
    Kind.DURATION: _as_duration,
}
