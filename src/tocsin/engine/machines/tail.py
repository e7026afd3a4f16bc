"""A trailing `; !q FOR T`: a match that is complete once the clock has passed without a q."""

from __future__ import annotations

from tocsin.engine.machines.follow import Wait
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed


class Tail:
    """A match that waits for its deadline; a q that ends by then prevents it."""

    __slots__ = ("deadline", "found", "left", "machine")

    def __init__(self, wait: Wait, found: Found, left: Left) -> None:
        self.found = found
        self.left = left
        self.deadline = found.settled + wait.duration
        self.machine = wait.absent.open(left)

    def stays_quiet(self, world: World, placed: Placed) -> bool:
        """Take the next event, and say whether it is no end of a q in time."""
        found = self.machine.feed(world, placed, may_start=True)
        return not any(one.end <= self.deadline for one in found)

    def outlasts(self, world: World, upcoming: list[Placed]) -> bool:
        """Say whether events that stand right behind the deadline prevent it neither."""
        return all(self.stays_quiet(world, placed) for placed in upcoming)
