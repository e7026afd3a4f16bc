"""`p & q`: each side is buffered and joined with the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from tocsin.engine.comparisons import equal
from tocsin.engine.machines.diary import Ending, Why
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, OpenPlace, Part, Reach
from tocsin.engine.machines.side import Side
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed
from tocsin.model.values import Value


class BothPart(Part):
    """All sides, in any order, sharing no event."""

    def __init__(
        self,
        parts: tuple[Part, ...],
        openings: tuple[LeafPart, ...],
        *,
        variable: str | None,
        reach: Reach,
    ) -> None:
        self.parts = parts
        self.variable = variable  # by which the sides are joined, where they share one
        self.openings = openings
        self.variants = (openings,)
        self.waits_us = sum(part.waits_us for part in parts)
        self.can_be_empty = all(part.can_be_empty for part in parts)
        self.reach = reach.with_waits(self.waits_us)

    def open(self, left: Left) -> BothMachine:
        """Return a machine for all sides."""
        return BothMachine(self, left)


class BothMachine(Machine):
    """Sides in their place; the matches of each are kept for those of the others."""

    __slots__ = ("has_opened", "kept", "left", "part", "sides")

    def __init__(self, part: BothPart, left: Left) -> None:
        self.part = part
        self.left = left
        self.sides = [side.open(left) for side in part.parts]
        self.kept = [Side(part.variable) for _ in part.parts]
        self.has_opened = False

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event; once one side may have begun, the others may begin later."""
        self.has_opened = self.has_opened or may_start
        self._expire(world, placed.position, placed.event.end)
        opened = self.has_opened
        return self._join(
            world, [side.feed(world, placed, may_start=opened) for side in self.sides]
        )

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return what the clock completes at a deadline."""
        if not self.part.waits_us:
            return []
        return self._join(world, [side.reach(world, deadline, upcoming) for side in self.sides])

    def _join(self, world: World, new: list[list[Found]]) -> list[Found]:
        """Join new matches of each side with what the others have, then keep them."""
        joined: list[Found] = []
        for index, matches in enumerate(new):
            for found in matches:
                joined += self._joined(found, index)
            for found in matches:
                if world.admit():
                    self.kept[index].add(found)
                else:
                    self._note(world, "limit", found, index, None)
        return joined

    def _note(self, world: World, why: Why, found: Found, index: int, at: int | None) -> None:
        """Note the end of a match of one side, which waited for the others."""
        others = (part for number, part in enumerate(self.part.parts) if number != index)
        waited = tuple(dict.fromkeys(leaf for one in others for v in one.variants for leaf in v))
        left, part = self.left.behind(found), self.part
        world.diary.note(Ending(why, left, waited, at, cause=part, begin=found.begin))

    def _expire(self, world: World, position: int, end: int) -> None:
        for index, kept in enumerate(self.kept):
            for found in kept.expire(position, end, self.part.reach):
                self._note(world, "window", found, index, end)

    def _choices(self, found: Found, index: int) -> Iterator[Iterable[Found | None]]:
        """Yield what each side has to offer to a match, nothing included where it may vanish."""
        for number, (part, kept) in enumerate(zip(self.part.parts, self.kept, strict=True)):
            if number == index:
                yield (found,)
            elif part.can_be_empty:
                yield (*kept.agreeing(found.variables), None)
            else:
                yield kept.agreeing(found.variables)

    def _joined(self, found: Found, index: int) -> Iterator[Found]:
        for combination in product(*self._choices(found, index)):
            present = [found for found in combination if found is not None]
            if are_disjoint(present) and agree(present):
                yield union(present, self.part.openings)

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited."""
        for side in self.sides:
            yield from side.open_places()

    def instances(self) -> Iterator[Found]:
        """Yield the buffered matches and the partial ones."""
        for side, kept in zip(self.sides, self.kept, strict=True):
            yield from kept
            yield from side.instances()

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        for side, kept in zip(self.sides, self.kept, strict=True):
            side.forget(position)
            kept.forget(position)

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop what has left the reach."""
        self._expire(world, position, end)
        for side in self.sides:
            side.expire(world, position, end)


def are_disjoint(parts: Sequence[Found]) -> bool:
    """Say whether several matches share no event."""
    if len(parts) == 1:
        return True
    positions = [placed.position for part in parts for _, placed in part.taken]
    return len(positions) == len(set(positions))


def agree(parts: Sequence[Found]) -> bool:
    """Say whether several matches agree on every variable they share."""
    if len(parts) == 1:
        return True
    known: dict[str, Value] = {}
    for part in parts:
        for name, value in part.variables.items():
            if not equal(known.setdefault(name, value), value):
                return False
    return True


def union(parts: Sequence[Found], openings: tuple[LeafPart, ...]) -> Found:
    """Return the match that consists of several; of 1 and 1.0 the value bound first is kept."""
    whole = parts[0].opened_by(openings)
    variables: Mapping[str, Value] = whole.variables
    for part in parts[1:]:
        variables = {**part.variables, **variables}
        whole = whole.then(part)
    whole.variables = variables
    return whole
