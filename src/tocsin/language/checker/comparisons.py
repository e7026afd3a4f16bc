"""Comparisons: `=` to `>=`, BETWEEN, IN."""

from __future__ import annotations

from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.kinds import BOOLEAN, STRING, UNKNOWN, comparable
from tocsin.language.checker.mismatch import hint_for_mismatch
from tocsin.language.checker.missing_attribute import hyphenated_name
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import shown, word_for
from tocsin.language.tokens import quote_name
from tocsin.language.tree import (
    Arithmetic,
    Attribute,
    Between,
    Comparison,
    Expression,
    InList,
    Literal,
)
from tocsin.model.values import Kind
from tocsin.model.values import comparable as comparable_values


def comparison(node: Comparison, scope: Scope) -> Kind:
    """Check `x < y`."""
    left = HANDLERS[type(node.left)](node.left, scope)
    if type(node.right) is Attribute:
        right = _beside(node.left, left, node.right, scope)
    else:
        right = HANDLERS[type(node.right)](node.right, scope)
    if left is UNKNOWN or right is UNKNOWN:
        _warn_of_hyphen(node, left, right, scope)
    elif left is not right and not comparable(left, right):
        report_mismatch((node.left, left), (node.right, right), node.at, scope)
    elif left is BOOLEAN and node.operator not in {"=", "!="}:
        what = f"'{node.operator}' cannot order Booleans"
        scope.problems.error(node.at, what, "Use = or !=, or write NOT.")
    return BOOLEAN


def _beside(left: Expression, kind: Kind, right: Expression, scope: Scope) -> Kind:
    """Return the kind of a value; a hint about it may need what it is compared with."""
    scope.beside = left, kind
    found = HANDLERS[type(right)](right, scope)
    scope.beside = None
    return found


def between(node: Between, scope: Scope) -> Kind:
    """Check `x BETWEEN low AND high`."""
    kind = HANDLERS[type(node.operand)](node.operand, scope)
    for end in (node.low, node.high):
        end_kind = HANDLERS[type(end)](end, scope)
        if not comparable(kind, end_kind):
            report_mismatch((node.operand, kind), (end, end_kind), end.at, scope)
            return BOOLEAN
        if BOOLEAN in (kind, end_kind):
            scope.problems.error(node.at, "BETWEEN cannot order Booleans", "Use = or !=.")
            return BOOLEAN
    _warn_of_empty_range(node, scope)
    return BOOLEAN


def _warn_of_empty_range(node: Between, scope: Scope) -> None:
    low, high = node.low, node.high
    if not (isinstance(low, Literal) and isinstance(high, Literal)):
        return
    if not comparable_values(low.value, high.value):
        scope.problems.error(
            high.at,
            f"the ends of BETWEEN are of different types: {shown(low)} and {shown(high)}",
            "Both ends need the type of the value between them.",
        )
    elif low.value > high.value:  # type: ignore[operator]
        truth = "true for every value" if node.negated else "never true"
        what = f"this is {truth}: {shown(low)} is more than {shown(high)}"
        operator = "NOT BETWEEN" if node.negated else "BETWEEN"
        hint = f"Swap them: {operator} {shown(high)} AND {shown(low)}."
        scope.problems.warn(node.at, what, hint)


def in_list(node: InList, scope: Scope) -> Kind:
    """Check `x IN (1, 2, 3)`."""
    kind = HANDLERS[type(node.operand)](node.operand, scope)
    first: tuple[Expression, Kind] | None = None
    for choice in node.choices:
        choice_kind = _beside(node.operand, kind, choice, scope)
        if not comparable(kind, choice_kind):
            report_mismatch((node.operand, kind), (choice, choice_kind), choice.at, scope)
            return BOOLEAN
        if first is None or first[1] is UNKNOWN:
            first = choice, choice_kind
        elif not comparable(first[1], choice_kind):
            _report_mixed(first, (choice, choice_kind), scope)
            return BOOLEAN
    return BOOLEAN


def _report_mixed(
    first: tuple[Expression, Kind], other: tuple[Expression, Kind], scope: Scope
) -> None:
    what = (
        f"a list of mixed types: {shown(first[0])} is {word_for(first[1])}, "
        f"{shown(other[0])} is {word_for(other[1])}"
    )
    scope.problems.error(other[0].at, what, "All values after IN need the same type.")


def report_mismatch(
    left: tuple[Expression, Kind], right: tuple[Expression, Kind], at: int, scope: Scope
) -> None:
    """Note that two values cannot be compared."""
    what = (
        f"cannot compare {shown(left[0])} ({word_for(left[1])}) "
        f"with {shown(right[0])} ({word_for(right[1])})"
    )
    scope.problems.error(at, what, hint_for_mismatch(left, right))


def _warn_of_hyphen(node: Comparison, left: Kind, right: Kind, scope: Scope) -> None:
    """`job-name = 'x'` is a difference; in a schema-free stream only the string gives it away."""
    for side, other in ((node.left, right), (node.right, left)):
        if other is STRING and isinstance(side, Arithmetic):
            name = hyphenated_name(side)
            if name is not None:
                what = f"never true: the difference {shown(side)} is no string"
                hint = f"If this is the name of an attribute, quote it: {quote_name(name)}."
                scope.problems.warn(side.at, what, hint)
