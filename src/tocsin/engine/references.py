"""Expressions that look at events of the match: `a.price`, `prev(a.price)`, `sum(a.price)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tocsin.engine.state import Left
from tocsin.language.tree import Aggregate, EventReference, TimeOf
from tocsin.model.arithmetic import aggregated
from tocsin.model.event import Event
from tocsin.model.values import Duration, Timestamp, Value

Getter: TypeAlias = Callable[[Left, Event | None], Value]
Finder: TypeAlias = Callable[[Left, Event | None], Event | None]


def attribute_of(event: Event | None, name: str) -> Value:
    """Return the value of an attribute; NaN is missing."""
    if event is None:
        return None
    found = event.values.get(name)
    return found if found == found else None  # noqa: PLR0124 - NaN differs from itself


def finder(reference: EventReference, own: str | None) -> Finder:
    """Return what finds the event of `a`, `a[2]`, `first(a)`, `last(a)` or `prev(a)`."""
    alias, which = reference.alias, reference.which
    if which is None:
        return _own_event if alias == own else _single(alias)
    if which == "first":
        return _numbered(alias, 0)
    if which == "last" or which == "prev":
        return _last_before(alias)
    return _numbered(alias, which - 1)


def _own_event(_: Left, event: Event | None) -> Event | None:
    return event


def _single(alias: str) -> Finder:
    def find(left: Left, _: Event | None) -> Event | None:
        if alias in left.marks:
            current = left.events_of(alias)[left.marks[alias] :]
            return current[-1] if current else None
        for leaf, placed in reversed(left.taken):
            if leaf.alias == alias:
                return placed.event
        return None

    return find


def events_before(left: Left, alias: str) -> list[Event]:
    """Return the events of an alias, without those of the current repetition."""
    return left.events_of(alias)[: left.marks.get(alias)]


def _numbered(alias: str, index: int) -> Finder:
    def find(left: Left, _: Event | None) -> Event | None:
        before = events_before(left, alias)
        return before[index] if index < len(before) else None

    return find


def _last_before(alias: str) -> Finder:
    def find(left: Left, _: Event | None) -> Event | None:
        before = events_before(left, alias)
        return before[-1] if before else None

    return find


def time_of(node: TimeOf, own: str | None) -> Getter:
    """Return `t(a)`, `begin(a)` or `end(a)`."""
    find = finder(node.event, own)
    is_begin = node.function == "begin"

    def get(left: Left, event: Event | None) -> Timestamp | None:
        found = find(left, event)
        if found is None:
            return None
        return found.begin if is_begin else found.end

    return get


def duration(left: Left, event: Event | None) -> Duration | None:
    """Return `duration()`: end - begin of all events so far, the current one included."""
    events = [placed.event for _, placed in left.taken]
    if event is not None:
        events.append(event)
    if not events:
        return None
    return Duration(max(one.end for one in events) - min(one.begin for one in events))


def aggregate(node: Aggregate) -> Getter:
    """Return `count(a)` or an aggregate of an attribute."""
    alias, attribute, name = node.alias, node.attribute, node.function
    if attribute is None:
        return lambda left, _: len(events_before(left, alias))

    def get(left: Left, _: Event | None) -> Value:
        values = [attribute_of(one, attribute) for one in events_before(left, alias)]
        return aggregated(name, [value for value in values if value is not None])

    return get
