"""What a leading absence has to know about the past, without keeping the past.

Where the absent q finds the same matches for all who look back (see `alone`), it is enough to know,
for each value of its variables, since when a q has been there (`!q ; r`), or in which times an r
must not begin (`!q FOR T ; p`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tocsin.engine.machines.by_variables import ByVariables
from tocsin.engine.machines.machine import Machine, Part
from tocsin.engine.state import Found, Placed, nothing_left
from tocsin.model.values import Value

if TYPE_CHECKING:
    from tocsin.engine.machines.world import World


class Sighting:
    """The q's with the same values of their variables.

    Attributes
    ----------
    position, end
        Where the first was complete, and its end.
    forbidden
        Disjoint times (after, until], in order, in which nothing may begin.
    """

    __slots__ = ("end", "forbidden", "position")

    def __init__(self, position: int, end: int) -> None:
        self.position = position
        self.end = end
        self.forbidden: deque[tuple[int, int]] = deque()

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

    def forget(self, before: int) -> None:
        """Forget the times that were over before a moment."""
        while self.forbidden and self.forbidden[0][1] < before:
            self.forbidden.popleft()


class Sightings:
    """All q's of one part so far, by the values of their variables.

    Parameters
    ----------
    part
        What is absent; it stands alone.
    duration
        That of `!q FOR T`; None for `!q ; r`.
    span_us
        How long ago a match to come may have begun; None where that is not known.
    """

    __slots__ = ("_ageing", "_duration", "_machine", "_seen", "_span_us")

    def __init__(self, part: Part, duration: int | None, span_us: int | None) -> None:
        self._duration = duration
        self._span_us = span_us
        self._machine: Machine | None = part.open(nothing_left())
        self._seen: ByVariables[Sighting] = ByVariables()
        self._ageing: deque[tuple[int, Mapping[str, Value]]] = deque()

    def note(self, world: World, placed: Placed) -> None:
        """Take the next event."""
        if self._machine is None:
            return
        for q in world.feed_aside(self._machine, placed):
            self._see(q, placed.position)
        if self._ageing and self._span_us is not None:
            self._forget(placed.event.end - self._span_us)

    def _see(self, q: Found, position: int) -> None:
        seen = self._seen.get(q.variables)
        if seen is None:
            seen = Sighting(position, q.end)
            self._seen.put(q.variables, seen)
        if self._duration is not None:
            self._forbid(seen, q, self._duration)
        elif not q.variables:  # one q agrees with everybody: no other one matters
            self._machine = None

    def _forbid(self, seen: Sighting, q: Found, duration: int) -> None:
        until = q.begin + duration
        seen.forbid(q.end, until)
        if self._span_us is not None:
            self._ageing.append((max(q.end, until), q.variables))

    def _forget(self, before: int) -> None:
        """Forget what forbids only times in which nothing to come can begin."""
        while self._ageing and self._ageing[0][0] < before:
            _, variables = self._ageing.popleft()
            seen = self._seen.get(variables)
            if seen is not None:
                seen.forget(before)
                if not seen.forbidden:
                    self._seen.remove(variables)

    def matching(self, variables: Mapping[str, Value]) -> Iterator[Sighting]:
        """Yield the q's that agree with variables."""
        return self._seen.agreeing(variables)
