"""Expressions: the value of one, and whether a condition holds. Logic is two-valued."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tocsin.errors import UnsupportedError
from tocsin.language.tree import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    EventReference,
    Expression,
    InCidr,
    InList,
    Literal,
    MatchDuration,
    Negative,
    Not,
    OfEvent,
    Or,
    Parameter,
    Presence,
    TextMatch,
    TimeOf,
    Vague,
    Variable,
)
from tocsin.model.arithmetic import aggregated, calculated, called
from tocsin.model.comparisons import (
    compares,
    is_in_list,
    is_in_network,
    lies_between,
    text_holds,
)
from tocsin.model.event import Event
from tocsin.model.values import Duration, Timestamp, Value, is_missing
from tocsin.reference.context import Context


@dataclass(frozen=True, slots=True)
class View:
    """What an expression sees: the match so far and, in a filter, the current event."""

    context: Context
    event: Event | None = None
    own: str | None = None


def satisfy(condition: Expression, view: View) -> Mapping[str, Value] | None:
    """Return the variables after an atom's filter held, or None where it does not hold.

    A conjunct `expression = $x` binds an unbound variable.
    """
    for conjunct in _conjuncts(condition):
        bound = _bound(conjunct, view)
        if bound is None:
            return None
        if bound is not view.context.variables:
            view = replace(view, context=replace(view.context, variables=bound))
    return view.context.variables


def _conjuncts(condition: Expression) -> tuple[Expression, ...]:
    if isinstance(condition, And):
        return tuple(conjunct for part in condition.parts for conjunct in _conjuncts(part))
    return (condition,)


def _bound(conjunct: Expression, view: View) -> Mapping[str, Value] | None:
    variables = view.context.variables
    if isinstance(conjunct, Comparison) and conjunct.operator == "=":
        for side, other in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
            if isinstance(side, Variable) and side.name not in variables:
                found = value(other, view)
                return None if is_missing(found) else {**variables, side.name: found}
    return variables if holds(conjunct, view) else None


def holds(condition: Expression, view: View) -> bool:
    """Say whether a condition holds; a comparison with a missing value does not."""
    match condition:
        case And(parts):
            return all(holds(part, view) for part in parts)
        case Or(parts):
            return any(holds(part, view) for part in parts)
        case Not(operand):
            return not holds(operand, view)
        case Comparison(operator, left, right):
            return compares(operator, value(left, view), value(right, view))
        case Between(operand, low, high, negated):
            return lies_between(value(operand, view), value(low, view), value(high, view), negated)
        case InList(operand, choices, negated):
            return is_in_list(value(operand, view), [value(c, view) for c in choices], negated)
        case InCidr(operand, network, negated):
            return is_in_network(value(operand, view), value(network, view), negated)
        case Presence(operand, present):
            return is_missing(value(operand, view)) != present
        case TextMatch(operator, operand, pattern, negated):
            return text_holds(operator, value(operand, view), value(pattern, view), negated)
        case Vague():
            msg = "vague predicates (IS a fuzzy term) do not run yet"
            raise UnsupportedError(msg)
        case _:
            return value(condition, view) is True


def value(expression: Expression, view: View) -> Value:
    """Return the value of an expression; None where it is missing."""
    match expression:
        case Literal(constant):
            return constant
        case Attribute(name):
            return _attribute(view.event, name)
        case Variable(name):
            return view.context.variables.get(name)
        case OfEvent(reference, attribute):
            return _attribute(_event(reference, view), attribute)
        case TimeOf(function, reference):
            return _time(function, _event(reference, view))
        case MatchDuration():
            return _match_duration(view)
        case Aggregate(function, alias, attribute):
            return _aggregate(function, alias, attribute, view)
        case Call(function, arguments):
            return called(function, [value(argument, view) for argument in arguments])
        case Negative(operand):
            return calculated("-", _zero_like(value(operand, view)), value(operand, view))
        case Arithmetic(operator, left, right):
            return calculated(operator, value(left, view), value(right, view))
        case Parameter(name):
            msg = f"the parameter {{{name}}} has no value; pass a table that fills it"
            raise UnsupportedError(msg)
        case _:
            return holds(expression, view)


def _zero_like(operand: Value) -> Value:
    return Duration(0) if isinstance(operand, Duration) else 0


def _attribute(event: Event | None, name: str) -> Value:
    found = None if event is None else event.values.get(name)
    return None if is_missing(found) else found


def _event(reference: EventReference, view: View) -> Event | None:
    """Find the event of `a`, `a[2]`, `first(a)`, `last(a)` or `prev(a)`."""
    alias, which = reference.alias, reference.which
    events, mark = view.context.events_of(alias), view.context.marks.get(alias)
    if which is None:
        if alias == view.own:
            return view.event
        current = events if mark is None else events[mark:]
        return current[-1] if current else None
    before = events if mark is None else events[:mark]
    if not before:
        return None
    if which == "first":
        return before[0]
    if which in {"last", "prev"}:
        return before[-1]
    assert isinstance(which, int)
    return before[which - 1] if which <= len(before) else None


def _time(function: str, event: Event | None) -> Timestamp | None:
    if event is None:
        return None
    return event.begin if function == "begin" else event.end


def _match_duration(view: View) -> Duration | None:
    events = [taken.placed.event for taken in view.context.taken]
    if view.event is not None:
        events.append(view.event)
    if not events:
        return None
    return Duration(max(event.end for event in events) - min(event.begin for event in events))


def _aggregate(function: str, alias: str, attribute: str | None, view: View) -> Value:
    events, mark = view.context.events_of(alias), view.context.marks.get(alias)
    before = events if mark is None else events[:mark]
    if attribute is None:
        return len(before)
    present = [_attribute(event, attribute) for event in before]
    return aggregated(function, [found for found in present if found is not None])
