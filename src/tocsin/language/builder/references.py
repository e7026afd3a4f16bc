"""Events of the match as conditions speak of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, overload

from tocsin.language.builder.base import Built, refuse
from tocsin.language.builder.expressions import BuiltExpression
from tocsin.language.builder.values import count_of, name_of
from tocsin.language.tree import (
    Atom,
    Condition,
    EventReference,
    Iteration,
    OfEvent,
    Pattern,
    Span,
)

Event: TypeAlias = str | Built[Pattern] | Built[EventReference]
"""An event of the match: its alias, the part of the pattern that has it, or `first(a)`."""


@dataclass(frozen=True, slots=True, repr=False)
class BuiltEvent(Built[EventReference]):
    """An event of the match; its attributes are reached by name.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> b.ref("a").price, b.ref("a")[2]["job-name"], b.first("a").price
    (BuiltExpression(a.price), BuiltExpression(a[2]."job-name"), BuiltExpression(first(a.price)))
    """

    __iter__ = None

    @overload
    def __getitem__(self, key: str) -> BuiltExpression: ...
    @overload
    def __getitem__(self, key: int) -> BuiltEvent: ...
    def __getitem__(self, key: str | int) -> BuiltEvent | BuiltExpression:
        return attribute_of(self, key) if isinstance(key, str) else repetition_of(self, key)

    def __getattr__(self, name: str) -> BuiltExpression:
        if name.startswith("__"):
            raise AttributeError(name)
        return attribute_of(self, name)


def attribute_of(event: Event, name: str) -> BuiltExpression:
    """Return `a.name`."""
    return BuiltExpression(OfEvent(reference_of(event), name_of(name, "an attribute")))


def repetition_of(event: Event, number: int) -> BuiltEvent:
    """Return `a[number]`."""
    tree = reference_of(event)
    if tree.which is not None:
        refuse(number, "an attribute", "one event was chosen already; give a name")
    return BuiltEvent(EventReference(tree.alias, count_of(number, "the number of a repetition")))


def reference_of(event: object) -> EventReference:
    """Return the reference to an event."""
    tree = event.tree if isinstance(event, Built) else event
    if isinstance(tree, EventReference):
        return tree
    if isinstance(tree, str):
        return EventReference(name_of(tree, "an alias"))
    while isinstance(tree, Condition | Iteration | Span):
        tree = tree.pattern
    if not isinstance(tree, Atom):
        refuse(event, "an event", "give an alias or one part made by b.event")
    alias = tree.alias or tree.name
    if alias is None:
        refuse(event, "an event with an alias", "give it one, as in b.event('a', …)")
    return EventReference(alias)
