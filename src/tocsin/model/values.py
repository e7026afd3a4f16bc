"""The values an event can carry, and how they compare.

A value is null (missing), a boolean, an integer, a float, a string or a timestamp; a difference of
timestamps is a duration. Fuzzy values will join them as one more kind.
"""

from __future__ import annotations

import enum
import math
from typing import Final, TypeAlias

from tocsin.model.moments import Duration, Timestamp

__all__ = [
    "INTEGER_MAX",
    "INTEGER_MIN",
    "Duration",
    "Kind",
    "Timestamp",
    "Value",
    "comparable",
    "is_missing",
    "join_key",
    "kind_of",
    "same_value",
]

Value: TypeAlias = None | bool | int | float | str | Timestamp | Duration


class Kind(enum.Enum):
    """What sort of value something is; `UNKNOWN` where no declaration says."""

    BOOLEAN = "BOOLEAN"
    INTEGER = "INTEGER"
    FLOAT = "FLOAT"
    STRING = "STRING"
    TIMESTAMP = "TIMESTAMP"
    DURATION = "DURATION"
    UNKNOWN = "UNKNOWN"

    @property
    def is_number(self) -> bool:
        """Whether values of this kind are plain numbers."""
        return self is Kind.INTEGER or self is Kind.FLOAT


INTEGER_MIN: Final = -(2**63)
INTEGER_MAX: Final = 2**63 - 1

_KIND_OF_TYPE: Final[dict[type, Kind]] = {
    bool: Kind.BOOLEAN,
    int: Kind.INTEGER,
    float: Kind.FLOAT,
    str: Kind.STRING,
    Timestamp: Kind.TIMESTAMP,
    Duration: Kind.DURATION,
}

# Integers and floats compare with each other; nothing else crosses kinds.
_FAMILY_OF_TYPE: Final[dict[type, str]] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    Timestamp: "timestamp",
    Duration: "duration",
}


def kind_of(value: Value) -> Kind:
    """Return the kind of a value; null has none and gives `UNKNOWN`.

    Examples
    --------
    >>> kind_of(3), kind_of(None)
    (<Kind.INTEGER: 'INTEGER'>, <Kind.UNKNOWN: 'UNKNOWN'>)
    """
    return _KIND_OF_TYPE.get(type(value), Kind.UNKNOWN)


def is_missing(value: Value) -> bool:
    """Say whether a value is null or NaN, which the language treats alike."""
    return value is None or (type(value) is float and math.isnan(value))


def comparable(left: Value, right: Value) -> bool:
    """Say whether two values are present and of kinds that compare with each other."""
    if is_missing(left) or is_missing(right):
        return False
    return _FAMILY_OF_TYPE[type(left)] == _FAMILY_OF_TYPE[type(right)]


def same_value(left: Value, right: Value) -> bool:
    """Equality as `=` means it: false for missing values and across kinds.

    Examples
    --------
    >>> same_value(1, 1.0), same_value(1, True), same_value(None, None)
    (True, False, False)
    """
    return comparable(left, right) and left == right


def join_key(value: Value) -> tuple[str, Value]:
    """Return a hashable key that is equal for two present values exactly when `=` holds.

    A missing value equals nothing and has no key: ask `is_missing` first.

    Examples
    --------
    >>> join_key(1) == join_key(1.0), join_key(1) == join_key(True)
    (True, False)
    """
    return (_FAMILY_OF_TYPE[type(value)], value)
