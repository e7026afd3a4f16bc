"""Comparisons of values: two-valued, and false where a value is missing or of another kind."""

from __future__ import annotations

import operator as operators
import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from tocsin.model.comparisons import like_pattern
from tocsin.model.values import Value, comparable

Test: TypeAlias = Callable[[Value, Value], bool]


def equal(left: Value, right: Value) -> bool:
    """`=`: false for missing values and across kinds."""
    if left is None or right is None:
        return False
    if type(left) is type(right):
        return left == right
    return comparable(left, right) and left == right


def unequal(left: Value, right: Value) -> bool:
    """`!=`: a comparison, so false where a value is missing or of another kind."""
    return comparable(left, right) and left != right


def _ordered(compare: Callable[[Any, Any], bool]) -> Test:
    def holds(left: Value, right: Value) -> bool:
        return comparable(left, right) and type(left) is not bool and compare(left, right)

    return holds


COMPARISONS: Final[dict[str, Test]] = {
    "=": equal,
    "!=": unequal,
    "<": _ordered(operators.lt),
    "<=": _ordered(operators.le),
    ">": _ordered(operators.gt),
    ">=": _ordered(operators.ge),
}

_at_most: Final = COMPARISONS["<="]


def between(value: Value, low: Value, high: Value, *, negated: bool) -> bool:
    """`BETWEEN`, both ends included."""
    if not (comparable(value, low) and comparable(value, high)) or isinstance(value, bool):
        return False
    return (_at_most(low, value) and _at_most(value, high)) != negated


def _like(text: str, pattern: str) -> bool:
    return like_pattern(pattern).fullmatch(text) is not None


def _contains(text: str, pattern: str) -> bool:
    return pattern in text


def _matches(text: str, pattern: str) -> bool:
    return re.search(pattern, text) is not None


TEXT_TESTS: Final[dict[str, Callable[[str, str], bool]]] = {
    "CONTAINS": _contains,
    "STARTS WITH": str.startswith,
    "ENDS WITH": str.endswith,
    "LIKE": _like,
    "MATCHES": _matches,
}
