"""Expressions become closures, once for each subscription. Logic is two-valued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from tocsin.engine.comparisons import COMPARISONS, TEXT_TESTS, between, equal, unequal
from tocsin.engine.references import Getter, aggregate, attribute_of, duration, finder, time_of
from tocsin.engine.state import Left
from tocsin.errors import UnsupportedError
from tocsin.language.tree import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
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
from tocsin.model.arithmetic import calculated, called
from tocsin.model.comparisons import is_in_network
from tocsin.model.event import Event
from tocsin.model.values import Duration, Value

Condition: TypeAlias = Callable[[Left, Event | None], bool]


def compile_value(expression: Expression, own: str | None = None) -> Getter:
    """Return what gives the value of an expression; None where it is missing.

    Parameters
    ----------
    expression
        With definitions inlined and parameters filled.
    own
        The alias of the atom in whose filter it stands: that is the current event.
    """
    make = _VALUES.get(type(expression))
    if make is None:
        return compile_condition(expression, own)
    found: Getter = make(expression, own)
    return found


def compile_condition(expression: Expression, own: str | None = None) -> Condition:
    """Return what says whether a condition holds; a comparison with a missing value does not."""
    make = _CONDITIONS.get(type(expression))
    if make is not None:
        holds: Condition = make(expression, own)
        return holds
    get = compile_value(expression, own)
    return lambda left, event: get(left, event) is True


def _literal(node: Literal, _own: str | None) -> Getter:
    constant = node.value
    return lambda _left, _event: constant


def _attribute(node: Attribute, _own: str | None) -> Getter:
    name = node.name
    return lambda _, event: attribute_of(event, name)


def _variable(node: Variable, _own: str | None) -> Getter:
    name = node.name
    return lambda left, _: left.variables.get(name)


def _of_event(node: OfEvent, own: str | None) -> Getter:
    find, name = finder(node.event, own), node.attribute
    return lambda left, event: attribute_of(find(left, event), name)


def _duration(_node: MatchDuration, _own: str | None) -> Getter:
    return duration


def _aggregate(node: Aggregate, _own: str | None) -> Getter:
    return aggregate(node)


def _call(node: Call, own: str | None) -> Getter:
    arguments = [compile_value(argument, own) for argument in node.arguments]
    name = node.function
    return lambda left, event: called(name, [argument(left, event) for argument in arguments])


def _negative(node: Negative, own: str | None) -> Getter:
    operand = compile_value(node.operand, own)

    def get(left: Left, event: Event | None) -> Value:
        value = operand(left, event)
        return calculated("-", Duration(0) if isinstance(value, Duration) else 0, value)

    return get


def _arithmetic(node: Arithmetic, own: str | None) -> Getter:
    left_of, right_of = compile_value(node.left, own), compile_value(node.right, own)
    operator = node.operator
    return lambda left, event: calculated(operator, left_of(left, event), right_of(left, event))


def _parameter(node: Parameter, _own: str | None) -> Getter:
    msg = f"the parameter {{{node.name}}} has no value; pass a table that fills it"
    raise UnsupportedError(msg)


def _and(node: And, own: str | None) -> Condition:
    parts = [compile_condition(part, own) for part in node.parts]
    return lambda left, event: all(part(left, event) for part in parts)


def _or(node: Or, own: str | None) -> Condition:
    parts = [compile_condition(part, own) for part in node.parts]
    return lambda left, event: any(part(left, event) for part in parts)


def _not(node: Not, own: str | None) -> Condition:
    operand = compile_condition(node.operand, own)
    return lambda left, event: not operand(left, event)


def _comparison(node: Comparison, own: str | None) -> Condition:
    left_of, right_of = compile_value(node.left, own), compile_value(node.right, own)
    test = COMPARISONS[node.operator]
    if isinstance(node.left, Attribute) and isinstance(node.right, Literal):
        name, constant = node.left.name, node.right.value
        return lambda _, event: test(attribute_of(event, name), constant)
    return lambda left, event: test(left_of(left, event), right_of(left, event))


def _between(node: Between, own: str | None) -> Condition:
    value_of = compile_value(node.operand, own)
    low_of, high_of = compile_value(node.low, own), compile_value(node.high, own)
    negated = node.negated

    def holds(left: Left, event: Event | None) -> bool:
        low, high = low_of(left, event), high_of(left, event)
        return between(value_of(left, event), low, high, negated=negated)

    return holds


def _in_list(node: InList, own: str | None) -> Condition:
    value_of = compile_value(node.operand, own)
    choices = [compile_value(choice, own) for choice in node.choices]

    def is_in(left: Left, event: Event | None) -> bool:
        value = value_of(left, event)
        return any(equal(value, choice(left, event)) for choice in choices)

    def is_not_in(left: Left, event: Event | None) -> bool:
        value = value_of(left, event)
        return all(unequal(value, choice(left, event)) for choice in choices)

    return is_not_in if node.negated else is_in


def _in_cidr(node: InCidr, own: str | None) -> Condition:
    value_of, network_of = compile_value(node.operand, own), compile_value(node.network, own)
    negated = node.negated

    def holds(left: Left, event: Event | None) -> bool:
        return is_in_network(value_of(left, event), network_of(left, event), negated)

    return holds


def _presence(node: Presence, own: str | None) -> Condition:
    value_of, present = compile_value(node.operand, own), node.present
    return lambda left, event: (value_of(left, event) is None) != present


def _text(node: TextMatch, own: str | None) -> Condition:
    value_of, pattern_of = compile_value(node.operand, own), compile_value(node.pattern, own)
    test, negated = TEXT_TESTS[node.operator], node.negated

    def holds(left: Left, event: Event | None) -> bool:
        text, pattern = value_of(left, event), pattern_of(left, event)
        if not isinstance(text, str) or not isinstance(pattern, str):
            return False
        return test(text, pattern) != negated

    return holds


def _vague(_node: Vague, _own: str | None) -> Condition:
    msg = "vague predicates (IS a fuzzy term) do not run yet"
    raise UnsupportedError(msg)


_VALUES: Final[dict[type, Any]] = {
    Literal: _literal,
    Attribute: _attribute,
    Variable: _variable,
    OfEvent: _of_event,
    TimeOf: time_of,
    MatchDuration: _duration,
    Aggregate: _aggregate,
    Call: _call,
    Negative: _negative,
    Arithmetic: _arithmetic,
    Parameter: _parameter,
}

_CONDITIONS: Final[dict[type, Any]] = {
    And: _and,
    Or: _or,
    Not: _not,
    Comparison: _comparison,
    Between: _between,
    InList: _in_list,
    InCidr: _in_cidr,
    Presence: _presence,
    TextMatch: _text,
    Vague: _vague,
}
