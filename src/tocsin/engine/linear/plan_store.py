"""The live plan: recipes come and go, equal beginnings are stored once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.hashing import RowTable, sized
from tocsin.engine.index.owners import Numbers
from tocsin.engine.linear.arrays import (
    ANY,
    FIRST,
    GATED,
    NONE,
    Int32Array,
    Int64Array,
    Plan,
)
from tocsin.engine.linear.columns import Columns
from tocsin.engine.linear.lists import Lists
from tocsin.engine.linear.prints import prints_of
from tocsin.engine.linear.recipe import START, Column, Op, Recipe, Taking, Waiting

# In the order of the columns that `arrays` names.
_GROUPS = dict.fromkeys(
    ("kind", "gate", "gate_guard", "key", "node", "owner", "span_us", "span_events"), NONE
)
_MOVES = dict.fromkeys(
    ("filter", "guard", "until", "leaf", "target", "group", "node_guard", "loop"), NONE
) | dict.fromkeys(("uses", "groups_begin", "groups", "accepts_begin", "accepts"), 0)
_FILTERS = dict.fromkeys(("waits_begin", "waits", "starts_begin", "starts"), 0)
_TERMS = {"guard": NONE, "span_us": 0, "span_events": 0, "uses": 0}


class Releasing(Protocol):
    """Takes back uses of filters and guards."""

    def give_filters(self, numbers: Int64Array) -> None:
        """Count one use less of each filter."""
        ...

    def give_guards(self, numbers: Int64Array) -> None:
        """Count one use less of each guard; NONE is none."""
        ...


class PlanStore:
    """Nodes, groups and moves of all subscriptions of a lane.

    A group and a move hold one use of their filters and guards, however many subscriptions share
    them. A node is let go with the last subscription that passes through it.

    Parameters
    ----------
    releasing
        Takes back what is used no more.
    """

    def __init__(self, releasing: Releasing) -> None:
        self._releasing = releasing
        self._reset()

    def _reset(self) -> None:
        self._group_prints, self._move_prints, self._terms_rows = (
            RowTable(2),
            RowTable(2),
            RowTable(3),
        )
        self.groups, self.moves = Columns(_GROUPS, np.int64), Columns(_MOVES, np.int32)
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

    @property
    def size(self) -> int:
        """How many subscriptions there are."""
        return self.subscriptions.used

    @property
    def nodes(self) -> int:
        """How many nodes there are, loops and ends of waiting not counted."""
        return self._move_prints.size - self._loops()

    def _loops(self) -> int:
        used = self.moves["group"][: self.moves.size] != NONE
        same = self.moves["target"][: self.moves.size] == np.arange(self.moves.size)
        return int((used & ~same).sum())

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        tables = (self._group_prints, self._move_prints, self._terms_rows)
        lists = (
            self.moves_of_group, self.groups_of_node, self.ends_of_group, self.accepts_of_node,
            self.accepts_of_subscription, self.starts_of_filter, self.waits_of_filter,
        )  # fmt: skip
        columns = (self.groups, self.moves, self.terms, self._filters)
        return sum(one.nbytes for one in (*tables, *lists, *columns)) + int(self.made.nbytes)

    # Adding.

    def add(self, recipe: Recipe, count: int, *, made: int, own: Int64Array | None) -> Int32Array:
        """Add so many subscriptions made from one recipe; return their numbers.

        Parameters
        ----------
        made
            The position from which on events count for them.
        own
            A number for each that keeps it from sharing with others; None where they may share.
        """
        numbers = self.subscriptions.take(count)
        if self.subscriptions.end > len(self.made):
            self.made = sized(self.made, max(self.subscriptions.end, 2 * len(self.made)), 0)
        self.made[numbers] = made
        terms = self._take_terms(recipe, count)
        nodes = self._take_nodes(recipe, count, own)
        if own is not None:
            self._own(nodes, numbers)
        for op, found in zip(recipe.ops, nodes, strict=True):
            if op.accepts:
                self.accepts_of_node.append(found, np.stack([numbers, terms], axis=1))
                self.accepts_of_subscription.append(numbers, np.stack([found, terms], axis=1))
                np.add.at(self.terms["uses"], terms, 1)
                self._count(found)
        return numbers

    def _own(self, nodes: list[Int32Array], numbers: Int32Array) -> None:
        """Say whose groups they are; the one that opens all matches belongs to nobody."""
        for found in nodes:
            groups, loops = self.moves["group"][found], self.moves["loop"][found]
            inner = self.groups["kind"][groups] != START
            self.groups["owner"][groups[inner]] = numbers[inner]
            self.groups["owner"][loops[loops != NONE]] = numbers[loops != NONE]

    def find(self, recipe: Recipe, count: int, own: Int64Array | None) -> list[Int32Array]:
        """Return the nodes of a recipe that is in the plan, op by op; uses are given back."""
        return self._take_nodes(recipe, count, own)

    def _take_terms(self, recipe: Recipe, count: int) -> Int32Array:
        rows = _rows(count, recipe.where, recipe.span_us, recipe.span_events)
        numbers, is_new = self._terms_rows.intern(rows)
        self.terms.reach(len(self._terms_rows.rows))
        new = numbers[is_new]
        for name, column in zip(("guard", "span_us", "span_events"), rows.T, strict=True):
            self.terms[name][new] = column[is_new]
        self._releasing.give_guards(rows[~is_new, 0])
        return numbers

    def _take_nodes(self, recipe: Recipe, count: int, own: Int64Array | None) -> list[Int32Array]:
        nodes: list[Int32Array] = []
        spans = _rows(count, recipe.span_us, recipe.span_events)
        for op in recipe.ops:
            parent = np.full(count, NONE) if op.parent == NONE else nodes[op.parent]
            groups = self._take_groups(op.waiting, op.taking, parent, count)
            np.maximum.at(self.groups["span_us"], groups, spans[:, 0])
            np.maximum.at(self.groups["span_events"], groups, spans[:, 1])
            nodes.append(self._take_moves(op, groups, own, count))
            loops = self.moves["loop"][nodes[-1]]
            loops = loops[loops != NONE]
            if len(loops):
                np.maximum.at(self.groups["span_us"], loops, spans[:, 0])
                np.maximum.at(self.groups["span_events"], loops, spans[:, 1])
        return nodes

    def _take_groups(
        self, waiting: Waiting, taking: Taking, parent: npt.NDArray[Any], count: int
    ) -> Int32Array:
        ends = [column for pair in waiting.ends for column in pair]
        own = (waiting.gate, waiting.gate_guard, waiting.key, *ends)
        # Behind `->` each condition finds its own first event.
        apart = (taking.filter, taking.guard) if waiting.kind == FIRST else ()
        rows = _rows(count, parent, waiting.kind, *own, *apart)
        numbers, is_new = self._group_prints.intern(prints_of(rows))
        self.groups.reach(len(self._group_prints.rows))
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
        groups = self.groups
        groups["kind"][new], groups["key"][new] = waiting.kind, waiting.key
        groups["gate"][new] = _part(waiting.gate, mask)
        groups["gate_guard"][new] = _part(waiting.gate_guard, mask)
        groups["node"][new] = parent[mask]
        groups["span_us"][new] = groups["span_events"][new] = 0
        groups["owner"][new] = NONE
        if waiting.kind != START:
            inner = parent[mask] != NONE
            self.groups_of_node.append(parent[mask][inner], new[inner, None])
        if waiting.kind == GATED:
            waits = np.stack([new, np.full(len(new), NONE)], axis=1)
            gates = np.broadcast_to(_part(waiting.gate, mask), new.shape)
            self.waits_of_filter.append(gates, waits)
        for filter_, guard in waiting.ends:
            self._write_end(new, _part(filter_, mask), _part(guard, mask))

    def _write_end(self, groups: Int32Array, filters: Column, guards: Column) -> None:
        """A move without target: an event that takes it ends what waits in the group."""
        kind = len(self.ends_of_group.of(int(groups[0])))
        rows = _rows(len(groups), -2, groups, kind)
        moves, _ = self._move_prints.intern(prints_of(rows))
        self.moves.reach(len(self._move_prints.rows))
        self._write_moves(moves, groups, Taking(filters, guards, NONE, 0))
        self.moves["target"][moves] = NONE
        self.ends_of_group.append(groups, moves[:, None])
        self.waits_of_filter.append(self.moves["filter"][moves], np.stack([groups, moves], axis=1))

    def _take_moves(
        self, op: Op, groups: Int32Array, own: Int64Array | None, count: int
    ) -> Int32Array:
        taking = op.taking
        parts = (groups, taking.filter, taking.guard, taking.until, taking.leaf, op.node_guard)
        loop = () if op.loop is None else (-1, *_loop_parts(*op.loop))
        rows = _rows(count, *parts, *loop, *(() if own is None else (-3, own)))
        numbers, is_new = self._move_prints.intern(prints_of(rows))
        self.moves.reach(len(self._move_prints.rows))
        new = numbers[is_new]
        if len(new):
            self._write_moves(new, groups[is_new], _chosen(taking, is_new))
            self.moves["target"][new] = new
            self.moves["node_guard"][new] = _part(op.node_guard, is_new)
            self.moves["uses"][new] = 0
            self.moves["loop"][new] = NONE
            self._list_moves(op.waiting.kind, new)
            if op.loop is not None:
                self._add_loops(new, *op.loop, is_new)
        self._give_old(op, ~is_new)
        return numbers

    def _write_moves(self, moves: Int32Array, groups: Int32Array, taking: Taking) -> None:
        columns = self.moves
        columns["filter"][moves], columns["guard"][moves] = taking.filter, taking.guard
        columns["until"][moves], columns["leaf"][moves] = taking.until, taking.leaf
        columns["group"][moves] = groups

    def _list_moves(self, kind: int, moves: Int32Array) -> None:
        groups, filters = self.moves["group"][moves], self.moves["filter"][moves]
        if kind == START:
            self.starts_of_filter.append(filters, moves[:, None])
            return
        self.moves_of_group.append(groups, moves[:, None])
        if kind in {FIRST, ANY}:
            self.waits_of_filter.append(filters, np.stack([groups, moves], axis=1))

    def _add_loops(self, nodes: Int32Array, waiting: Waiting, taking: Taking, mask: Any) -> None:
        """One more repetition leads back to the node; its group belongs to no list of groups."""
        groups, _ = self._group_prints.intern(prints_of(_rows(len(nodes), -4, nodes)))
        self.groups.reach(len(self._group_prints.rows))
        inside = Waiting(
            waiting.kind,
            _part(waiting.gate, mask),
            _part(waiting.gate_guard, mask),
            waiting.key,
            tuple((_part(f, mask), _part(g, mask)) for f, g in waiting.ends),
        )
        every = np.ones(len(nodes), np.bool_)
        self._write_groups(groups, inside, np.full(len(nodes), NONE), every)
        self.groups["node"][groups] = nodes
        moves, _ = self._move_prints.intern(prints_of(_rows(len(nodes), -4, nodes)))
        self.moves.reach(len(self._move_prints.rows))
        self._write_moves(moves, groups, _chosen(taking, mask))
        self.moves["target"][moves] = nodes
        self._list_moves(waiting.kind, moves)
        self.moves["loop"][nodes] = groups

    def _give_old(self, op: Op, old: Any) -> None:
        """Give back the uses of moves that were there already."""
        self._give_filters(op.taking.filter, old)
        self._give_filters(op.taking.until, old)
        self._give_guards(op.taking.guard, old)
        self._give_guards(op.node_guard, old)
        if op.loop is None:
            return
        waiting, taking = op.loop
        for column in (waiting.gate, taking.filter, taking.until, *(f for f, _ in waiting.ends)):
            self._give_filters(column, old)
        for column in (waiting.gate_guard, taking.guard, *(g for _, g in waiting.ends)):
            self._give_guards(column, old)

    def _give_filters(self, column: Column, mask: Any) -> None:
        given = np.broadcast_to(np.asarray(column, np.int64), mask.shape)[mask]
        self._releasing.give_filters(given[given != NONE])

    def _give_guards(self, column: Column, mask: Any) -> None:
        given = np.broadcast_to(np.asarray(column, np.int64), mask.shape)[mask]
        self._releasing.give_guards(given[given != NONE])

    def _count(self, nodes: Int32Array) -> None:
        """Let one subscription more pass through nodes and all that leads to them."""
        while len(nodes):
            np.add.at(self.moves["uses"], nodes, 1)
            nodes = self._parents(nodes)

    def _parents(self, nodes: Int32Array) -> Int32Array:
        parents = self.groups["node"][self.moves["group"][nodes]]
        inner: Int32Array = parents[parents != NONE].astype(np.int32)
        return inner

    # Removing.

    def remove(self, subscription: int) -> list[int]:
        """Take a subscription out; return the groups that nobody waits in any more.

        Their instances must be closed before the next `add`: numbers come again.
        """
        gone: list[int] = []
        for node, terms in self.accepts_of_subscription.of(subscription).tolist():
            self.accepts_of_subscription.remove(subscription, (node, terms))
            self.accepts_of_node.remove(node, (subscription, terms))
            self._drop_terms(terms)
            for passed in list(self._way(node)):
                self.moves["uses"][passed] -= 1
                if self.moves["uses"][passed] == 0:
                    gone += self._drop_node(passed)
        self.subscriptions.give_back([subscription])
        if self.size == 0:
            self._reset()
        return gone

    def _way(self, node: int) -> Iterator[int]:
        """Yield a node and all that leads to it, the last first."""
        while node != NONE:
            yield node
            node = int(self.groups["node"][self.moves["group"][node]])

    def numbers(self) -> Int64Array:
        """Return the numbers of all subscriptions."""
        return self.accepts_of_subscription.owners()

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
            for passed in self._way(node):
                found.update((int(self.moves["group"][passed]), int(self.moves["loop"][passed])))
        return sorted(found - {NONE})

    def _drop_terms(self, terms: int) -> None:
        self.terms["uses"][terms] -= 1
        if self.terms["uses"][terms] == 0:
            self._releasing.give_guards(self.terms["guard"][[terms]].astype(np.int64))
            self._terms_rows.remove(np.array([terms], np.int32))

    def _drop_node(self, node: int) -> list[int]:
        gone: list[int] = []
        loop = int(self.moves["loop"][node])
        if loop != NONE:
            (move,) = self.moves_of_group.of(loop)[:, 0].tolist()
            self._drop_move(move, loop)
            gone.append(self._drop_group(loop))
        self._releasing.give_guards(self.moves["node_guard"][[node]].astype(np.int64))
        group = int(self.moves["group"][node])
        self._drop_move(node, group)
        if len(self.moves_of_group.of(group)) == 0 and self.groups["kind"][group] != START:
            gone.append(self._drop_group(group))
        return gone

    def _drop_move(self, move: int, group: int) -> None:
        kind, filter_ = int(self.groups["kind"][group]), int(self.moves["filter"][move])
        if kind == START:
            self.starts_of_filter.remove(filter_, (move,))
        else:
            self.moves_of_group.remove(group, (move,))
        if kind in {FIRST, ANY}:
            self.waits_of_filter.remove(filter_, (group, move))
        self._forget_move(move)

    def _forget_move(self, move: int) -> None:
        used = self.moves["filter"][move], self.moves["until"][move]
        self._releasing.give_filters(np.array([f for f in used if f != NONE], np.int64))
        self._releasing.give_guards(self.moves["guard"][[move]].astype(np.int64))
        self.moves["group"][move] = NONE
        self._move_prints.remove(np.array([move], np.int32))

    def _drop_group(self, group: int) -> int:
        gate, node = int(self.groups["gate"][group]), int(self.groups["node"][group])
        if self.groups["kind"][group] == GATED:
            self.waits_of_filter.remove(gate, (group, NONE))
            self._releasing.give_filters(np.array([gate], np.int64))
            self._releasing.give_guards(self.groups["gate_guard"][[group]].astype(np.int64))
        for end in self.ends_of_group.of(group)[:, 0].tolist():
            self.ends_of_group.remove(group, (end,))
            self.waits_of_filter.remove(int(self.moves["filter"][end]), (group, end))
            self._forget_move(end)
        if node != NONE and int(self.moves["loop"][node]) != group:
            self.groups_of_node.remove(node, (group,))
        self._group_prints.remove(np.array([group], np.int32))
        return group

    def plan(self, filters: int) -> Plan:
        """Return the arrays that kernels read; ask again after each change."""
        of_group, of_move = self.groups.size, self.moves.size
        return Plan(
            self.groups.rows, self.moves.rows, self.terms.rows, self.made,
            self.moves_of_group.arrays(of_group), self.groups_of_node.arrays(of_move),
            self.accepts_of_node.arrays(of_move), self.starts_of_filter.arrays(filters),
            self.waits_of_filter.arrays(filters),
        )  # fmt: skip


def _rows(count: int, *columns: Any) -> Int64Array:
    """Return columns side by side, each a number for all or one for each row."""
    rows = np.empty((count, len(columns)), np.int64)
    for place, column in enumerate(columns):
        rows[:, place] = column
    return rows


def _part(column: Column, mask: Any) -> Column:
    return column if isinstance(column, int) else column[mask]


def _chosen(taking: Taking, mask: Any) -> Taking:
    return Taking(
        _part(taking.filter, mask),
        _part(taking.guard, mask),
        _part(taking.until, mask),
        taking.leaf,
    )


def _loop_parts(waiting: Waiting, taking: Taking) -> tuple[Column, ...]:
    ends = [column for pair in waiting.ends for column in pair]
    own = (waiting.kind, waiting.gate, waiting.gate_guard, waiting.key, *ends)
    return (*own, -1, taking.filter, taking.guard, taking.until)
