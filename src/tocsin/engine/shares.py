"""Which part of the memory of a lane belongs to one of its subscriptions."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy.typing as npt

from tocsin.engine.linear import LinearLane
from tocsin.engine.linear.arrays import KEPT, LINKS, NONE


class LaneShares:
    """Divides the memory of a lane among its subscriptions.

    A node of the plan has an equal share of plan and index, and all who pass through it divide it;
    an instance has an equal share of the state in use, and all who wait with it divide that. Room
    that nothing lives in yet belongs to nobody.
    """

    def __init__(self, lane: LinearLane) -> None:
        self._lane = lane
        fixed = lane.store.nbytes + lane.guards.nbytes + lane.order_of.nbytes + lane.index.nbytes
        self._bytes_of_node = fixed / max(lane.store.nodes, 1)
        self._bytes_of_instance = _state_in_use(lane) / max(lane.machine.live, 1)

    def bytes_of(self, number: int) -> int:
        """Return the bytes of the subscription with a number in the lane."""
        store = self._lane.store
        accepts = store.accepts_of_subscription.of(number)[:, 0].tolist()
        passes = Counter(node for last in accepts for node in store.way(last))
        uses = store.moves["uses"]
        nodes = sum(count / int(uses[node]) for node, count in passes.items())
        return round(nodes * self._bytes_of_node + self._waiting(passes) * self._bytes_of_instance)

    def _waiting(self, passes: Counter[int]) -> float:
        """Return how many instances wait for one subscription, those of several in part."""
        store, waiting = self._lane.store, self._lane.machine.instances.waiting
        own: Counter[int] = Counter()
        for node, count in passes.items():
            for group in {int(store.moves[name][node]) for name in ("group", "loop")}:
                own[group] += count
        known = [group for group in own if NONE < group < len(waiting) and waiting[group]]
        return sum(
            int(waiting[group]) * min(own[group] / self._uses_of(group), 1.0) for group in known
        )

    def _uses_of(self, group: int) -> int:
        """Return how often subscriptions wait in a group; a loop has the uses of its node."""
        moves = self._lane.store.moves
        nodes = moves["target"][self._lane.store.moves_of_group.of(group)[:, 0]]
        return max(int(moves["uses"][nodes].sum()), 1)


def _state_in_use(lane: LinearLane) -> int:
    """Return the bytes of live instances, of what they have taken, and of the events of that."""
    machine, counters = lane.machine, lane.machine.work.counters
    of_instance = _row_bytes(machine.instances.cells, machine.instances.key_bits)
    of_link, of_event = _row_bytes(*machine.links), _row_bytes(*machine.kept)
    links, events = int(counters[LINKS]), int(counters[KEPT])
    return machine.live * of_instance + links * of_link + events * of_event


def _row_bytes(*arrays: npt.NDArray[Any]) -> int:
    return sum(int(array.nbytes) // max(len(array), 1) for array in arrays)
