"""Tests of one string: what `CONTAINS`, `LIKE`, `MATCHES`, `IN CIDR` and `<` ask of it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class TextTest:
    """A question about a string, with its constant pattern.

    Examples
    --------
    >>> TextTest("STARTS WITH", ("ab",)).holds("abc")
    True
    >>> TextTest("CIDR", ("10.0.0.0/8",), outside=True).holds("no address")
    False
    """

    operator: str
    patterns: tuple[str, ...]
    outside: bool = False

    def holds(self, text: str) -> bool:
        """Say whether a string passes."""
        if self.operator == "CIDR":
            return in_network(text, self.patterns[0], outside=self.outside)
        return _TESTS[self.operator](text, *self.patterns) != self.outside


def in_network(text: str, network: str, *, outside: bool) -> bool:
    """Say whether an address is in a network; what is no address is neither in nor outside."""
    try:
        return (ipaddress.ip_address(text) in _network(network)) != outside
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _network(network: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    return ipaddress.ip_network(network, strict=False)


@lru_cache(maxsize=4096)
def like_pattern(pattern: str) -> re.Pattern[str]:
    """`%` stands for any text, `_` for any one character."""
    signs = {"%": ".*", "_": "."}
    return re.compile("".join(signs.get(c, re.escape(c)) for c in pattern), re.DOTALL)


_TESTS: Final[dict[str, Callable[..., bool]]] = {
    "CONTAINS": lambda text, pattern: pattern in text,
    "STARTS WITH": lambda text, pattern: text.startswith(pattern),
    "ENDS WITH": lambda text, pattern: text.endswith(pattern),
    "LIKE": lambda text, pattern: like_pattern(pattern).fullmatch(text) is not None,
    "MATCHES": lambda text, pattern: re.search(pattern, text) is not None,
    "<": lambda text, limit: text < limit,
    "<=": lambda text, limit: text <= limit,
    ">": lambda text, limit: text > limit,
    ">=": lambda text, limit: text >= limit,
    "BETWEEN": lambda text, low, high: low <= text <= high,
}
