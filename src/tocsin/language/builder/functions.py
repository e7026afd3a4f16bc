"""The functions of the language, under their own names."""

from __future__ import annotations

from typing import Literal as OneOf

from tocsin.language.builder.base import refuse
from tocsin.language.builder.expressions import BuiltExpression
from tocsin.language.builder.references import BuiltEvent, Event, reference_of
from tocsin.language.builder.values import Operand, expression_of
from tocsin.language.tree import Aggregate, Call, EventReference, MatchDuration, OfEvent, TimeOf


def ref(event: Event) -> BuiltEvent:
    """Return an event of the match by its alias; `ref("a").price` is `a.price`."""
    return BuiltEvent(reference_of(event))


def first(event: Event) -> BuiltEvent:
    """Return the first event of an iterated alias.

    Examples
    --------
    >>> t(first("a")), first("a").price
    (BuiltExpression(t(first(a))), BuiltExpression(first(a.price)))
    """
    return _selected("first", event)


def last(event: Event) -> BuiltEvent:
    """Return the last event of an iterated alias."""
    return _selected("last", event)


def prev(event: Event) -> BuiltEvent:
    """Return the event of the repetition before the current one."""
    return _selected("prev", event)


def t(event: Event) -> BuiltExpression:
    """Return `t(a)`, the end time of an event."""
    return BuiltExpression(TimeOf("t", reference_of(event)))


def begin(event: Event) -> BuiltExpression:
    """Return `begin(a)`."""
    return BuiltExpression(TimeOf("begin", reference_of(event)))


def end(event: Event) -> BuiltExpression:
    """Return `end(a)`."""
    return BuiltExpression(TimeOf("end", reference_of(event)))


def duration() -> BuiltExpression:
    """Return `duration()`, end minus begin of the match so far; `interval` makes a constant."""
    return BuiltExpression(MatchDuration())


def count(event: Event) -> BuiltExpression:
    """Return `count(a)`."""
    tree = reference_of(event)
    if tree.which is not None:
        refuse(event, "an alias", "count takes an iterated alias, as in count('a')")
    return BuiltExpression(Aggregate("count", tree.alias, None))


def sum(attribute: BuiltExpression) -> BuiltExpression:  # noqa: A001 - the language's own name
    """Return `sum(a.price)`.

    Examples
    --------
    >>> sum(ref("a").price) > 100
    BuiltExpression(sum(a.price) > 100)
    """
    return _aggregate("sum", attribute)


def avg(attribute: BuiltExpression) -> BuiltExpression:
    """Return `avg(a.price)`."""
    return _aggregate("avg", attribute)


def min(*values: Operand) -> BuiltExpression:  # noqa: A001 - the language's own name
    """Return `min(a.price)` over the repetitions of `a`, or the least of several values."""
    if len(values) == 1:
        return _aggregate("min", values[0])
    return _call("min", values)


def max(*values: Operand) -> BuiltExpression:  # noqa: A001 - the language's own name
    """Return `max(a.price)` over the repetitions of `a`, or the greatest of several values."""
    if len(values) == 1:
        return _aggregate("max", values[0])
    return _call("max", values)


def abs(value: Operand) -> BuiltExpression:  # noqa: A001 - the language's own name
    """Return `abs(x)`."""
    return _call("abs", (value,))


def lower(text: Operand) -> BuiltExpression:
    """Return `lower(s)`."""
    return _call("lower", (text,))


def upper(text: Operand) -> BuiltExpression:
    """Return `upper(s)`."""
    return _call("upper", (text,))


def length(text: Operand) -> BuiltExpression:
    """Return `length(s)`."""
    return _call("length", (text,))


def _selected(which: OneOf["first", "last", "prev"], event: Event) -> BuiltEvent:
    tree = reference_of(event)
    if tree.which is not None:
        refuse(event, "an alias", f"{which} takes an iterated alias, as in {which}('a')")
    return BuiltEvent(EventReference(tree.alias, which))


def _aggregate(function: OneOf["sum", "avg", "min", "max"], of: Operand) -> BuiltExpression:
    tree = expression_of(of)
    if not isinstance(tree, OfEvent) or tree.event.which is not None:
        refuse(of, "an attribute of an alias", f"write {function}(b.ref('a').price)")
    return BuiltExpression(Aggregate(function, tree.event.alias, tree.attribute))


def _call(
    function: OneOf["abs", "min", "max", "lower", "upper", "length"], values: tuple[Operand, ...]
) -> BuiltExpression:
    if not values:
        refuse(values, "a list of values", f"give {function} at least two")
    return BuiltExpression(Call(function, tuple(map(expression_of, values))))
