"""Comparisons of values, as filters mean them. Logic is two-valued."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

from tocsin.model.values import Value, comparable, same_value


def compares(operator: str, left: Value, right: Value) -> bool:
    """Say whether a comparison holds; with a missing value, or across kinds, it does not.

    Examples
    --------
    >>> compares("<", 1, 2.5), compares("!=", 1, "1"), compares("<", False, True)
    (True, False, False)
    """
    if operator == "=":
        return same_value(left, right)
    if not comparable(left, right):
        return False
    if operator == "!=":
        return left != right
    return _ordered(operator, left, right)


def _ordered(operator: str, left: Value, right: Value) -> bool:
    if isinstance(left, bool) or left is None or right is None:
        return False
    less: bool = left < right  # type: ignore[operator]
    equal = left == right
    if operator == "<":
        return less
    if operator == "<=":
        return less or equal
    return not less if operator == ">=" else not (less or equal)


def lies_between(found: Value, low: Value, high: Value, negated: bool) -> bool:
    """Say whether BETWEEN, or NOT BETWEEN, holds."""
    if not (comparable(found, low) and comparable(found, high)) or isinstance(found, bool):
        return False
    return (compares("<=", low, found) and compares("<=", found, high)) != negated


def is_in_list(found: Value, choices: list[Value], negated: bool) -> bool:
    """Say whether IN, or NOT IN, holds."""
    if negated:
        return all(compares("!=", found, choice) for choice in choices)
    return any(same_value(found, choice) for choice in choices)


def is_in_network(found: Value, network: Value, negated: bool) -> bool:
    """Say whether an address is in a network, or NOT IN it; what is no address is neither."""
    if not isinstance(found, str) or not isinstance(network, str):
        return False
    try:
        address = ipaddress.ip_address(found)
        return (address in _network(network)) != negated
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    return ipaddress.ip_network(text, strict=False)


def text_holds(operator: str, found: Value, pattern: Value, negated: bool) -> bool:
    """Say whether CONTAINS, STARTS WITH, ENDS WITH, LIKE or MATCHES holds."""
    if not isinstance(found, str) or not isinstance(pattern, str):
        return False
    return _text_matches(operator, found, pattern) != negated


def _text_matches(operator: str, text: str, pattern: str) -> bool:
    if operator == "CONTAINS":
        return pattern in text
    if operator == "STARTS WITH":
        return text.startswith(pattern)
    if operator == "ENDS WITH":
        return text.endswith(pattern)
    if operator == "LIKE":
        return like_pattern(pattern).fullmatch(text) is not None
    return re.search(pattern, text) is not None


@lru_cache(maxsize=4096)
def like_pattern(pattern: str) -> re.Pattern[str]:
    """`%` stands for any text, `_` for any one character."""
    signs = {"%": ".*", "_": "."}
    return re.compile("".join(signs.get(c, re.escape(c)) for c in pattern), re.DOTALL)
