"""The values and times of a row, checked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tocsin.errors import TimeError
from tocsin.model.dead_letter import DeadLetterKind, RowRefused, refuse
from tocsin.model.event import Schema
from tocsin.model.normalise import normalise, normalise_undeclared
from tocsin.model.show import show_value
from tocsin.model.times import TimeForm, format_time, parse_time, time_form_of
from tocsin.model.values import Kind, Timestamp, Value

TIME_NAMES: Final = ("ts", "time", "timestamp")
"""Where the time of an undeclared stream is looked for, in this order."""


def moment_of(name: str, value: Value, kind: DeadLetterKind) -> Timestamp:
    """Return the moment that a value says; refuse the row where it says none."""
    try:
        return parse_time(value)
    except TimeError as error:
        raise RowRefused(kind, f"attribute {show_value(name)}: {error}") from error


def end_of(begin: Timestamp, controls: Mapping[str, Value], form: TimeForm) -> Timestamp:
    """Return the end of an event: its `$end`, else its begin."""
    value = controls.get("$end")
    if value is None:
        return begin
    end = moment_of("$end", value, "bad_time")
    if end < begin:
        shown, start = format_time(end, form), format_time(begin, form)
        refuse("bad_time", f"$end {shown} is before the begin {start}")
    return end


def time_name(raw: Mapping[str, object]) -> str | None:
    """Return the first of `TIME_NAMES` that a row has."""
    names = (name for name in TIME_NAMES if name in raw)
    return next((name for name in names if normalise(name, raw[name]) is not None), None)


def values_of(raw: Mapping[str, object], schema: Schema) -> dict[str, Value]:
    """Return the values that are there; undeclared attributes stay in, unless they are nested."""
    kinds = schema.kinds
    values: dict[str, Value] = {}
    for name, value in raw.items():
        if name in kinds:
            plain = normalise(name, value, kinds[name])
        else:
            plain = normalise_undeclared(name, value)
        if plain is not None:
            values[name] = plain
    return values


def form_of(raw: Mapping[str, object], schema: Schema) -> TimeForm | None:
    """Return the form of the first time in a row: its own time, its end, any declared one."""
    declared = (name for name, kind in schema.kinds.items() if kind is Kind.TIMESTAMP)
    own = () if schema.time is None else (schema.time,)
    for name in (*own, "$end", *declared):
        value = normalise(name, raw.get(name))
        if value is not None:
            return time_form_of(value)
    return None
