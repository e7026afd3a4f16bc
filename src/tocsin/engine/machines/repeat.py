"""`repeat(p, n, attribute, v) BY &`: n events whose attribute grows by v, in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from tocsin.engine.machines.both import agree, are_disjoint, union
from tocsin.engine.machines.diary import Ending, Why
from tocsin.engine.machines.iteration import Growth, has_grown
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, OpenPlace, Part, Reach
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed


class AnyOrderPart(Part):
    """Several matches of one part whose attribute makes a ladder."""

    def __init__(
        self,
        part: Part,
        times: int,
        growth: Growth,
        openings: tuple[LeafPart, ...],
        *,
        reach: Reach,
    ) -> None:
        self.part = part
        self.times = times
        self.growth = growth
        self.openings = openings
        self.variants = (openings,)
        self.waits_us = part.waits_us
        self.reach = reach.with_waits(self.waits_us)

    def open(self, left: Left) -> AnyOrderMachine:
        """Return a machine for this ladder."""
        return AnyOrderMachine(self, left)

    def is_next(self, before: Found, found: Found) -> bool:
        """Say whether one match is the rung above another.

        With a step of 0 every order gives the same events: one of them is enough.
        """
        in_order = self.growth[1] != 0 or found.first > before.first
        return in_order and has_grown(self.growth, before, found)


class AnyOrderMachine(Machine):
    """A ladder in its place: its rungs are kept until all are there."""

    __slots__ = ("child", "has_opened", "left", "part", "rungs")

    def __init__(self, part: AnyOrderPart, left: Left) -> None:
        self.part = part
        self.left = left
        self.child = part.part.open(left)
        self.rungs: deque[Found] = deque()
        self.has_opened = False

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event; once the first rung may have come, the others may come later."""
        self.has_opened = self.has_opened or may_start
        self._drop_oldest(world, placed.position, placed.event.end)
        complete: list[Found] = []
        for found in self.child.feed(world, placed, may_start=self.has_opened):
            for below in range(self.part.times):
                complete += self._ladders(found, below)
            if world.admit():
                self.rungs.append(found)
            else:
                self._note(world, "limit", found, None)
        return complete

    def _note(self, world: World, why: Why, found: Found, at: int | None) -> None:
        """Note the end of a rung, which waited for the others."""
        left, part = self.left.behind(found), self.part
        world.diary.note(Ending(why, left, part.openings, at, cause=part, begin=found.begin))

    def _ladders(self, found: Found, below: int) -> Iterator[Found]:
        """Yield the ladders in which a new rung has so many below it."""
        for lower in self._descend((found,), below):
            for ladder in self._climb(lower, self.part.times - len(lower)):
                yield union(ladder, self.part.openings)

    def _descend(self, ladder: tuple[Found, ...], missing: int) -> Iterator[tuple[Found, ...]]:
        if not missing:
            yield ladder
            return
        for rung in self.rungs:
            if self.part.is_next(rung, ladder[0]) and _are_compatible((rung, *ladder)):
                yield from self._descend((rung, *ladder), missing - 1)

    def _climb(self, ladder: tuple[Found, ...], missing: int) -> Iterator[tuple[Found, ...]]:
        if not missing:
            yield ladder
            return
        for rung in self.rungs:
            if self.part.is_next(ladder[-1], rung) and _are_compatible((*ladder, rung)):
                yield from self._climb((*ladder, rung), missing - 1)

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited."""
        return self.child.open_places()

    def instances(self) -> Iterator[Found]:
        """Yield the rungs."""
        yield from self.rungs

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop the oldest rungs, as long as they have left the reach."""
        self._drop_oldest(world, position, end)
        self.child.expire(world, position, end)

    def _drop_oldest(self, world: World, position: int, end: int) -> None:
        rungs, reach = self.rungs, self.part.reach
        while rungs and reach.is_left_by(rungs[0].first, rungs[0].begin, position, end):
            self._note(world, "window", rungs.popleft(), end)

    def forget(self, position: int) -> None:
        """Drop the rungs at or before a position."""
        self.rungs = deque(rung for rung in self.rungs if rung.first > position)


def _are_compatible(parts: tuple[Found, ...]) -> bool:
    return are_disjoint(parts) and agree(parts)
