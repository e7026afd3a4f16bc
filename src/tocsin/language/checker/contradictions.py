"""Conjunctions that no event can fulfil: `amount > 5 AND amount < 3`."""

from __future__ import annotations

from itertools import combinations
from typing import Final, TypeAlias

from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import shown
from tocsin.language.tree import (
    And,
    Attribute,
    Between,
    Comparison,
    Expression,
    InList,
    Literal,
    OfEvent,
)
from tocsin.model.values import Value, comparable

Bound: TypeAlias = tuple[str, Value]
# The ways in which a condition can be true; each is a set of bounds that hold together.
Ways: TypeAlias = tuple[tuple[Bound, ...], ...]

_JUDGED: Final = frozenset({Comparison, Between, InList})
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
# Every two are compared; no one writes more by hand.
_MOST: Final = 32


def warn_of_contradiction(node: And, scope: Scope) -> None:
    """Warn where two parts of a conjunction can never be true together."""
    judged = [part for part in _conjuncts(node) if type(part) in _JUDGED]
    if len(judged) < 2:  # the usual case
        return
    parts_of: dict[object, list[Expression]] = {}
    for part in judged:
        subject = _subject(part)
        if subject is not None:
            parts_of.setdefault(subject, []).append(part)
    for parts in parts_of.values():
        if len(parts) > 1:
            _compare(parts[:_MOST], scope)


def _compare(parts: list[Expression], scope: Scope) -> None:
    for one, other in combinations(parts, 2):
        if _exclude(_ways(one), _ways(other)):
            _warn(one, other, scope)
            return


def _conjuncts(node: And) -> list[Expression]:
    found: list[Expression] = []
    for part in node.parts:
        if type(part) is And:
            found += _conjuncts(part)
        else:
            found.append(part)
    return found


def _subject(node: Expression) -> object:
    """Return what a condition compares with constants, or None."""
    if type(node) is Comparison:
        left, right = node.left, node.right
        if type(left) is Literal:
            left, right = right, left
        if type(right) is not Literal:
            return None
    elif (type(node) is Between or type(node) is InList) and not node.negated:
        left = node.operand
    else:
        return None
    if type(left) is Attribute:
        return left.name
    return left if type(left) is OfEvent else None


def _ways(node: Expression) -> Ways:
    match node:
        case Comparison(operator, Literal(value), _):
            return (((_FLIPPED.get(operator, operator), value),),)
        case Comparison(operator, _, Literal(value)):
            return (((operator, value),),)
        case Between(_, Literal(low), Literal(high)):
            return (((">=", low), ("<=", high)),)
        case InList(_, choices) if len(choices) <= _MOST:
            values = [choice.value for choice in choices if isinstance(choice, Literal)]
            is_constant = len(values) == len(choices)
            return tuple((("=", value),) for value in values) if is_constant else ((),)
        case _:
            return ((),)


def _exclude(one: Ways, other: Ways) -> bool:
    return all(any(_clash(a, b) for a in way for b in way_of) for way in one for way_of in other)


def _clash(one: Bound, other: Bound) -> bool:
    """Say whether no value keeps both bounds."""
    (operator, value), (other_operator, other_value) = one, other
    if not comparable(value, other_value):
        return operator == other_operator == "="
    if "!=" in (operator, other_operator):
        return "=" in (operator, other_operator) and value == other_value
    return _lies_above(one, other) or _lies_above(other, one)


def _lies_above(one: Bound, other: Bound) -> bool:
    """Say whether all that is above the first bound is above the second, an upper one."""
    (operator, value), (other_operator, other_value) = one, other
    if operator in {"<", "<="} or other_operator in {">", ">="}:
        return False
    if value == other_value:
        return operator == ">" or other_operator == "<"
    return bool(value > other_value)  # type: ignore[operator]


def _warn(one: Expression, other: Expression, scope: Scope) -> None:
    what = f"never true: {shown(one)} and {shown(other)} exclude each other"
    hint = "Join them with OR if either will do."
    match one, other:
        case Comparison("=", left, Literal() as first), Comparison("=", _, Literal() as second):
            hint = f"For either of them write {shown(left)} IN ({shown(first)}, {shown(second)})."
        case _:
            pass
    scope.problems.warn(other.at, what, hint)
