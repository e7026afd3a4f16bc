"""Which subscriptions of the general road an event concerns, found by the predicate index."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tocsin.engine.columns import Batch, Vocabulary
from tocsin.engine.index import Counters, PredicateIndex
from tocsin.engine.linear.arrays import Int64Array
from tocsin.engine.linear.numbering import of_stream
from tocsin.engine.watch import Watch


class Concerns:
    """The interests of all watches: filters, and who is concerned where one holds.

    Parameters
    ----------
    vocabulary
        Batches must come from the same one.

    Attributes
    ----------
    index
        The filters.
    always
        The watches that every event of their streams concerns.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.index = PredicateIndex(vocabulary)
        self._concerned: dict[int, dict[int, None]] = {}
        self._filters_of: dict[int, list[int]] = {}
        self.always: dict[int, None] = {}

    @property
    def counters(self) -> Counters:
        """What the index has done so far."""
        return self.index.counters

    def add(self, watch: Watch) -> None:
        """Let a watch be called for what concerns it."""
        interests = watch.interests()
        if interests is None:
            self.always[watch.order] = None
            return
        filters = []
        for stream, condition in interests:
            number = self.index.add_condition(of_stream(condition, stream))
            self._concerned.setdefault(number, {})[watch.order] = None
            filters.append(number)
        self._filters_of[watch.order] = filters

    def remove(self, order: int) -> None:
        """Let a watch be called no more."""
        self.always.pop(order, None)
        for number in self._filters_of.pop(order, ()):
            concerned = self._concerned.get(number, {})
            concerned.pop(order, None)
            if not concerned:
                self._concerned.pop(number, None)
            self.index.remove(number)

    def of_batch(self, batch: Batch) -> tuple[Int64Array, list[list[int]]]:
        """Return the events that concern somebody by a filter, and whom each of them concerns."""
        if not self._concerned:
            return np.zeros(0, np.int64), []
        satisfied = self.index.match_prepared(self.index.prepare(batch))
        counts = np.diff(satisfied.offsets)
        events = np.flatnonzero(counts)
        concerned = [self._orders(satisfied.of(int(event))) for event in events]
        return events, concerned

    def _orders(self, filters: Iterable[int]) -> list[int]:
        found: dict[int, None] = {}
        for number in filters:
            found.update(self._concerned[number])
        return list(found)
