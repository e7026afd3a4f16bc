"""Durations as people write them: `5 min`, `1h30m`, `500 ms`, `52 weeks`."""

from __future__ import annotations

import re
from decimal import Context, Decimal, DecimalException, Inexact
from typing import Final

from tocsin.errors import DurationError
from tocsin.model.show import show_value
from tocsin.model.values import INTEGER_MAX, Duration

US_PER_MS: Final = 1_000

_UNITS: Final[tuple[tuple[int, tuple[str, ...]], ...]] = (
    (1, ("us", "microsecond", "microseconds")),
    (1_000, ("ms", "millisecond", "milliseconds")),
    (1_000_000, ("s", "sec", "secs", "second", "seconds")),
    (60_000_000, ("m", "min", "mins", "minute", "minutes")),
    (3_600_000_000, ("h", "hour", "hours")),
    (86_400_000_000, ("d", "day", "days")),
    (604_800_000_000, ("w", "week", "weeks")),
)
US_OF_UNIT: Final[dict[str, int]] = {name: us for us, names in _UNITS for name in names}
KNOWN_UNITS: Final = "us, ms, s, min, h, days, weeks"

# A product that would have to be rounded is refused instead of rounded.
_EXACT: Final = Context(prec=60, traps=[Inexact])
_PART: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([^\W\d_]+)\s*")


def duration_of(number: str, unit: str) -> Duration:
    """Return the duration of one number and one unit.

    Raises
    ------
    DurationError
        The unit is unknown, or the amount is no whole number of microseconds in 64 bits.

    Examples
    --------
    >>> duration_of("1.5", "ms")
    Duration(1500)
    """
    us = US_OF_UNIT.get(unit.lower())
    if us is None:
        msg = f"unknown unit of time '{unit}'; the units are {KNOWN_UNITS}"
        raise DurationError(msg)
    try:
        amount = _EXACT.multiply(Decimal(number), Decimal(us))
    except DecimalException as error:
        msg = f"the duration {show_value(number)} {unit} is no number of microseconds in 64 bits"
        raise DurationError(msg) from error
    if amount > INTEGER_MAX:
        msg = f"the duration {number} {unit} is longer than 64 bits of microseconds can hold"
        raise DurationError(msg)
    if amount != int(amount):
        msg = f"the duration {number} {unit} is finer than a microsecond"
        raise DurationError(msg)
    return Duration(int(amount))


def parse_duration(text: object) -> Duration:
    """Return a duration in microseconds.

    Raises
    ------
    DurationError
        It is no text, or the unit is unknown; the message lists the known ones.

    Examples
    --------
    >>> int(parse_duration("5 min"))
    300000000
    >>> format_duration(parse_duration("1h30m"))
    '90 min'
    """
    if not isinstance(text, str):
        msg = f"{text!r} is not a duration; write a text with a unit, such as '5 min' or '1h30m'"
        raise DurationError(msg)
    total, at = 0, 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            break
        total += duration_of(part[1], part[2])
        at = part.end()
    if at == 0 or at < len(text):
        what = f"{show_value(text)} is not a duration"
        msg = f"{what}; write a number and a unit, such as '5 min' or '1h30m'"
        raise DurationError(msg)
    if total > INTEGER_MAX:
        msg = f"the duration {show_value(text)} is longer than 64 bits of microseconds can hold"
        raise DurationError(msg)
    return Duration(total)


def format_duration(duration: int) -> str:
    """Return a duration in the largest unit that divides it.

    Examples
    --------
    >>> format_duration(Duration(300_000_000)), format_duration(Duration(3_600_000_000))
    ('5 min', '1 hour')
    """
    return str(Duration(duration))
