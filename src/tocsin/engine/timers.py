"""One queue of deadlines for all subscriptions, driven by the clock."""

from __future__ import annotations

import heapq


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

    __slots__ = ("_heap", "_waiting")

    def __init__(self) -> None:
        self._heap: list[int] = []
        self._waiting: dict[int, set[int]] = {}

    def __len__(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def add(self, deadline: int, who: int) -> None:
        """Let somebody wait for a deadline."""
        waiting = self._waiting.get(deadline)
        if waiting is None:
            heapq.heappush(self._heap, deadline)
            waiting = self._waiting[deadline] = set()
        waiting.add(who)

    def remove(self, who: int) -> None:
        """Let somebody wait no longer."""
        for deadline in [d for d, waiting in self._waiting.items() if who in waiting]:
            self._waiting[deadline].discard(who)
            if not self._waiting[deadline]:
                del self._waiting[deadline]
        self._heap = list(self._waiting)
        heapq.heapify(self._heap)

    def pop_until(self, moment: int) -> tuple[int, set[int]] | None:
        """Take the earliest deadline up to a moment; return it and who waits."""
        while self._heap and self._heap[0] <= moment:
            deadline = heapq.heappop(self._heap)
            waiting = self._waiting.pop(deadline, None)
            if waiting:
                return deadline, waiting
        return None

    def next_of(self, who: int) -> int | None:
        """Return the earliest deadline that somebody waits for."""
        return min((d for d, waiting in self._waiting.items() if who in waiting), default=None)

    def drop(self, deadline: int, who: int) -> None:
        """Let somebody wait no longer for one deadline."""
        self._waiting[deadline].discard(who)
