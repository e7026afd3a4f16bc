"""Many tests of one string at once: by parts of it and by network, the rest one by one."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection, Iterator
from typing import Final

from tocsin.plan.predicates import TextTest

_BY_TEXT: Final = frozenset({"STARTS WITH", "ENDS WITH", "CONTAINS"})


class TextSet:
    """The tests that are asked about the strings of one attribute.

    Examples
    --------
    >>> tests = TextSet()
    >>> tests.add(5, TextTest("STARTS WITH", ("ab",)))
    >>> tests.passed("abc"), tests.passed("b")
    ([5], [])
    """

    def __init__(self) -> None:
        self._by_text: dict[tuple[str, int], dict[str, int]] = {}
        self._networks: dict[tuple[int, int], dict[int, list[int]]] = {}
        self._others: dict[int, Callable[[str], bool]] = {}

    def add(self, number: int, test: TextTest) -> None:
        """Let a test take part under a number."""
        pattern = test.patterns[0]
        if test.operator in _BY_TEXT and not test.outside:
            self._by_text.setdefault((test.operator, len(pattern)), {})[pattern] = number
        elif place := _network_place(test):
            version, bits, address = place
            self._networks.setdefault((version, bits), {}).setdefault(address, []).append(number)
        else:
            self._others[number] = test.compiled()

    def remove(self, number: int, test: TextTest) -> None:
        """Let a test go."""
        pattern = test.patterns[0]
        if test.operator in _BY_TEXT and not test.outside:
            patterns = self._by_text[test.operator, len(pattern)]
            del patterns[pattern]
            if not patterns:
                del self._by_text[test.operator, len(pattern)]
        elif place := _network_place(test):
            version, bits, address = place
            self._networks[version, bits][address].remove(number)
        else:
            del self._others[number]

    def passed(self, text: str) -> list[int]:
        """Return the numbers of the tests that a string passes, in order."""
        found = [number for number, holds in self._others.items() if holds(text)]
        for (operator, length), patterns in self._by_text.items():
            if length <= len(text):
                parts = _parts(text, operator, length, patterns)
                found += [patterns[part] for part in parts if part in patterns]
        if self._networks:
            found += self._by_network(text)
        return sorted(found)

    def _by_network(self, text: str) -> Iterator[int]:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return
        for (version, bits), networks in self._networks.items():
            if address.version == version:
                yield from networks.get(int(address) >> (address.max_prefixlen - bits), ())


def _parts(text: str, operator: str, length: int, patterns: Collection[str]) -> Collection[str]:
    """Return the parts of a string that patterns of one length and operator may equal.

    Of patterns inside a string, whichever are fewer are gone through: its parts or the patterns.
    """
    if operator == "STARTS WITH":
        return (text[:length],)
    if operator == "ENDS WITH":
        return (text[len(text) - length :],)
    if len(patterns) < len(text) - length:
        return [pattern for pattern in patterns if pattern in text]
    return {text[i : i + length] for i in range(len(text) - length + 1)}


def _network_place(test: TextTest) -> tuple[int, int, int] | None:
    """Return version, length and leading bits of a network; None where the test is another."""
    if test.operator != "CIDR" or test.outside:
        return None
    try:
        network = ipaddress.ip_network(test.patterns[0], strict=False)
    except ValueError:
        return None
    shift = network.max_prefixlen - network.prefixlen
    return network.version, network.prefixlen, int(network.network_address) >> shift
