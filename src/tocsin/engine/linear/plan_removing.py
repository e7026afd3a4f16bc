"""Taking subscriptions out of a plan."""

from __future__ import annotations

import numpy as np

from tocsin.engine.linear.arrays import ANY, FIRST, GATED, NEXT, NONE
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.recipe import START
from tocsin.engine.linear.releasing import Releasing


class Removing:
    """Lets go of nodes with the last subscription that passes through them."""

    def __init__(self, tables: PlanTables, releasing: Releasing) -> None:
        self.tables = tables
        self.releasing = releasing

    def remove(self, subscription: int) -> list[int]:
        """Take a subscription out; return the groups that nobody waits in any more."""
        tables, gone = self.tables, []
        for node, terms in tables.accepts_of_subscription.of(subscription).tolist():
            tables.accepts_of_subscription.remove(subscription, (node, terms))
            tables.accepts_of_node.remove(node, (subscription, terms))
            self._drop_terms(terms)
            for passed in list(tables.way(node)):
                tables.moves["uses"][passed] -= 1
                if tables.moves["uses"][passed] == 0:
                    gone += self._drop_node(passed)
        tables.subscriptions.give_back([subscription])
        return gone

    def _drop_terms(self, terms: int) -> None:
        tables = self.tables
        tables.terms["uses"][terms] -= 1
        if tables.terms["uses"][terms] == 0:
            self.releasing.give_guards(tables.terms["guard"][[terms]].astype(np.int64))
            tables.terms_rows.remove(np.array([terms], np.int32))

    def _drop_node(self, node: int) -> list[int]:
        tables, gone = self.tables, []
        loop, group = int(tables.moves["loop"][node]), int(tables.moves["group"][node])
        if loop not in {NONE, group}:
            (move,) = tables.moves_of_group.of(loop)[:, 0].tolist()
            self._drop_move(move, loop)
            gone.append(self._drop_group(loop))
        guard = tables.moves["node_guard"][[node]].astype(np.int64)
        self.releasing.give_guards(guard[guard >= 0])
        self.releasing.give_filters(-2 - guard[guard < NONE])
        self._drop_move(node, group)
        if len(tables.moves_of_group.of(group)) == 0 and tables.groups["kind"][group] != START:
            gone.append(self._drop_group(group))
        return gone

    def _drop_move(self, move: int, group: int) -> None:
        tables = self.tables
        kind, filter_ = int(tables.groups["kind"][group]), int(tables.moves["filter"][move])
        if kind == START:
            tables.starts_of_filter.remove(filter_, (move,))
        else:
            tables.moves_of_group.remove(group, (move,))
        if kind in {FIRST, ANY} and tables.groups["queue"][group] < 0:
            tables.waits_of_filter.remove(filter_, (group, move))
        self._forget_move(move)

    def _forget_move(self, move: int) -> None:
        moves = self.tables.moves
        used = moves["filter"][move], moves["until"][move]
        self.releasing.give_filters(np.array([f for f in used if f != NONE], np.int64))
        self.releasing.give_guards(moves["guard"][[move]].astype(np.int64))
        moves["group"][move] = NONE
        self.tables.move_prints.remove(np.array([move], np.int32))

    def _drop_group(self, group: int) -> int:
        tables = self.tables
        groups, node = tables.groups, int(tables.groups["node"][group])
        queue = int(groups["queue"][group])
        if groups["kind"][group] == GATED:
            gate = queue if queue >= 0 else -2 - queue
            if queue < 0:
                tables.waits_of_filter.remove(gate, (group, NONE))
            self.releasing.give_filters(np.array([gate], np.int64))
            self.releasing.give_guards(groups["gate_guard"][[group]].astype(np.int64))
        if queue >= 0 and groups["kind"][group] != NEXT:
            tables.queues.give_back(queue, int(groups["key"][group]))
        for end in tables.ends_of_group.of(group)[:, 0].tolist():
            tables.ends_of_group.remove(group, (end,))
            tables.waits_of_filter.remove(int(tables.moves["filter"][end]), (group, end))
            self._forget_move(end)
        if node != NONE and int(tables.moves["loop"][node]) != group:
            tables.groups_of_node.remove(node, (group,))
        tables.group_prints.remove(np.array([group], np.int32))
        return group
