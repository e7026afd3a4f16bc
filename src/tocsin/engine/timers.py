"""One queue of deadlines for all subscriptions, driven by the clock."""

from __future__ import annotations

import heapq
from typing import Final

_FEW: Final = 64  # so many forgotten deadlines may stay in the heap


class Timers:
    """Deadlines that somebody waits for, each once for each who waits.

    An event with end x says that nothing with an earlier end will come: it reaches every deadline
    before x. A clock w reaches w itself.

    Examples
    --------
    >>> timers = Timers()
    >>> timers.add(10, 0)
    >>> timers.add(10, 1)
    >>> timers.pop_until(9), timers.pop_until(10), len(timers)
    (None, (10, {0, 1}), 0)
    """

    __slots__ = ("_deadlines_of", "_heap", "_waiting")

    def __init__(self) -> None:
        self._heap: list[int] = []  # deadlines for which nobody waits any more among them
        self._waiting: dict[int, set[int]] = {}
        self._deadlines_of: dict[int, set[int]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._deadlines_of.values()))

    def add(self, deadline: int, who: int) -> None:
        """Let somebody wait for a deadline."""
        waiting = self._waiting.get(deadline)
        if waiting is None:
            heapq.heappush(self._heap, deadline)
            waiting = self._waiting[deadline] = set()
        waiting.add(who)
        self._deadlines_of.setdefault(who, set()).add(deadline)

    def remove(self, who: int) -> None:
        """Let somebody wait no longer, at a cost that depends on their own deadlines alone."""
        for deadline in self._deadlines_of.pop(who, ()):
            self._leave(deadline, who)

    def pop_until(self, moment: int) -> tuple[int, set[int]] | None:
        """Take the earliest deadline up to a moment; return it and who waits."""
        while self._heap and self._heap[0] <= moment:
            deadline = heapq.heappop(self._heap)
            waiting = self._waiting.pop(deadline, None)
            if waiting:
                for who in waiting:
                    self._forget(deadline, who)
                return deadline, waiting
        return None

    def next(self) -> int | None:
        """Return the earliest deadline that anybody waits for."""
        while self._heap and self._heap[0] not in self._waiting:
            heapq.heappop(self._heap)
        return self._heap[0] if self._heap else None

    def next_of(self, who: int) -> int | None:
        """Return the earliest deadline that somebody waits for."""
        return min(self._deadlines_of.get(who, ()), default=None)

    def drop(self, deadline: int, who: int) -> None:
        """Let somebody wait no longer for one deadline."""
        self._forget(deadline, who)
        self._leave(deadline, who)

    def _forget(self, deadline: int, who: int) -> None:
        own = self._deadlines_of[who]
        own.discard(deadline)
        if not own:
            del self._deadlines_of[who]

    def _leave(self, deadline: int, who: int) -> None:
        """Take somebody from a deadline; it leaves the heap with others, where many are left."""
        waiting = self._waiting[deadline]
        waiting.discard(who)
        if waiting:
            return
        del self._waiting[deadline]
        if len(self._heap) > 2 * len(self._waiting) + _FEW:
            self._heap = sorted(self._waiting)
