"""Moments in time: ISO strings or integers in milliseconds outside, microseconds inside."""

from __future__ import annotations

import datetime as dt
import enum
import math
import re
from typing import Final

from tocsin.errors import TimeError
from tocsin.model.durations import US_PER_MS
from tocsin.model.show import show_value
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Timestamp

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
# Python's parser drops digits past the sixth silently; a finer time is refused instead.
_TOO_FINE: Final = re.compile(r"[.,]\d{6}\d*[1-9]")
_NEW_YEAR_1971_MS: Final = 31_536_000_000
_YEAR_1973_S: Final = 100_000_000
"""A first time below this is a clock that somebody began at 0, not a date in seconds."""
SEEM_SECONDS: Final = "lie in January 1970: are they seconds? They are read as milliseconds"
"""What is said of times of which `seem_seconds` is true."""


class TimeForm(enum.Enum):
    """How times are shown: as they came in."""

    MILLISECONDS = "ms"
    ISO = "iso"


def parse_time(value: object) -> Timestamp:
    """Return a moment from an ISO string, a number of milliseconds or a `datetime`.

    A time without a zone is UTC. A float counts where it is whole, as tables make floats of
    integers; one with a fraction is nearly always a number of seconds.

    Raises
    ------
    TimeError
        The value is none of these, is finer than a microsecond, or lies outside 64 bits of them.

    Examples
    --------
    >>> parse_time("1970-01-01T00:00:01Z"), parse_time(1000)
    (Timestamp(1000000), Timestamp(1000000))
    """
    if isinstance(value, Timestamp):
        return value
    if value is None or isinstance(value, bool | Duration):
        raise TimeError(_not_a_time(value))
    if isinstance(value, int):
        return _checked(value * US_PER_MS, value)
    if isinstance(value, float):
        return _from_float(value)
    if isinstance(value, str):
        return _from_iso(value)
    if isinstance(value, dt.datetime):
        return _from_datetime(value)
    if isinstance(value, dt.date):
        return _from_datetime(dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC))
    raise TimeError(_not_a_time(value))


def time_form_of(value: object) -> TimeForm:
    """Return the form in which times that came like this one are shown.

    Examples
    --------
    >>> time_form_of(1000), time_form_of("1970-01-01T00:00:01Z")
    (<TimeForm.MILLISECONDS: 'ms'>, <TimeForm.ISO: 'iso'>)
    """
    is_milliseconds = isinstance(value, int | float) and not isinstance(value, Timestamp)
    return TimeForm.MILLISECONDS if is_milliseconds else TimeForm.ISO


def format_time(moment: int, form: TimeForm) -> int | float | str:
    """Return a moment as an ISO string in UTC or as milliseconds, so that it can be read back.

    A moment between two milliseconds is ISO in either form. Outside the years 1 to 9999, which ISO
    strings cannot say, it is milliseconds in either form.

    Examples
    --------
    >>> format_time(Timestamp(1_000_000), TimeForm.ISO)
    '1970-01-01T00:00:01Z'
    >>> format_time(Timestamp(1_000_000), TimeForm.MILLISECONDS)
    1000
    >>> format_time(Timestamp(1_000_001), TimeForm.MILLISECONDS)
    '1970-01-01T00:00:01.000001Z'
    """
    if form is TimeForm.MILLISECONDS and moment % US_PER_MS == 0:
        return int(moment) // US_PER_MS
    try:
        return Timestamp(moment).isoformat()
    except TimeError:
        return us_as_ms(moment)


def us_as_ms(us: int) -> int | float:
    """Return microseconds as milliseconds, as an integer where that is exact.

    Examples
    --------
    >>> us_as_ms(5000), us_as_ms(500)
    (5, 0.5)
    """
    whole, rest = divmod(int(us), US_PER_MS)
    return whole if rest == 0 else int(us) / US_PER_MS


def _from_float(ms: float) -> Timestamp:
    if ms.is_integer():
        return _checked(int(ms) * US_PER_MS, ms)
    if not math.isfinite(ms):
        raise TimeError(_not_a_time(ms))
    hint = "numbers are whole milliseconds; multiply seconds by 1000 and round"
    msg = f"{show_value(ms)} is not a time: {hint}"
    raise TimeError(msg)


def _from_iso(text: str) -> Timestamp:
    if _TOO_FINE.search(text):
        what = f"the time {show_value(text)} is finer than a microsecond"
        msg = f"{what}; round it to six digits after the point"
        raise TimeError(msg)
    try:
        return _from_datetime(dt.datetime.fromisoformat(text.strip()))
    except ValueError as error:
        raise TimeError(_not_a_time(text)) from error


def _from_datetime(moment: dt.datetime) -> Timestamp:
    if getattr(moment, "nanosecond", 0):  # only pandas.Timestamp has them
        raise TimeError(too_fine(f"the time {show_value(moment)}"))
    aware = moment if moment.utcoffset() is not None else moment.replace(tzinfo=dt.UTC)
    return _checked((aware - _EPOCH) // _MICROSECOND, moment)


def _checked(us: int, value: object) -> Timestamp:
    if not INTEGER_MIN <= us <= INTEGER_MAX:
        msg = f"the time {show_value(value)} is outside 64 bits of microseconds"
        raise TimeError(msg)
    return Timestamp(us)


def too_fine(shown: str) -> str:
    """Return what is wrong with a time that has nanoseconds, and what to do about it.

    Examples
    --------
    >>> print(too_fine("00:00:00.000000001"))
    00:00:00.000000001 is finer than a microsecond; round it, in pandas with .dt.floor('us')
    """
    return f"{shown} is finer than a microsecond; round it, in pandas with .dt.floor('us')"


def _not_a_time(value: object) -> str:
    return f"{show_value(value)} is not a time; write an ISO string or an integer in milliseconds"


def seem_seconds(least: int, most: int) -> bool:
    """Say whether times that are whole numbers look like seconds, and not like milliseconds.

    Examples
    --------
    >>> seem_seconds(1_765_000_000, 1_765_000_900), seem_seconds(0, 900_000)
    (True, False)
    """
    return least >= _YEAR_1973_S and most < _NEW_YEAR_1971_MS
