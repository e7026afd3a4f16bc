"""Rules of types: what compares with what, and what arithmetic gives."""

from __future__ import annotations

from typing import Final

from tocsin.model.values import Kind

BOOLEAN: Final = Kind.BOOLEAN
INTEGER: Final = Kind.INTEGER
FLOAT: Final = Kind.FLOAT
STRING: Final = Kind.STRING
TIMESTAMP: Final = Kind.TIMESTAMP
DURATION: Final = Kind.DURATION
UNKNOWN: Final = Kind.UNKNOWN


def comparable(left: Kind, right: Kind) -> bool:
    """Say whether values of these kinds can be compared; what is unknown can.

    Examples
    --------
    >>> comparable(INTEGER, FLOAT), comparable(STRING, FLOAT), comparable(UNKNOWN, STRING)
    (True, False, True)
    """
    if left is right or left is UNKNOWN or right is UNKNOWN:
        return True
    return left.is_number and right.is_number


def counts(kind: Kind) -> bool:
    """Say whether arithmetic can work on a kind at all."""
    return kind is not STRING and kind is not BOOLEAN


def arithmetic_kind(operator: str, left: Kind, right: Kind) -> Kind | None:
    """Return the kind of a result, `UNKNOWN` where it depends, None where there is none.

    Examples
    --------
    >>> arithmetic_kind("-", TIMESTAMP, TIMESTAMP), arithmetic_kind("/", INTEGER, INTEGER)
    (<Kind.DURATION: 'DURATION'>, <Kind.FLOAT: 'FLOAT'>)
    >>> arithmetic_kind("+", TIMESTAMP, TIMESTAMP) is None
    True
    """
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN if counts(left) and counts(right) else None
    if left.is_number and right.is_number:
        both_whole = left is INTEGER and right is INTEGER and operator != "/"
        return INTEGER if both_whole else FLOAT
    return _RESULTS.get((operator, _family(left), _family(right)))


def _family(kind: Kind) -> str:
    return "number" if kind.is_number else kind.value


_RESULTS: Final[dict[tuple[str, str, str], Kind]] = {
    ("-", "TIMESTAMP", "TIMESTAMP"): DURATION,
    ("-", "TIMESTAMP", "DURATION"): TIMESTAMP,
    ("+", "TIMESTAMP", "DURATION"): TIMESTAMP,
    ("+", "DURATION", "TIMESTAMP"): TIMESTAMP,
    ("+", "DURATION", "DURATION"): DURATION,
    ("-", "DURATION", "DURATION"): DURATION,
    ("*", "DURATION", "number"): DURATION,
    ("*", "number", "DURATION"): DURATION,
    ("/", "DURATION", "number"): DURATION,
    ("/", "DURATION", "DURATION"): FLOAT,
}
