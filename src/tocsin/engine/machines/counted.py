"""`nth(i, p)`: the i-th match, per value of its variables, in order of completion."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.engine.machines.machine import Machine, OpenPlace, Part
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed
from tocsin.model.values import join_key


class CountedPart(Part):
    """A part of which one match counts; `variables` are those that occur in it."""

    def __init__(self, index: int, part: Part, variables: tuple[str, ...]) -> None:
        self.index = index
        self.part = part
        self.variables = variables
        self.variants = part.variants
        self.waits_us = part.waits_us

    def open(self, left: Left) -> CountedMachine:
        """Return a machine that counts from here on."""
        return CountedMachine(self, left)


class CountedMachine(Machine):
    """A count for each value of the variables."""

    __slots__ = ("child", "counts", "is_over", "part")

    def __init__(self, part: CountedPart, left: Left) -> None:
        self.part = part
        self.child = part.part.open(left)
        self.counts: dict[object, int] = {}
        self.is_over = False

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event; a match is counted even where it is of no use."""
        del may_start
        if self.is_over:
            return []
        return self._counted(world, self.child.feed(world, placed, may_start=True))

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return what the clock completes at a deadline."""
        if self.is_over or not self.part.waits_us:
            return []
        return self._counted(world, self.child.reach(world, deadline, upcoming))

    def _counted(self, world: World, found: list[Found]) -> list[Found]:
        """Count matches that complete together in the order of their positions."""
        if not found:
            return []
        distinct = {one.identity(): one for one in found}
        chosen = []
        for one in sorted(distinct.values(), key=Found.order):
            group = self._group(one)
            count = self.counts[group] = self.counts.get(group, 0) + 1
            if count == self.part.index:
                chosen.append(one)
        if chosen and not self.part.variables:
            self.is_over = True
            self.child.forget(world.position)  # nothing counts any more, so nothing is kept
        return chosen

    def _group(self, found: Found) -> tuple[object, ...]:
        bound = [name for name in self.part.variables if name in found.variables]
        return tuple((name, join_key(found.variables[name])) for name in bound)

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited."""
        return iter(()) if self.is_over else self.child.open_places()

    def instances(self) -> Iterator[Found]:
        """Yield the partial matches of what is counted."""
        return iter(()) if self.is_over else self.child.instances()

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        self.child.forget(position)

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop the instances that have left their reach."""
        self.child.expire(world, position, end)
