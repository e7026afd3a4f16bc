"""Partial matches of a sequence, and for which events they wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, OpenPlace, Part
from tocsin.engine.state import Found, Left

if TYPE_CHECKING:
    from tocsin.engine.machines.sequence import SequencePart
    from tocsin.engine.machines.world import World

Step: TypeAlias = tuple[int, Part, Link | None]  # how many are done then, the element, its joint


def awaited_by(steps: tuple[Step, ...]) -> tuple[LeafPart, ...] | None:
    """Return the atoms for whose events alone the elements of some steps wait."""
    leaves: list[LeafPart] = []
    for _, element, link in steps:
        assert link is not None, "only the first element has no joint"
        awaited = link.awaited(element)
        if awaited is None:
            return None
        leaves += awaited
    return tuple(dict.fromkeys(leaves))


class Instance:
    """A partial match: some elements are there, others may follow."""

    __slots__ = ("awaited", "done", "found", "latest", "left", "number", "steps", "stop")

    def __init__(self, part: SequencePart, found: Found, latest: Found, left: Left, done: int):
        self.found = found
        self.latest = latest
        self.done = done
        self.number = -1  # its number among those that wait, see `waiting`
        self.awaited: tuple[LeafPart, ...] = ()  # the atoms for which it waits then
        self.stop: int | None = None  # the position of the event that ended it, see `until`
        self.left = part.left_of_next(left)
        self.steps = [
            (after, _opened(element, link, self.left)) for after, element, link in part.steps(done)
        ]

    def expire(self, world: World, position: int, end: int) -> None:
        """Let end what has ended before, unseen, so that it is told for what it was."""
        for _, machine in self.steps:
            machine.expire(world, position, end)

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which it waits."""
        for _, machine in self.steps:
            yield from machine.open_places()


def _opened(element: Part, link: Link | None, left: Left) -> Machine:
    assert link is not None, "only the first element has no joint"
    return link.open(element, left)
