"""Which subscriptions of the general road an event concerns, found by the predicate index."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tocsin.engine.columns import Batch, Vocabulary
from tocsin.engine.index import Counters, PredicateIndex
from tocsin.engine.index.satisfied import EventsByFilter
from tocsin.engine.key_gate import KeyGate, are_many, gate_of
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

    def of_batch(self, batch: Batch, sees_all: Callable[[Watch], bool]) -> dict[int, list[int]]:
        """Return the events that concern somebody by a filter, each with whom it concerns.

        Parameters
        ----------
        sees_all
            Says of a watch whether keys do not matter for it now.
        """
        if not self._concerned:
            return {}
        ready = self.index.prepare(batch)
        satisfied = self.index.match_prepared(ready.kind, ready.bits)
        if not self._gates or not are_many(len(satisfied.filters)):
            events = np.flatnonzero(np.diff(satisfied.offsets)).tolist()
            return {event: self._orders(satisfied.of(event)) for event in events}
        events_of = satisfied.by_filter()
        needed = self._needed_by(batch, events_of, sees_all)
        found: dict[int, dict[int, None]] = {}
        for number in events_of:
            orders = {one: None for one in self._concerned[number] if one not in needed}
            for event in events_of[number].tolist() if orders else ():
                found.setdefault(event, {}).update(orders)
        for order, own in needed.items():
            for event in own.tolist():
                found.setdefault(event, {})[order] = None
        return {event: list(orders) for event, orders in found.items()}

    def _orders(self, filters: Iterable[int]) -> list[int]:
        found: dict[int, None] = {}
        for number in filters:
            found.update(self._concerned[number])
        return list(found)

    def _needed_by(
        self, batch: Batch, events_of: EventsByFilter, sees_all: Callable[[Watch], bool]
    ) -> dict[int, Int64Array]:
        """Return what watches of one key need to see, where more events concern them."""
        often = (number for number in events_of if are_many(len(events_of[number])))
        orders = dict.fromkeys(order for number in often for order in self._concerned[number])
        gates = {order: self._gates[order] for order in orders if order in self._gates}
        found = {
            order: gate.needed(batch, events_of, self._vocabulary)
            for order, gate in gates.items()
            if not sees_all(gate.watch)
        }
        return {order: events for order, events in found.items() if events is not None}
