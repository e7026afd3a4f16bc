"""The limits of an interval as 64-bit words, exact for integers and floats alike.

Limits that are whole lie among the integers: an open one is moved by one and flagged, so that a
float between is still judged rightly. Others lie among the floats, by keys in their order.
"""

from __future__ import annotations

import math
import struct
from typing import Final, NamedTuple

from tocsin.engine.columns.kinds import BOOLEAN, DURATION, INTEGER, STRING, TIMESTAMP
from tocsin.engine.index.layout import (
    HIGH_OPEN,
    IN_FLOATS,
    LOW_OPEN,
    NEGATED,
    NO_HIGH,
    NO_LOW,
    OUTSIDE,
)
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Value
from tocsin.plan.predicates import Interval

FAMILY_KINDS: Final = {
    "boolean": BOOLEAN,
    "number": INTEGER,
    "string": STRING,
    "timestamp": TIMESTAMP,
    "duration": DURATION,
}
_EMPTY: Final = (1, 0)


class Limits(NamedTuple):
    """The flags and the two limits of a literal."""

    flags: int
    low: int
    high: int


def key_of_float(number: float) -> int:
    """Return an integer that orders like the float; both zeros give 0.

    Examples
    --------
    >>> key_of_float(-1.5) < key_of_float(-0.0) == 0 < key_of_float(1e-300)
    True
    """
    (bits,) = struct.unpack("<q", struct.pack("<d", number + 0.0))
    return int(bits ^ (bits >> 63 & INTEGER_MAX))


def limits_of(interval: Interval) -> Limits | None:
    """Return the words of an interval of numbers or times, or None where no words are exact."""
    flags = _flags(interval)
    low, high = _whole(interval.low), _whole(interval.high)
    if _is_integer(low, interval.low_open, INTEGER_MAX) and _is_integer(
        high, interval.high_open, INTEGER_MIN
    ):
        return _in_integers(interval, flags, low, high)
    low_key = _low_key(low, is_open=interval.low_open)
    high_key = _high_key(high, is_open=interval.high_open)
    if low_key is None or high_key is None:
        return None
    if low_key > high_key:
        low_key, high_key = _EMPTY
    return Limits(flags | IN_FLOATS, low_key, high_key)


def _flags(interval: Interval) -> int:
    return (OUTSIDE if interval.outside else 0) | (NEGATED if interval.negated else 0)


def _whole(limit: Value) -> int | float | None:
    """Return a limit as an integer where it is one."""
    if isinstance(limit, float):
        fits = INTEGER_MIN <= limit <= INTEGER_MAX and limit == math.floor(limit)
        return int(limit) if fits and INTEGER_MIN <= int(limit) <= INTEGER_MAX else limit
    assert limit is None or isinstance(limit, int)
    return None if limit is None else int(limit)


def _is_integer(limit: float | None, is_open: bool, edge: int) -> bool:
    """An open limit at the edge would have to move out of 64 bits."""
    return not isinstance(limit, float) and not (is_open and limit == edge)


def _in_integers(interval: Interval, flags: int, low: float | None, high: float | None) -> Limits:
    flags |= NO_LOW if low is None else LOW_OPEN if interval.low_open else 0
    flags |= NO_HIGH if high is None else HIGH_OPEN if interval.high_open else 0
    least = INTEGER_MIN if low is None else int(low) + interval.low_open
    most = INTEGER_MAX if high is None else int(high) - interval.high_open
    if least > most and not (interval.low_open and interval.high_open):
        least, most = _EMPTY
        flags &= ~(LOW_OPEN | HIGH_OPEN | NO_LOW | NO_HIGH)
    return Limits(flags, least, most)


def _low_key(limit: float | None, *, is_open: bool) -> int | None:
    if limit is None:
        return key_of_float(-math.inf)
    if limit == INTEGER_MAX and is_open:
        return key_of_float(2.0**63)
    if isinstance(limit, int) and int(float(limit)) != limit:
        return None
    if is_open and limit == math.inf:
        return key_of_float(math.inf) + 1
    return key_of_float(math.nextafter(limit, math.inf) if is_open else float(limit))


def _high_key(limit: float | None, *, is_open: bool) -> int | None:
    if limit is None:
        return key_of_float(math.inf)
    if isinstance(limit, int) and int(float(limit)) != limit:
        return None
    if is_open and limit == -math.inf:
        return key_of_float(-math.inf) - 1
    return key_of_float(math.nextafter(limit, -math.inf) if is_open else float(limit))
