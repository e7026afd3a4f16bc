"""When filters are evaluated: all of them ahead for a batch, or those awaited event by event."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tocsin.engine.columns import Batch
from tocsin.engine.index import IndexArrays, PredicateIndex
from tocsin.engine.index.pools import Pools
from tocsin.engine.index.satisfied import Satisfied
from tocsin.engine.linear.arrays import Events
from tocsin.engine.linear.machine import LinearMachine


class Evaluation(Protocol):
    """A way of running a batch through a machine."""

    def run(self, machine: LinearMachine, begin: int, events: Events) -> int:
        """Run events from `begin` on until all are done, or one finds no room; return which."""
        ...


class Ahead:
    """Every filter is evaluated for the whole batch before the first event is processed."""

    def __init__(self, satisfied: Satisfied, pools: Pools) -> None:
        self._found = satisfied.offsets, satisfied.filters
        self._pools = pools

    def run(self, machine: LinearMachine, begin: int, events: Events) -> int:
        """Run events from `begin` on until all are done, or one finds no room; return which."""
        return machine.run(begin, events, self._found, self._pools)


class SingleStep:
    """A filter is evaluated when its event comes, and only if somebody waits for it."""

    def __init__(self, index: PredicateIndex, ready: Batch) -> None:
        self._index = index
        self._ready = ready
        self._room = np.empty(max(index.filter_end, 1), np.int32)
        self._known = index.arrays()

    def run(self, machine: LinearMachine, begin: int, events: Events) -> int:
        """Run events from `begin` on until all are done, or one finds no room; return which."""
        return machine.run_single_step(begin, events, self._arrays(), self._room)

    def _arrays(self) -> IndexArrays:
        """Return the arrays of the index; where limits took filters away, strings come anew."""
        if self._index.arrays() is not self._known:
            self._index.prepare(self._ready)
            self._known = self._index.arrays()
        return self._known
