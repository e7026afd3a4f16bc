"""Many tests of one string at once: by prefix, suffix and network, the rest one by one."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final

from tocsin.plan.predicates import TextTest

_ENDS: Final = {"STARTS WITH": 1, "ENDS WITH": -1}


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
        self._ends: dict[tuple[int, int], dict[str, int]] = {}
        self._networks: dict[tuple[int, int], dict[int, list[int]]] = {}
        self._others: dict[int, TextTest] = {}

    def add(self, number: int, test: TextTest) -> None:
        """Let a test take part under a number."""
        pattern = test.patterns[0]
        if test.operator in _ENDS and not test.outside:
            self._ends.setdefault((_ENDS[test.operator], len(pattern)), {})[pattern] = number
        elif place := _network_place(test):
            version, bits, address = place
            self._networks.setdefault((version, bits), {}).setdefault(address, []).append(number)
        else:
            self._others[number] = test

    def remove(self, number: int, test: TextTest) -> None:
        """Let a test go."""
        pattern = test.patterns[0]
        if test.operator in _ENDS and not test.outside:
            del self._ends[_ENDS[test.operator], len(pattern)][pattern]
        elif place := _network_place(test):
            version, bits, address = place
            self._networks[version, bits][address].remove(number)
        else:
            del self._others[number]

    def passed(self, text: str) -> list[int]:
        """Return the numbers of the tests that a string passes, in order."""
        found = [number for number, test in self._others.items() if test.holds(text)]
        found += self._by_ends(text)
        if self._networks:
            found += self._by_network(text)
        return sorted(found)

    def _by_ends(self, text: str) -> Iterator[int]:
        for (side, length), patterns in self._ends.items():
            if length <= len(text):
                end = text[:length] if side > 0 else text[len(text) - length :]
                if end in patterns:
                    yield patterns[end]

    def _by_network(self, text: str) -> Iterator[int]:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return
        for (version, bits), networks in self._networks.items():
            if address.version == version:
                yield from networks.get(int(address) >> (address.max_prefixlen - bits), ())


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
