"""The tables of a plan: groups, moves and nodes, and the lists that lead from one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tocsin.engine.index.hashing import RowTable, next_size, sized
from tocsin.engine.index.owners import Numbers
from tocsin.engine.linear.arrays import NONE, Int32Array, Int64Array, Plan
from tocsin.engine.linear.columns import Columns
from tocsin.engine.linear.lists import Lists
from tocsin.engine.linear.queues import Queues

# In the order of the columns that `arrays` names. A row of the moves is a cache line.
_GROUPS: Final = dict.fromkeys(
    ("kind", "queue", "gate_guard", "key", "owner", "span_us", "span_events", "node"), NONE
)
_MOVES: Final = dict.fromkeys(
    ("filter", "guard", "until", "leaf", "target", "group", "node_guard", "loop"), NONE
) | dict.fromkeys(
    ("uses", "groups_begin", "groups", "accepts_begin", "accepts", "$13", "$14", "$15"), 0
)
_FILTERS: Final = dict.fromkeys(("waits_begin", "waits", "starts_begin", "starts"), 0)
_TERMS: Final = {"guard": NONE, "span_us": 0, "span_events": 0, "uses": 0}


class PlanTables:
    """What a plan consists of, and what can be asked about it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.group_prints, self.move_prints = RowTable(2), RowTable(2)
        self.terms_rows = RowTable(3)
        self.groups, self.moves = Columns(_GROUPS, np.int32), Columns(_MOVES, np.int32)
        self.terms = Columns(_TERMS, np.int64)
        self.subscriptions = Numbers()
        self.made = np.zeros(8, np.int64)
        self._filters = Columns(_FILTERS, np.int32)
        self.moves_of_group, self.ends_of_group = Lists(1), Lists(1)
        self.groups_of_node = Lists(1, self.moves, "groups_begin")
        self.accepts_of_node = Lists(2, self.moves, "accepts_begin")
        self.accepts_of_subscription = Lists(2)
        self.starts_of_filter = Lists(1, self._filters, "starts_begin")
        self.waits_of_filter = Lists(2, self._filters, "waits_begin")
        self.queues = Queues(self.waits_of_filter)

    @property
    def size(self) -> int:
        """How many subscriptions there are."""
        return self.subscriptions.used

    @property
    def nodes(self) -> int:
        """How many nodes there are, loops and ends of waiting not counted."""
        return self.move_prints.size - self._loops()

    def _loops(self) -> int:
        used = self.moves["group"][: self.moves.size] != NONE
        same = self.moves["target"][: self.moves.size] == np.arange(self.moves.size)
        return int((used & ~same).sum())

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        parts = (
            self.group_prints, self.move_prints, self.terms_rows, self.groups, self.moves,
            self.terms, self._filters, self.moves_of_group, self.groups_of_node,
            self.ends_of_group, self.accepts_of_node, self.accepts_of_subscription,
            self.starts_of_filter, self.waits_of_filter,
        )  # fmt: skip
        return sum(one.nbytes for one in parts) + int(self.made.nbytes)

    def new_subscriptions(self, count: int, made: int) -> Int32Array:
        """Return numbers for so many subscriptions; events count for them from a position on."""
        numbers = self.subscriptions.take(count)
        if self.subscriptions.end > len(self.made):
            size = next_size(len(self.made), self.subscriptions.end)
            self.made = sized(self.made, size, 0)
        self.made[numbers] = made
        return numbers

    def numbers(self) -> Int64Array:
        """Return the numbers of all subscriptions."""
        return self.accepts_of_subscription.owners()

    def way(self, node: int) -> Iterator[int]:
        """Yield a node and all that leads to it, the last first."""
        while node != NONE:
            yield node
            node = int(self.groups["node"][self.moves["group"][node]])

    def parents(self, nodes: Int32Array) -> Int32Array:
        """Return the nodes that lead to some; those that open matches have none."""
        parents = self.groups["node"][self.moves["group"][nodes]]
        inner: Int32Array = parents[parents != NONE]
        return inner

    def through(self, group: int) -> list[int]:
        """Return the subscriptions that wait in a group on their way."""
        found: set[int] = set()
        moves = self.moves_of_group.of(group)[:, 0].tolist()
        while moves:
            node = int(self.moves["target"][moves.pop()])
            found.update(self.accepts_of_node.of(node)[:, 0].tolist())
            for following in self.groups_of_node.of(node)[:, 0].tolist():
                moves += self.moves_of_group.of(following)[:, 0].tolist()
        return sorted(found)

    def groups_of(self, subscription: int) -> list[int]:
        """Return the groups in which instances of a subscription wait."""
        found: set[int] = set()
        for node, _ in self.accepts_of_subscription.of(subscription).tolist():
            for passed in self.way(node):
                found.update((int(self.moves["group"][passed]), int(self.moves["loop"][passed])))
        return sorted(found - {NONE})

    def spans_of(self, subscription: int) -> tuple[int, int]:
        """Return how long matches of a subscription may last: in microseconds, and in events."""
        terms = self.accepts_of_subscription.of(subscription)[:, 1]
        return int(self.terms["span_us"][terms].max()), int(self.terms["span_events"][terms].max())

    def plan(self, filters: int) -> Plan:
        """Return the arrays that kernels read; ask again after each change."""
        of_group, of_move = self.groups.size, self.moves.size
        return Plan(
            self.groups.rows, self.moves.rows, self.terms.rows, self.made,
            self.moves_of_group.arrays(of_group), self.ends_of_group.arrays(0),
            self.groups_of_node.arrays(of_move), self.accepts_of_node.arrays(of_move),
            self.starts_of_filter.arrays(filters), self.waits_of_filter.arrays(filters),
        )  # fmt: skip
