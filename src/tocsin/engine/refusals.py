"""Which condition refused an event or a match, and with which values."""

from __future__ import annotations

from typing import NamedTuple

from tocsin.engine.expressions import compile_value
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.state import Left, Placed
from tocsin.language.printer import to_text
from tocsin.language.tree import (
    Aggregate,
    Attribute,
    Expression,
    MatchDuration,
    OfEvent,
    TimeOf,
    Variable,
)
from tocsin.language.variables import walk
from tocsin.model.event import Event
from tocsin.model.show import show_value
from tocsin.model.times import TimeForm, format_time
from tocsin.model.values import Timestamp, Value

_READ = (Aggregate, Attribute, MatchDuration, OfEvent, TimeOf, Variable)


class Refusal(NamedTuple):
    """A condition that does not hold, and what it read."""

    condition: str
    values: str = ""


def refusal_of(leaf: LeafPart, left: Left, placed: Placed, form: TimeForm) -> Refusal | None:
    """Return the condition of an atom that an event fails, None where it satisfies all."""
    if leaf.stream is not None and placed.event.stream != leaf.stream:
        return Refusal(f"being an event of stream {leaf.stream}")
    for conjunct in (*leaf.static, *leaf.dynamic):
        bound = conjunct.apply(left, placed.event)
        if bound is None:
            read = values_in(conjunct.text, left, placed.event, form, own=leaf.alias)
            return Refusal(to_text(conjunct.text), read)
        left = bound
    return None


def values_in(
    condition: Expression,
    left: Left,
    event: Event | None,
    form: TimeForm,
    *,
    own: str | None = None,
) -> str:
    """Return what a condition read, such as `v = 3, a.v = 5`."""
    read = {
        to_text(node): _shown(compile_value(node, own)(left, event), form)
        for node in walk(condition)
        if isinstance(node, _READ)
    }
    return ", ".join(f"{name} = {value}" for name, value in read.items())


def _shown(value: Value, form: TimeForm) -> str:
    if value is None:
        return "missing"
    return str(format_time(value, form)) if isinstance(value, Timestamp) else show_value(value)
