"""What a leading absence has to know about the past, without keeping the past.

Where the absent q is an atom that looks at nothing but its own event and variables, it is enough to
know, for each value of those, since when a q has been there (`!q ; r`), or in which times an r must
not begin (`!q FOR T ; p`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping

from tocsin.engine.comparisons import equal
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.state import Placed, nothing_left
from tocsin.model.values import Value, join_key


class Sighting:
    """The q's with the same values of their variables.

    Attributes
    ----------
    position, end
        Those of the first.
    forbidden
        Disjoint times (after, until], in order, in which nothing may begin.
    """

    __slots__ = ("end", "forbidden", "position", "variables")

    def __init__(self, placed: Placed, variables: Mapping[str, Value]) -> None:
        self.position = placed.position
        self.end = placed.event.end
        self.variables = variables
        self.forbidden: list[tuple[int, int]] = []

    def forbid(self, after: int, until: int) -> None:
        """Forbid a time; those that come later begin later."""
        if until <= after:
            return
        if self.forbidden and after <= self.forbidden[-1][1]:
            begin, end = self.forbidden[-1]
            self.forbidden[-1] = (begin, max(end, until))
        else:
            self.forbidden.append((after, until))

    def forbids(self, begin: int) -> bool:
        """Say whether nothing may begin at a moment."""
        index = bisect_left(self.forbidden, (begin, begin)) - 1
        return index >= 0 and begin <= self.forbidden[index][1]

    def agrees(self, variables: Mapping[str, Value]) -> bool:
        """Say whether variables have the same values, where both are bound."""
        return all(
            name not in variables or equal(value, variables[name])
            for name, value in self.variables.items()
        )


class Sightings:
    """All q's of one atom so far, by the values of their variables."""

    __slots__ = ("_duration", "_leaf", "_seen")

    def __init__(self, leaf: LeafPart, duration: int | None) -> None:
        self._leaf = leaf
        self._duration = duration
        self._seen: dict[tuple[object, ...], Sighting] = {}

    def note(self, placed: Placed) -> None:
        """Take the next event."""
        event = placed.event
        if not self._leaf.passes(event):
            return
        variables = self._leaf.take(nothing_left(), event)
        if variables is None:
            return
        key = tuple(join_key(variables[name]) for name in self._leaf.joined)
        seen = self._seen.get(key)
        if seen is None:
            seen = self._seen[key] = Sighting(placed, variables)
        if self._duration is not None:
            seen.forbid(event.end, event.begin + self._duration)

    def matching(self, variables: Mapping[str, Value]) -> Iterator[Sighting]:
        """Yield the q's that agree with variables."""
        if all(name in variables for name in self._leaf.joined):
            seen = self._seen.get(tuple(join_key(variables[name]) for name in self._leaf.joined))
            if seen is not None:
                yield seen
            return
        for seen in self._seen.values():
            if seen.agrees(variables):
                yield seen
