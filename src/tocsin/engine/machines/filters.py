"""Conditions on whole matches: `p @ (condition)` and `(p WITHIN limit)`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from tocsin.engine.expressions import Condition, compile_condition
from tocsin.engine.machines.diary import Ending, Why
from tocsin.engine.machines.machine import Machine, OpenPlace, Part
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed
from tocsin.language.tree import Expression, Limit


class FilterPart(Part):
    """A part of whose matches only some are kept."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.variants = part.variants
        self.waits_us = part.waits_us
        self.can_be_empty = part.can_be_empty
        self.awaited = part.awaited

    @abstractmethod
    def keeps(self, left: Left, found: Found) -> bool:
        """Say whether a match is kept."""

    def open(self, left: Left) -> FilterMachine:
        """Return a machine for the part and its condition."""
        return FilterMachine(self, left)


class GuardPart(FilterPart):
    """`p @ (condition)`."""

    def __init__(self, part: Part, text: Expression) -> None:
        super().__init__(part)
        self.text = text
        self.condition: Condition = compile_condition(text)

    def keeps(self, left: Left, found: Found) -> bool:
        """The condition sees the match and what stands to its left."""
        return self.condition(left.behind(found), None)


class BoundedPart(FilterPart):
    """`(p WITHIN limit)`."""

    def __init__(self, part: Part, limit: Limit) -> None:
        super().__init__(part)
        self.limit = limit

    def keeps(self, left: Left, found: Found) -> bool:
        """The limit speaks of the match alone."""
        del left
        return is_within(found, self.limit)


def is_within(found: Found, limit: Limit) -> bool:
    """`WITHIN T`: end - begin <= T; `WITHIN n EVENTS`: last - first < n."""
    assert isinstance(limit.amount, int), "templates are filled in before they run"
    if limit.unit == "time":
        return found.end - found.begin <= limit.amount
    return found.last.position - found.first < limit.amount


class FilterMachine(Machine):
    """A part in its place, and a condition on its matches."""

    __slots__ = ("child", "left", "part")

    def __init__(self, part: FilterPart, left: Left) -> None:
        self.part = part
        self.left = left
        self.child = part.part.open(left)

    @property
    def is_over(self) -> bool:  # type: ignore[override]
        """Whether the part can never match again."""
        return self.child.is_over

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event."""
        found = self.child.feed(world, placed, may_start=may_start)
        return [one for one in found if self._keeps(world, one, placed)]

    def _keeps(self, world: World, found: Found, placed: Placed | None) -> bool:
        """Say whether a match is kept, and note the end of one that is not."""
        part = self.part
        if part.keeps(self.left, found):
            return True
        why: Why = "window" if isinstance(part, BoundedPart) else "condition"
        left = self.left.behind(found)
        settled, begin = found.settled, found.begin
        world.diary.note(Ending(why, left, at=settled, by=placed, cause=part, begin=begin))
        return False

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return what the clock completes at a deadline."""
        if not self.part.waits_us:
            return []
        found = self.child.reach(world, deadline, upcoming)
        return [one for one in found if self._keeps(world, one, None)]

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited."""
        return self.child.open_places()

    def instances(self) -> Iterator[Found]:
        """Yield the partial matches of the part."""
        return self.child.instances()

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        self.child.forget(position)

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop the instances that have left their reach."""
        self.child.expire(world, position, end)
