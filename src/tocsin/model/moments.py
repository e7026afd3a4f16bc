"""Moments and lengths of time as values: integers in microseconds that can say what they mean."""

from __future__ import annotations

import datetime as dt
from typing import Final

from tocsin.errors import TimeError

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

# The unit a duration is written in: singular and plural.
_UNITS: Final[tuple[tuple[int, str, str], ...]] = (
    (604_800_000_000, "week", "weeks"),
    (86_400_000_000, "day", "days"),
    (3_600_000_000, "hour", "hours"),
    (60_000_000, "min", "min"),
    (1_000_000, "s", "s"),
    (1_000, "ms", "ms"),
    (1, "us", "us"),
)


class Timestamp(int):
    """A moment in microseconds since 1970-01-01 UTC.

    It is an integer, and compares, hashes and counts like one; its text is ISO.

    Examples
    --------
    >>> moment = Timestamp(1_500_000)
    >>> moment, str(moment), moment + 1
    (Timestamp(1500000), '1970-01-01T00:00:01.500000Z', 1500001)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Timestamp({int(self)})"

    def __str__(self) -> str:
        try:
            return self.isoformat()
        except TimeError:  # the text of a value never fails
            return repr(self)

    def to_datetime(self) -> dt.datetime:
        """Return the moment as a `datetime` in UTC.

        Raises
        ------
        TimeError
            It lies outside the years 1 to 9999, which is all that a `datetime` can say.

        Examples
        --------
        >>> Timestamp(1_500_000).to_datetime()
        datetime.datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=datetime.timezone.utc)
        """
        try:
            return _EPOCH + dt.timedelta(microseconds=int(self))
        except OverflowError as error:
            msg = f"{self!r} is outside the years 1 to 9999; use its microseconds: int(moment)"
            raise TimeError(msg) from error

    def isoformat(self) -> str:
        """Return the moment as ISO text in UTC that ends in `Z`.

        Raises
        ------
        TimeError
            It lies outside the years 1 to 9999.

        Examples
        --------
        >>> Timestamp(1_000_000).isoformat()
        '1970-01-01T00:00:01Z'
        """
        return self.to_datetime().isoformat().replace("+00:00", "Z")


class Duration(int):
    """A length of time in microseconds.

    It is an integer, and compares, hashes and counts like one; its text is in the largest unit that
    divides it.

    Examples
    --------
    >>> length = Duration(7_200_000_000)
    >>> length, str(length), length // 2
    (Duration(7200000000), '2 hours', 3600000000)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Duration({int(self)})"

    def __str__(self) -> str:
        amount, sign = abs(int(self)), "-" if self < 0 else ""
        for us, one, many in _UNITS:
            if amount >= us and amount % us == 0:
                count = amount // us
                return f"{sign}{count} {one if count == 1 else many}"
        return "0 s"

    def to_timedelta(self) -> dt.timedelta:
        """Return the length as a `timedelta`.

        Examples
        --------
        >>> Duration(1_500_000).to_timedelta()
        datetime.timedelta(seconds=1, microseconds=500000)
        """
        return dt.timedelta(microseconds=int(self))
