"""The answer of the index for a batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array


@dataclass(frozen=True, slots=True)
class Satisfied:
    """The filters that each event of a batch satisfies.

    Those of event i are `filters[offsets[i]:offsets[i + 1]]`, in no order.
    """

    offsets: Int64Array
    filters: Int32Array

    def of(self, event: int) -> list[int]:
        """Return the filters of one event, in order."""
        found = self.filters[self.offsets[event] : self.offsets[event + 1]]
        return sorted(found.tolist())

    def by_filter(self) -> EventsByFilter:
        """Return the same, the other way round."""
        events = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        order = np.argsort(self.filters, kind="stable")
        numbers, first = np.unique(self.filters[order], return_index=True)
        spans = pairwise([*first.tolist(), len(order)])
        return EventsByFilter(events[order], dict(zip(numbers.tolist(), spans, strict=True)))


class EventsByFilter:
    """The events of a batch that satisfy a filter, in their order.

    Examples
    --------
    >>> found = Satisfied(np.array([0, 2, 3]), np.array([7, 4, 7], np.int32)).by_filter()
    >>> found[7].tolist(), found[4].tolist(), found[1].tolist(), list(found)
    ([0, 1], [0], [], [4, 7])
    """

    def __init__(self, events: Int64Array, spans: dict[int, tuple[int, int]]) -> None:
        self._events = events
        self._spans = spans

    def __getitem__(self, number: int) -> Int64Array:
        """Return the events of a filter, none where nobody satisfies it."""
        begin, end = self._spans.get(number, (0, 0))
        return self._events[begin:end]

    def __iter__(self) -> Iterator[int]:
        """Return the filters that some event satisfies."""
        return iter(self._spans)
