"""Putting subscriptions into a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.linear.arrays import FIRST, GATED, NONE, Int32Array, Int64Array
from tocsin.engine.linear.plan_columns import (
    chosen,
    loop_parts,
    move_parts,
    pairs,
    part,
    side_by_side,
)
from tocsin.engine.linear.plan_listing import Listing
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.prints import prints_of
from tocsin.engine.linear.recipe import START, Column, Op, Recipe, Taking, Waiting
from tocsin.engine.linear.releasing import Releasing
from tocsin.engine.linear.spans import coded


class Adding:
    """Finds what is there of a recipe, and adds the rest."""

    def __init__(self, tables: PlanTables, releasing: Releasing, listing: Listing) -> None:
        self.tables = tables
        self.releasing = releasing
        self.listing = listing

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
        rows = side_by_side(count, recipe.where, recipe.span_us, recipe.span_events)
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
        spans = side_by_side(count, coded(recipe.span_us), coded(recipe.span_events))
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
            apart = (-5, *move_parts(op), *(() if own is None else (-3, own)))
        rows = side_by_side(count, parent, waiting.kind, *parts, *apart)
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
        groups["gate_guard"][new] = part(waiting.gate_guard, mask)
        groups["node"][new] = parent[mask]
        groups["span_us"][new] = groups["span_events"][new] = 0
        groups["owner"][new] = groups["queue"][new] = NONE
        if waiting.kind != START:
            inner = parent[mask] != NONE
            self.tables.groups_of_node.append(parent[mask][inner], new[inner, None])
        if waiting.kind == GATED:
            gates = np.broadcast_to(np.asarray(part(waiting.gate, mask), np.int32), new.shape)
            if self.listing.queues and not waiting.ends:
                groups["queue"][new] = gates
                self.tables.queues.take(gates, waiting.key)
            else:
                groups["queue"][new] = -2 - gates
                self.tables.waits_of_filter.append(gates, pairs(new, NONE))
        for filter_, guard in waiting.ends:
            self._write_end(new, part(filter_, mask), part(guard, mask))

    def _write_end(self, groups: Int32Array, filters: Column, guards: Column) -> None:
        """A move without target: an event that takes it ends what waits in the group."""
        tables = self.tables
        kind = len(tables.ends_of_group.of(int(groups[0])))
        rows = side_by_side(len(groups), -2, groups, kind)
        moves, _ = tables.move_prints.intern(prints_of(rows))
        tables.moves.reach(len(tables.move_prints.rows))
        self._write_moves(moves, groups, Taking(filters, guards, NONE, 0))
        tables.moves["target"][moves] = NONE
        tables.ends_of_group.append(groups, moves[:, None])
        tables.waits_of_filter.append(tables.moves["filter"][moves], pairs(groups, moves))

    def _take_moves(
        self, op: Op, groups: Int32Array, own: Int64Array | None, count: int
    ) -> Int32Array:
        taking, tables = op.taking, self.tables
        loop = () if op.loop is None else (-1, *loop_parts(*op.loop))
        rows = side_by_side(
            count, groups, *move_parts(op), *loop, *(() if own is None else (-3, own))
        )
        numbers, is_new = tables.move_prints.intern(prints_of(rows))
        tables.moves.reach(len(tables.move_prints.rows))
        new = numbers[is_new]
        if len(new):
            self._write_moves(new, groups[is_new], chosen(taking, is_new))
            tables.moves["target"][new] = new
            tables.moves["node_guard"][new] = part(op.node_guard, is_new)
            tables.moves["uses"][new] = 0
            tables.moves["loop"][new] = NONE
            self.listing.list_moves(op.waiting, new)
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

    def _add_loops(self, nodes: Int32Array, waiting: Waiting, taking: Taking, mask: Any) -> None:
        """One more repetition leads back to the node; its group belongs to no list of groups."""
        tables = self.tables
        groups, _ = tables.group_prints.intern(prints_of(side_by_side(len(nodes), -4, nodes)))
        tables.groups.reach(len(tables.group_prints.rows))
        inside = Waiting(
            waiting.kind,
            part(waiting.gate, mask),
            part(waiting.gate_guard, mask),
            waiting.key,
            tuple((part(f, mask), part(g, mask)) for f, g in waiting.ends),
        )
        every = np.ones(len(nodes), np.bool_)
        self._write_groups(groups, inside, np.full(len(nodes), NONE), every)
        tables.groups["node"][groups] = nodes
        moves, _ = tables.move_prints.intern(prints_of(side_by_side(len(nodes), -4, nodes)))
        tables.moves.reach(len(tables.move_prints.rows))
        self._write_moves(moves, groups, chosen(taking, mask))
        tables.moves["target"][moves] = nodes
        self.listing.list_moves(waiting, moves)
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
