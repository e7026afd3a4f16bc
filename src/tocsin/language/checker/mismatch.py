"""Hints for two values that cannot be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from tocsin.errors import TimeError
from tocsin.language.checker.words import shown
from tocsin.language.tokens import quote_string
from tocsin.language.tree import Expression, Literal, OfEvent, TimeOf
from tocsin.model.times import parse_time
from tocsin.model.values import Kind

Typed: TypeAlias = tuple[Expression, Kind]


def hint_for_mismatch(left: Typed, right: Typed) -> str:
    """Return what to write so that two values become comparable."""
    families = _family(left[1]), _family(right[1])
    if families in _HINTS:
        return _HINTS[families](left[0], right[0])
    if families[::-1] in _HINTS:
        return _HINTS[families[::-1]](right[0], left[0])
    return "Compare values of the same type."


def _family(kind: Kind) -> str:
    return "NUMBER" if kind.is_number else kind.value


def _duration_and_number(_: Expression, number: Expression) -> str:
    if isinstance(number, Literal):
        return f"Give the number a unit: {number.value} ms, {number.value} s or {number.value} min."
    return f"Give the number a unit, as in {shown(number)} * 1 s."


def _timestamp_and_string(_: Expression, text: Expression) -> str:
    if isinstance(text, Literal) and _is_time(text.value):
        return f"Write TIMESTAMP before it: TIMESTAMP {shown(text)}."
    return "A moment is written as TIMESTAMP '2026-01-31T12:00:00Z'."


def _is_time(value: object) -> bool:
    try:
        parse_time(value)
    except TimeError:
        return False
    return True


def _timestamp_and_number(_: Expression, number: Expression) -> str:
    if isinstance(number, Literal):
        return (
            "A moment is written as TIMESTAMP '2026-01-31T12:00:00Z'; "
            "a distance in time as t(b) - t(a) < 5 min."
        )
    return "Declare the attribute as TIMESTAMP to compare it with a moment."


def _timestamp_and_duration(moment: Expression, duration: Expression) -> str:
    name = moment.event.alias if isinstance(moment, TimeOf | OfEvent) else None
    first = f"t({name})" if name else shown(moment)
    return f"Subtract another moment first, as in {first} - t(a) < {shown(duration)}."


def _string_and_number(text: Expression, number: Expression) -> str:
    if isinstance(text, Literal) and _is_number(str(text.value)):
        return f"Leave out the quotes: {text.value}."
    if isinstance(number, Literal):
        return f"Put the number in single quotes: {quote_string(str(number.value))}."
    return "Compare a string with a string, a number with a number."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _boolean_and_other(_: Expression, other: Expression) -> str:
    if isinstance(other, Literal) and str(other.value).lower() in _TRUTH:
        return f"Write {_TRUTH[str(other.value).lower()]}."
    return "A Boolean compares with TRUE, FALSE or another Boolean."


_TRUTH: Final = {"true": "TRUE", "1": "TRUE", "yes": "TRUE"} | {
    "false": "FALSE",
    "0": "FALSE",
    "no": "FALSE",
}
_HINTS: Final[dict[tuple[str, str], Callable[[Expression, Expression], str]]] = {
    ("DURATION", "NUMBER"): _duration_and_number,
    ("TIMESTAMP", "STRING"): _timestamp_and_string,
    ("TIMESTAMP", "NUMBER"): _timestamp_and_number,
    ("TIMESTAMP", "DURATION"): _timestamp_and_duration,
    ("STRING", "NUMBER"): _string_and_number,
    ("BOOLEAN", "NUMBER"): _boolean_and_other,
    ("BOOLEAN", "STRING"): _boolean_and_other,
}
