"""Instances that wait for one kind of event: found by atom and by the value of a variable.

Most instances wait for an event that satisfies one atom, and no other event matters to them. They
are not fed every event: an event that fails the atom's filter wakes none of them, and where the
atom joins a variable (`ip = $x`), only those with that value.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, TypeAlias

from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, Reach
from tocsin.engine.state import Left, Placed
from tocsin.model.values import join_key

if TYPE_CHECKING:
    from tocsin.engine.machines.sequence import Instance

Key: TypeAlias = tuple[str, object] | None  # variable and value, None where nothing is joined
Home: TypeAlias = "dict[int, Instance]"


class Waiting:
    """Instances by what they wait for."""

    __slots__ = ("_by_begin", "_by_first", "_homes", "_made", "instances")

    def __init__(self) -> None:
        self.instances: dict[int, Instance] = {}
        self._homes: dict[LeafPart, dict[Key, Home]] = {}
        self._by_begin: list[tuple[int, int]] = []
        self._by_first: list[tuple[int, int]] = []
        self._made = 0

    def add(self, one: Instance, reach: Reach) -> bool:
        """Let an instance wait; return False where it has to see every event."""
        leaves = [machine.awaited() for _, machine in one.steps]
        if not all(leaves):
            return False
        number = one.number = self._made
        self._made += 1
        self.instances[number] = one
        for leaf in leaves:
            assert leaf is not None
            homes = self._homes.setdefault(leaf, {})
            homes.setdefault(_key_of(leaf, one.left), {})[number] = one
        if reach.span_us is not None:
            heapq.heappush(self._by_begin, (one.found.begin, number))
        if reach.events is not None:
            heapq.heappush(self._by_first, (one.found.first, number))
        return True

    def woken(self, placed: Placed) -> list[tuple[Instance, int, Machine]]:
        """Return the steps that an event may satisfy."""
        found: list[tuple[Instance, int, Machine]] = []
        for leaf, homes in self._homes.items():
            if not leaf.passes(placed.event):
                continue
            for key in _keys_at(leaf, placed):
                for one in homes.get(key, _NOBODY).values():
                    for done, machine in one.steps:
                        if machine.awaited() is leaf:
                            found.append((one, done, machine))
        return found

    def expire(self, placed: Placed, reach: Reach) -> None:
        """Drop the instances that can take neither this event nor a later one."""
        if reach.span_us is not None:
            oldest = placed.event.end - reach.span_us
            while self._by_begin and self._by_begin[0][0] < oldest:
                self._drop(heapq.heappop(self._by_begin)[1])
        if reach.events is not None:
            earliest = placed.position - reach.events
            while self._by_first and self._by_first[0][0] <= earliest:
                self._drop(heapq.heappop(self._by_first)[1])

    def tidy(self, one: Instance) -> None:
        """Forget the steps of an instance that are over, and the instance without steps."""
        if one.number not in self.instances:
            return
        for _, machine in one.steps:
            if machine.is_over:
                leaf = machine.awaited()
                assert leaf is not None
                self._leave(leaf, one)
        one.steps = [step for step in one.steps if not step[1].is_over]
        if not one.steps:
            del self.instances[one.number]

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        numbers = [n for n, one in self.instances.items() if one.found.first <= position]
        for number in numbers:
            self._drop(number)

    def _drop(self, number: int) -> None:
        one = self.instances.pop(number, None)
        if one is not None:
            for _, machine in one.steps:
                leaf = machine.awaited()
                assert leaf is not None
                self._leave(leaf, one)

    def _leave(self, leaf: LeafPart, one: Instance) -> None:
        homes, key = self._homes[leaf], _key_of(leaf, one.left)
        homes[key].pop(one.number, None)
        if not homes[key]:
            del homes[key]
        if not homes:
            del self._homes[leaf]


def _key_of(leaf: LeafPart, left: Left) -> Key:
    """Return the variable by which an atom is joined with what is to its left, and its value."""
    for name, _ in leaf.joins:
        if name in left.variables:
            return name, join_key(left.variables[name])
    return None


def _keys_at(leaf: LeafPart, placed: Placed) -> dict[Key, None]:
    """Return the keys under which an event wakes somebody, each once."""
    keys: dict[Key, None] = {None: None}
    for name, get in leaf.joins:
        value = get(_NOTHING, placed.event)
        if value is not None:
            keys[name, join_key(value)] = None
    return keys


_NOTHING = Left((), {}, None, {})
_NOBODY: Home = {}
