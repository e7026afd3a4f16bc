"""Putting subscriptions into a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.linear.arrays import ANY, FIRST, GATED, NEXT, NONE, Int32Array, Int64Array
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.prints import prints_of
from tocsin.engine.linear.recipe import START, Column, Op, Recipe, Taking, Waiting
from tocsin.engine.linear.releasing import Releasing
from tocsin.engine.linear.spans import coded


class Adding:
    """Finds what is there of a recipe, and adds the rest.

    Attributes
    ----------
    has_moved
        Whether groups have left their queue, so that their instances are looked for elsewhere.
    """

    def __init__(self, tables: PlanTables, releasing: Releasing, *, queues: bool) -> None:
        self.tables = tables
        self.releasing = releasing
        self.queues = queues
        self.has_moved = False

    def add(self, recipe: Recipe, numbers: Int32Array, own: Int64Array | None) -> Int32Array:
        """Add the subscriptions with some numbers."""
        tables, count = self.tables, len(numbers)
        terms = self._take_terms(recipe, count)
        nodes = self.take_nodes(recipe, count, own)
        if own is not None:
            self._own(nodes, numbers)
        for op, found in zip(recipe.ops, nodes, strict=True):
            if op.accepts:
                tables.accepts_of_node.append(found, np.stack([numbers, terms], axis=1))
                tables.accepts_of_subscription.append(numbers, np.stack([found, terms], axis=1))
                np.add.at(tables.terms["uses"], terms, 1)
                self._count(found)
        return numbers

    def _own(self, nodes: list[Int32Array], numbers: Int32Array) -> None:
        """Say whose groups they are; the one that opens all matches belongs to nobody."""
        tables = self.tables
        for found in nodes:
            groups, loops = tables.moves["group"][found], tables.moves["loop"][found]
            inner = tables.groups["kind"][groups] != START
            tables.groups["owner"][groups[inner]] = numbers[inner]
            tables.groups["owner"][loops[loops != NONE]] = numbers[loops != NONE]

    def _take_terms(self, recipe: Recipe, count: int) -> Int32Array:
        tables = self.tables
        rows = _rows(count, recipe.where, recipe.span_us, recipe.span_events)
        numbers, is_new = tables.terms_rows.intern(rows)
        tables.terms.reach(len(tables.terms_rows.rows))
        new = numbers[is_new]
        for name, column in zip(("guard", "span_us", "span_events"), rows.T, strict=True):
            tables.terms[name][new] = column[is_new]
        self.releasing.give_guards(rows[~is_new, 0])
        return numbers

    def take_nodes(self, recipe: Recipe, count: int, own: Int64Array | None) -> list[Int32Array]:
        """Return the nodes of a recipe, op by op; what is new is added."""
        nodes: list[Int32Array] = []
        spans = _rows(count, coded(recipe.span_us), coded(recipe.span_events))
        for op in recipe.ops:
            parent = np.full(count, NONE) if op.parent == NONE else nodes[op.parent]
            groups = self._take_groups(op, parent, own, count)
            self._widen(groups, spans)
            nodes.append(self._take_moves(op, groups, own, count))
            loops = self.tables.moves["loop"][nodes[-1]]
            self._widen(loops[loops != NONE], spans[loops != NONE])
        return nodes

    def _widen(self, groups: Int32Array, spans: Int64Array) -> None:
        """Let instances wait in groups as long as any subscription needs."""
        np.maximum.at(self.tables.groups["span_us"], groups, spans[:, 0])
        np.maximum.at(self.tables.groups["span_events"], groups, spans[:, 1])

    def _take_groups(
        self, op: Op, parent: npt.NDArray[Any], own: Int64Array | None, count: int
    ) -> Int32Array:
        waiting, taking = op.waiting, op.taking
        ends = [column for pair in waiting.ends for column in pair]
        parts = (waiting.gate, waiting.gate_guard, waiting.key, *ends)
        # Behind `->` each condition finds its own first event.
        apart = (taking.filter, taking.guard) if waiting.kind == FIRST else ()
        if op.loops_where_it_waits:  # nobody else's move may take what waits for one more
            apart = (-5, *_move_parts(op), *(() if own is None else (-3, own)))
        rows = _rows(count, parent, waiting.kind, *parts, *apart)
        numbers, is_new = self.tables.group_prints.intern(prints_of(rows))
        self.tables.groups.reach(len(self.tables.group_prints.rows))
        self._write_groups(numbers[is_new], waiting, parent, is_new)
        old = ~is_new
        for column in (waiting.gate, *(one for one, _ in waiting.ends)):
            self._give_filters(column, old)
        for column in (waiting.gate_guard, *(one for _, one in waiting.ends)):
            self._give_guards(column, old)
        return numbers

    def _write_groups(
        self, new: Int32Array, waiting: Waiting, parent: npt.NDArray[Any], mask: Any
    ) -> None:
        if len(new) == 0:
            return
        groups = self.tables.groups
        groups["kind"][new], groups["key"][new] = waiting.kind, waiting.key
        groups["gate_guard"][new] = _part(waiting.gate_guard, mask)
        groups["node"][new] = parent[mask]
        groups["span_us"][new] = groups["span_events"][new] = 0
        groups["owner"][new] = groups["queue"][new] = NONE
        if waiting.kind != START:
            inner = parent[mask] != NONE
            self.tables.groups_of_node.append(parent[mask][inner], new[inner, None])
        if waiting.kind == GATED:
            gates = np.broadcast_to(np.asarray(_part(waiting.gate, mask), np.int32), new.shape)
            if self.queues and not waiting.ends:
                groups["queue"][new] = gates
                self.tables.queues.take(gates, waiting.key)
            else:
                groups["queue"][new] = -2 - gates
                self.tables.waits_of_filter.append(gates, _pairs(new, NONE))
        for filter_, guard in waiting.ends:
            self._write_end(new, _part(filter_, mask), _part(guard, mask))

    def _write_end(self, groups: Int32Array, filters: Column, guards: Column) -> None:
        """A move without target: an event that takes it ends what waits in the group."""
        tables = self.tables
        kind = len(tables.ends_of_group.of(int(groups[0])))
        rows = _rows(len(groups), -2, groups, kind)
        moves, _ = tables.move_prints.intern(prints_of(rows))
        tables.moves.reach(len(tables.move_prints.rows))
        self._write_moves(moves, groups, Taking(filters, guards, NONE, 0))
        tables.moves["target"][moves] = NONE
        tables.ends_of_group.append(groups, moves[:, None])
        tables.waits_of_filter.append(tables.moves["filter"][moves], _pairs(groups, moves))

    def _take_moves(
        self, op: Op, groups: Int32Array, own: Int64Array | None, count: int
    ) -> Int32Array:
        taking, tables = op.taking, self.tables
        loop = () if op.loop is None else (-1, *_loop_parts(*op.loop))
        rows = _rows(count, groups, *_move_parts(op), *loop, *(() if own is None else (-3, own)))
        numbers, is_new = tables.move_prints.intern(prints_of(rows))
        tables.moves.reach(len(tables.move_prints.rows))
        new = numbers[is_new]
        if len(new):
            self._write_moves(new, groups[is_new], _chosen(taking, is_new))
            tables.moves["target"][new] = new
            tables.moves["node_guard"][new] = _part(op.node_guard, is_new)
            tables.moves["uses"][new] = 0
            tables.moves["loop"][new] = NONE
            self._list_moves(op.waiting, new)
            if op.loops_where_it_waits:
                tables.moves["loop"][new] = groups[is_new]
            elif op.loop is not None:
                self._add_loops(new, *op.loop, is_new)
        self._give_old(op, ~is_new)
        return numbers

    def _write_moves(self, moves: Int32Array, groups: Int32Array, taking: Taking) -> None:
        columns = self.tables.moves
        columns["filter"][moves], columns["guard"][moves] = taking.filter, taking.guard
        columns["until"][moves], columns["leaf"][moves] = taking.until, taking.leaf
        columns["group"][moves] = groups

    def _list_moves(self, waiting: Waiting, moves: Int32Array) -> None:
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
        tables.waits_of_filter.append(filters[listed], _pairs(groups[listed], moves[listed]))

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
        tables.waits_of_filter.append(filters, _pairs(np.full_like(moves, group), moves))
        self.has_moved = True

    def _add_loops(self, nodes: Int32Array, waiting: Waiting, taking: Taking, mask: Any) -> None:
        """One more repetition leads back to the node; its group belongs to no list of groups."""
        tables = self.tables
        groups, _ = tables.group_prints.intern(prints_of(_rows(len(nodes), -4, nodes)))
        tables.groups.reach(len(tables.group_prints.rows))
        inside = Waiting(
            waiting.kind,
            _part(waiting.gate, mask),
            _part(waiting.gate_guard, mask),
            waiting.key,
            tuple((_part(f, mask), _part(g, mask)) for f, g in waiting.ends),
        )
        every = np.ones(len(nodes), np.bool_)
        self._write_groups(groups, inside, np.full(len(nodes), NONE), every)
        tables.groups["node"][groups] = nodes
        moves, _ = tables.move_prints.intern(prints_of(_rows(len(nodes), -4, nodes)))
        tables.moves.reach(len(tables.move_prints.rows))
        self._write_moves(moves, groups, _chosen(taking, mask))
        tables.moves["target"][moves] = nodes
        self._list_moves(waiting, moves)
        tables.moves["loop"][nodes] = groups

    def _give_old(self, op: Op, old: Any) -> None:
        """Give back the uses of moves that were there already."""
        self._give_filters(op.taking.filter, old)
        self._give_filters(op.taking.until, old)
        self._give_guards(op.taking.guard, old)
        self._give_node_guards(op.node_guard, old)
        if op.loop is None:
            return
        if op.loops_where_it_waits:
            old = np.ones_like(old)
        waiting, taking = op.loop
        for column in (waiting.gate, taking.filter, taking.until, *(f for f, _ in waiting.ends)):
            self._give_filters(column, old)
        for column in (waiting.gate_guard, taking.guard, *(g for _, g in waiting.ends)):
            self._give_guards(column, old)

    def _give_filters(self, column: Column, mask: Any) -> None:
        given = np.broadcast_to(np.asarray(column, np.int64), mask.shape)[mask]
        self.releasing.give_filters(given[given != NONE])

    def _give_guards(self, column: Column, mask: Any) -> None:
        given = np.broadcast_to(np.asarray(column, np.int64), mask.shape)[mask]
        self.releasing.give_guards(given[given != NONE])

    def _give_node_guards(self, column: Column, mask: Any) -> None:
        given = np.broadcast_to(np.asarray(column, np.int64), mask.shape)[mask]
        self.releasing.give_guards(given[given >= 0])
        self.releasing.give_filters(-2 - given[given < NONE])

    def _count(self, nodes: Int32Array) -> None:
        """Let one subscription more pass through nodes and all that leads to them."""
        while len(nodes):
            np.add.at(self.tables.moves["uses"], nodes, 1)
            nodes = self.tables.parents(nodes)


def _rows(count: int, *columns: Any) -> Int64Array:
    """Return columns side by side, each a number for all or one for each row."""
    rows = np.empty((count, len(columns)), np.int64)
    for place, column in enumerate(columns):
        rows[:, place] = column
    return rows


def _pairs(first: Int32Array, second: Int32Array | int) -> Int32Array:
    return np.stack([first, np.broadcast_to(np.asarray(second, np.int32), first.shape)], axis=1)


def _part(column: Column, mask: Any) -> Column:
    return column if isinstance(column, int) else column[mask]


def _chosen(taking: Taking, mask: Any) -> Taking:
    return Taking(
        _part(taking.filter, mask),
        _part(taking.guard, mask),
        _part(taking.until, mask),
        taking.leaf,
    )


def _move_parts(op: Op) -> tuple[Column, ...]:
    taking = op.taking
    return taking.filter, taking.guard, taking.until, taking.leaf, op.node_guard


def _loop_parts(waiting: Waiting, taking: Taking) -> tuple[Column, ...]:
    ends = [column for pair in waiting.ends for column in pair]
    own = (waiting.kind, waiting.gate, waiting.gate_guard, waiting.key, *ends)
    return (*own, -1, taking.filter, taking.guard, taking.until)
