"""`p | q`: the matches of both."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, OpenPlace, Part, awaited_together
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed


class EitherPart(Part):
    """Any of several parts."""

    def __init__(self, parts: tuple[Part, ...], openings: tuple[LeafPart, ...]) -> None:
        self.parts = parts
        self.openings = openings
        self.variants = (openings,)
        self.waits_us = max(part.waits_us for part in parts)
        self.can_be_empty = any(part.can_be_empty for part in parts)
        self.awaited = awaited_together(parts)

    def open(self, left: Left) -> EitherMachine:
        """Return a machine for all of them."""
        return EitherMachine(self, left)


class EitherMachine(Machine):
    """Branches in their place."""

    __slots__ = ("branches", "part")

    def __init__(self, part: EitherPart, left: Left) -> None:
        self.part = part
        self.branches = [branch.open(left) for branch in part.parts]

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event."""
        return [
            found.opened_by(self.part.openings)
            for branch in self.branches
            for found in branch.feed(world, placed, may_start=may_start)
        ]

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return what the clock completes at a deadline."""
        if not self.part.waits_us:
            return []
        return [
            found.opened_by(self.part.openings)
            for branch in self.branches
            for found in branch.reach(world, deadline, upcoming)
        ]

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited."""
        for branch in self.branches:
            yield from branch.open_places()

    def instances(self) -> Iterator[Found]:
        """Yield the partial matches of all branches."""
        for branch in self.branches:
            yield from branch.instances()

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        for branch in self.branches:
            branch.forget(position)

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop the instances that have left their reach."""
        for branch in self.branches:
            branch.expire(world, position, end)
