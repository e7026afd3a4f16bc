"""Which subscriptions of the general road an event concerns, found by the predicate index."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tocsin.engine.columns import Batch, Vocabulary
from tocsin.engine.index import Counters, PredicateIndex
from tocsin.engine.index.satisfied import Satisfied
from tocsin.engine.key_gate import Flags, KeyGate, are_many, gate_of
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
        self._vocabulary = vocabulary
        self._gates: dict[int, KeyGate] = {}

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
        numbers = {}
        for stream, condition in interests:
            number = self.index.add_condition(of_stream(condition, stream))
            self._concerned.setdefault(number, {})[watch.order] = None
            numbers[stream, condition] = number
        self._filters_of[watch.order] = list(numbers.values())
        gate = gate_of(watch, numbers, self._vocabulary)
        if gate is not None:
            self._gates[watch.order] = gate

    def remove(self, order: int) -> None:
        """Let a watch be called no more."""
        self.always.pop(order, None)
        self._gates.pop(order, None)
        for number in self._filters_of.pop(order, ()):
            concerned = self._concerned.get(number, {})
            concerned.pop(order, None)
            if not concerned:
                self._concerned.pop(number, None)
            self.index.remove(number)

    def of_batch(
        self, batch: Batch, is_fed: Callable[[tuple[str, ...]], bool]
    ) -> dict[int, list[int]]:
        """Return the events that concern somebody by a filter, each with whom it concerns.

        Parameters
        ----------
        is_fed
            Says of streams whether subscriptions feed them: their events do not come with a batch.
        """
        if not self._concerned:
            return {}
        satisfied = self.index.match_prepared(self.index.prepare(batch))
        passed = self._passed_by(batch, satisfied, is_fed)
        events = np.flatnonzero(self._are_needed(satisfied, passed))
        return {event: self._orders(satisfied, event, passed) for event in events.tolist()}

    def _orders(self, satisfied: Satisfied, event: int, passed: Mapping[int, Flags]) -> list[int]:
        found: dict[int, None] = {}
        for number in satisfied.of(event):
            found.update(self._concerned[number])
        return [order for order in found if order not in passed or not passed[order][event]]

    def _passed_by(
        self, batch: Batch, satisfied: Satisfied, is_fed: Callable[[tuple[str, ...]], bool]
    ) -> dict[int, Flags]:
        """Return, for watches of one key that many events concern, those that they need not see."""
        if not self._gates or not are_many(len(satisfied.filters)):
            return {}
        events_of = satisfied.by_filter()
        often = (number for number in events_of if are_many(len(events_of[number])))
        orders = dict.fromkeys(order for number in often for order in self._concerned[number])
        gates = {order: self._gates[order] for order in orders if order in self._gates}
        found = {
            order: gate.passed_by(batch, events_of, self._vocabulary)
            for order, gate in gates.items()
            if not is_fed(gate.watch.subscription.sources)
        }
        return {order: passed for order, passed in found.items() if passed is not None}

    def _are_needed(self, satisfied: Satisfied, passed: Mapping[int, Flags]) -> Flags:
        """Say which events concern somebody."""
        counts = np.diff(satisfied.offsets)
        if not passed:
            return counts > 0
        needed = np.zeros(len(counts), np.bool_)
        events_of = satisfied.by_filter()
        for number in events_of:
            own, orders = events_of[number], self._concerned[number]
            if all(order in passed for order in orders):
                for order in orders:
                    needed[own] |= ~passed[order][own]
            else:
                needed[own] = True
        return needed
