"""Instances that wait for events of certain atoms, and to which no other event matters.

Most instances are of this kind. They are not fed every event, but those that may concern them.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from tocsin.engine.machines.homes import Homes
from tocsin.engine.machines.machine import Reach
from tocsin.engine.state import Placed

if TYPE_CHECKING:
    from tocsin.engine.machines.instance import Instance
    from tocsin.engine.machines.leaf import LeafPart


class Waiting:
    """Instances by what they wait for."""

    __slots__ = ("_by_begin", "_by_first", "_homes", "_made", "instances")

    def __init__(self) -> None:
        self.instances: dict[int, Instance] = {}
        self._homes: Homes[Instance] = Homes()
        self._by_begin: list[tuple[int, int]] = []
        self._by_first: list[tuple[int, int]] = []
        self._made = 0

    def add(self, one: Instance, leaves: tuple[LeafPart, ...], reach: Reach) -> None:
        """Let an instance wait for events of some atoms."""
        number = one.number = self._made
        self._made += 1
        one.awaited = leaves
        self.instances[number] = one
        self._homes.add(leaves, one.left, number, one)
        if reach.span_us is not None:
            heapq.heappush(self._by_begin, (one.found.begin, number))
        if reach.events is not None:
            heapq.heappush(self._by_first, (one.found.first, number))

    def woken(self, placed: Placed) -> list[tuple[int, Instance]]:
        """Return those whom an event may concern."""
        return self._homes.at(placed)

    def expire(self, position: int, end: int, reach: Reach) -> list[Instance]:
        """Drop the instances that can take neither an event at such a place nor a later one."""
        dropped: list[Instance | None] = []
        if reach.span_us is not None:
            oldest = end - reach.span_us
            while self._by_begin and self._by_begin[0][0] < oldest:
                dropped.append(self.drop(heapq.heappop(self._by_begin)[1]))
        if reach.events is not None:
            earliest = position - reach.events
            while self._by_first and self._by_first[0][0] <= earliest:
                dropped.append(self.drop(heapq.heappop(self._by_first)[1]))
        return [one for one in dropped if one is not None]

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        numbers = [n for n, one in self.instances.items() if one.found.first <= position]
        for number in numbers:
            self.drop(number)

    def drop(self, number: int) -> Instance | None:
        """Drop an instance and return it, unless it is gone already."""
        one = self.instances.pop(number, None)
        if one is not None:
            self._homes.remove(one.awaited, one.left, number)
        return one
