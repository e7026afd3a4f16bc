"""Tests of one string: what `CONTAINS`, `LIKE`, `MATCHES`, `IN CIDR` and `<` ask of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tocsin.model.comparisons import is_in_network, like_pattern


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
            return is_in_network(text, self.patterns[0], self.outside)
        return _TESTS[self.operator](text, *self.patterns) != self.outside

    def compiled(self) -> Callable[[str], bool]:
        """Return a function that says what `holds` says, and sooner where strings are many.

        Examples
        --------
        >>> TextTest("MATCHES", ("^a",), outside=True).compiled()("ba")
        True
        """
        if self.operator == "MATCHES":
            find = re.compile(self.patterns[0]).search
        elif self.operator == "LIKE":
            find = like_pattern(self.patterns[0]).fullmatch
        else:
            return self.holds
        return lambda text: (find(text) is None) == self.outside


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
