"""Arithmetic on values: anything that has no result gives a missing value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from tocsin.model.values import (
    INTEGER_MAX,
    INTEGER_MIN,
    Duration,
    Timestamp,
    Value,
    comparable,
    is_missing,
)


def calculated(operator: str, left: Value, right: Value) -> Value:
    """Return `left operator right`, or None where that has no value.

    Examples
    --------
    >>> calculated("+", 1, 2), calculated("/", 1, 0), calculated("+", 1, "a")
    (3, None, None)
    """
    if is_missing(left) or is_missing(right):
        return None
    if isinstance(left, Timestamp | Duration) or isinstance(right, Timestamp | Duration):
        return _checked(_with_times(operator, left, right))
    if not (_is_number(left) and _is_number(right)):
        return None
    return _checked(_with_numbers(operator, left, right))  # type: ignore[arg-type]


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool | Timestamp | Duration)


def _with_numbers(operator: str, left: float, right: float) -> int | float | None:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if right == 0:
        return None
    return left / right if operator == "/" else _remainder(left, right)


def _remainder(left: float, right: float) -> int | float | None:
    """The remainder has the sign of the dividend, as in SQL."""
    if isinstance(left, int) and isinstance(right, int):
        rest = abs(left) % abs(right)
        return -rest if left < 0 else rest
    return None if math.isinf(left) else math.fmod(left, right)


def _with_times(operator: str, left: Value, right: Value) -> Value:
    match operator, left, right:
        case "-", Timestamp(), Timestamp():
            return Duration(left - right)
        case "+" | "-", Timestamp(), Duration():
            return Timestamp(left + right if operator == "+" else left - right)
        case "+", Duration(), Timestamp():
            return Timestamp(left + right)
        case "+" | "-", Duration(), Duration():
            return Duration(left + right if operator == "+" else left - right)
        case "/", Duration(), Duration():
            return None if right == 0 else int(left) / int(right)
        case "*" | "/", Duration(), int() | float() if _is_number(right):
            return _whole(_with_numbers(operator, int(left), right))
        case "*", int() | float(), Duration() if _is_number(left):
            return _whole(_with_numbers(operator, left, int(right)))
    return None


def _whole(us: float | None) -> Duration | None:
    return None if us is None or not math.isfinite(us) else Duration(round(us))


def _checked(result: Value) -> Value:
    """Integers are 64 bits wide, and NaN is missing."""
    if isinstance(result, float):
        return None if math.isnan(result) else result
    if isinstance(result, int) and not INTEGER_MIN <= result <= INTEGER_MAX:
        return None
    return result


def called(function: str, arguments: Sequence[Value]) -> Value:
    """Return the value of a function other than those that look at events."""
    if any(is_missing(argument) for argument in arguments):
        return None
    first = arguments[0]
    if function in {"min", "max"}:
        return _extreme(function, arguments)
    if function == "abs":
        return _absolute(first)
    if not isinstance(first, str):
        return None
    if function == "length":
        return len(first)
    return first.lower() if function == "lower" else first.upper()


def _absolute(value: Value) -> Value:
    if isinstance(value, Duration):
        return _checked(Duration(abs(value)))
    return _checked(abs(value)) if _is_number(value) else None  # type: ignore[arg-type]


def _extreme(function: str, values: Sequence[Value]) -> Value:
    """The least or greatest; of equal ones (1 and 1.0) the first."""
    first = values[0]
    if isinstance(first, bool) or not all(comparable(first, value) for value in values):
        return None
    choose = min if function == "min" else max
    return choose(values)  # type: ignore[type-var]


def aggregated(function: str, values: Sequence[Value]) -> Value:
    """Return sum, avg, min or max of values that are all present.

    The sum of none is 0, the others are missing.
    """
    if not values:
        return 0 if function == "sum" else None
    if function in {"min", "max"}:
        return _extreme(function, values)
    total = reduce(lambda so_far, value: calculated("+", so_far, value), values)
    if not isinstance(total, int | float):
        return None
    return total if function == "sum" else calculated("/", total, len(values))
