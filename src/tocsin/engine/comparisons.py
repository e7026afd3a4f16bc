"""Comparisons of values: two-valued, and false where a value is missing or of another kind."""

from __future__ import annotations

import ipaddress
import operator as operators
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

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


def in_network(value: Value, network: Value, *, negated: bool) -> bool:
    """`IN CIDR`."""
    if not isinstance(value, str) or not isinstance(network, str):
        return False
    address, range_ = _address(value), _network(network)
    if address is None or range_ is None:
        return False
    return (address in range_) != negated


@lru_cache(maxsize=4096)
def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _like(text: str, pattern: str) -> bool:
    return _like_pattern(pattern).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _like_pattern(pattern: str) -> re.Pattern[str]:
    """`%` stands for any text, `_` for any one character."""
    signs = {"%": ".*", "_": "."}
    return re.compile("".join(signs.get(c, re.escape(c)) for c in pattern), re.DOTALL)


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
