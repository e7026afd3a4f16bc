"""The stream that one subscription sees, and what may follow what in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tocsin.language.normal import Leaf, Normal
from tocsin.model.values import Value
from tocsin.reference.context import Context, Match, Place, Placed
from tocsin.reference.evaluate import View, satisfy


@dataclass(frozen=True, slots=True)
class World:
    """What the patterns of one subscription are matched against.

    Attributes
    ----------
    stream
        The events of the subscription, in order of position; there are gaps in a part of a stream.
    start
        When it began to watch; None where there has been no event and no clock.
    unordered
        Whether events with equal end times never follow one another.
    completion
        The place at which a match becomes certain, None where it never does.
    find
        What finds the matches of a part: the parts of a sequence are patterns themselves.
    """

    stream: tuple[Placed, ...]
    start: int | None
    unordered: bool
    completion: Callable[[Match], Place | None]
    find: Callable[[World, Normal, Context], Iterator[Match]]

    def matches(self, node: Normal, context: Context) -> Iterator[Match]:
        """Yield the matches of a part, given what stands to its left."""
        return self.find(self, node, context)

    def following(self, context: Context) -> Iterator[Placed]:
        """Yield the events that may follow what stands to the left."""
        if context.after is None:
            yield from self.stream
            return
        position, end, settled = context.after
        for placed in self.stream[self._index_after(position) :]:
            begin = placed.event.begin
            too_early = (settled > end and begin <= settled) or (self.unordered and begin <= end)
            if not too_early:
                yield placed

    def from_to(self, first: int, last: int) -> tuple[Placed, ...]:
        """Return the events at the positions from one to another, both included."""
        return self.stream[self._index_after(first - 1) : self._index_after(last)]

    def _index_after(self, position: int) -> int:
        return bisect_right(self.stream, position, key=lambda placed: placed.position)


def opens(leaf: Leaf, placed: Placed, context: Context) -> dict[str, Value] | None:
    """Return the variables after an event took the part of an atom, or None where it cannot."""
    if leaf.stream is not None and placed.event.stream != leaf.stream:
        return None
    variables = satisfy(leaf.condition, View(context, placed.event, leaf.alias))
    return None if variables is None else dict(variables)
