"""Letting filters find the moves of a plan: those that start a match, and those of groups."""

from __future__ import annotations

import numpy as np

from tocsin.engine.linear.arrays import ANY, FIRST, NEXT, NONE, Int32Array
from tocsin.engine.linear.plan_columns import pairs
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.recipe import START, Waiting


class Listing:
    """Lists new moves where events look for them.

    Attributes
    ----------
    has_moved
        Whether groups have left their queue, so that their instances are looked for elsewhere.
    """

    def __init__(self, tables: PlanTables, *, queues: bool) -> None:
        self.tables = tables
        self.queues = queues
        self.has_moved = False

    def list_moves(self, waiting: Waiting, moves: Int32Array) -> None:
        """Let filters find moves into whose groups the same link leads."""
        tables = self.tables
        groups, filters = tables.moves["group"][moves], tables.moves["filter"][moves]
        if waiting.kind == START:
            tables.starts_of_filter.append(filters, moves[:, None])
            return
        if waiting.kind == NEXT:
            self._note_only_filters(groups, filters)
        elif waiting.kind in {FIRST, ANY}:
            self._list_waits(waiting, groups, filters, moves)
        tables.moves_of_group.append(groups, moves[:, None])

    def _list_waits(
        self, waiting: Waiting, groups: Int32Array, filters: Int32Array, moves: Int32Array
    ) -> None:
        """Let filters find the groups; one that waits for a single filter uses a queue."""
        tables = self.tables
        own, place = np.unique(groups, return_inverse=True)
        queue = tables.groups["queue"][own]
        has_queue, is_fresh = queue >= 0, tables.moves_of_group.lengths(own) == 0
        low, high = np.where(has_queue, queue, np.iinfo(np.int32).max), queue.copy()
        np.minimum.at(low, place, filters)
        np.maximum.at(high, place, filters)
        may_queue = self.queues and not waiting.ends
        queues = (low == high) & (has_queue | is_fresh) & may_queue
        fresh = queues & is_fresh
        tables.groups["queue"][own[fresh]] = low[fresh]
        tables.queues.take(low[fresh], waiting.key)
        for group in own[has_queue & ~queues].tolist():
            self._leave_queue(group)
        listed = ~queues[place]
        tables.waits_of_filter.append(filters[listed], pairs(groups[listed], moves[listed]))

    def _note_only_filters(self, groups: Int32Array, filters: Int32Array) -> None:
        """Let groups that wait for the next event know the filter that all their moves need."""
        queue, lengths = self.tables.groups["queue"], self.tables.moves_of_group.lengths(groups)
        fresh = lengths == 0
        queue[groups[fresh]] = filters[fresh]
        queue[groups[queue[groups] != filters]] = NONE

    def _leave_queue(self, group: int) -> None:
        """Let a group that waits for a second filter be found by each of its moves."""
        tables = self.tables
        queue, key = int(tables.groups["queue"][group]), int(tables.groups["key"][group])
        tables.queues.give_back(queue, key)
        tables.groups["queue"][group] = NONE
        moves = tables.moves_of_group.of(group)[:, 0]
        filters = tables.moves["filter"][moves]
        tables.waits_of_filter.append(filters, pairs(np.full_like(moves, group), moves))
        self.has_moved = True
