"""Which subscriptions run in which lane."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from tocsin.engine.columns import Vocabulary
from tocsin.engine.index import NotByColumnError
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.limits import Limiter
from tocsin.engine.linear import LinearLane
from tocsin.engine.linear.arrays import NONE
from tocsin.engine.members import Member, Table
from tocsin.engine.options import Options
from tocsin.engine.ranks import Ranks
from tocsin.engine.telling import LinearTelling
from tocsin.language.normal import NormalSubscription
from tocsin.plan.linear import Linear


class Roster:
    """The lanes by the streams they read, and the subscriptions that run in them.

    Attributes
    ----------
    made
        How many subscriptions have been made; the next one has this order.
    members
        Those that were made one by one, by their orders.
    tables
        Those that were made from tables, in their order.
    orders
        The order of every subscription, by name.
    """

    def __init__(self, limiter: Limiter, options: Options) -> None:
        self.limiter = limiter
        self.options = options
        self.vocabulary = Vocabulary()
        self.made = 0
        self.lanes: dict[tuple[str, ...], LaneUnit] = {}
        self.members: dict[int, tuple[LaneUnit, Member]] = {}
        self.tables: list[tuple[LaneUnit, Table]] = []
        self.orders: dict[str, int] = {}
        self.ranks = Ranks()
        self._next_lane = -1

    def join_lane(
        self, subscription: NormalSubscription, form: Linear | None, order: int, made: int
    ) -> Member:
        """Let a subscription run in the lane of its streams; without form it finds nothing."""
        unit = self.lanes.get(subscription.sources)
        if unit is None:
            unit = self._new_lane(subscription.sources)
        number = NONE if form is None else unit.lane.add(form, order=order)
        member = Member(subscription.tree.name, LinearTelling(subscription), order, made, number)
        if form is not None:
            unit.members.add(member)
        unit.size += 1
        self.members[order] = (unit, member)
        self.orders[member.name] = order
        self.ranks.feed(unit.number, subscription.tree.into)
        return member

    def lane_list(self) -> list[LinearLane]:
        """Return all lanes."""
        return [unit.lane for unit in self.lanes.values()]

    def join_table(self, table: Table, form: Linear) -> None:
        """Let the subscriptions of a table run in the lane of their streams.

        Raises
        ------
        NotByColumnError
            A filter cannot be filled in by column; nothing has changed then.
        """
        sources = table.template.sources
        unit = self.lanes.get(sources) or self._new_lane(sources)
        size = len(table.filled)
        orders = np.arange(table.first_order, table.first_order + size)
        assert table.filled.columns is not None
        try:
            numbers = unit.lane.add_table(form, table.filled.columns, orders)
        except NotByColumnError:
            if unit.size == 0:
                self._drop_lane(unit)
            raise
        unit.members.add_table(table, numbers)
        unit.size += size
        self.tables.append((unit, table))
        self.orders.update(zip(table.filled.names, orders.tolist(), strict=True))
        self.made = max(self.made, table.first_order + size)
        self.ranks.feed(unit.number, table.template.tree.into, size)

    def in_lane(self, order: int) -> tuple[LaneUnit, Member]:
        """Return the lane and the subscription with an order that is no watch."""
        if order in self.members:
            return self.members[order]
        unit, table = self._table_of(order)
        row = order - table.first_order
        number = int(table.numbers[row])
        return unit, table.left[row] if number == NONE else unit.members[number]

    def normal_of(self, order: int) -> NormalSubscription:
        """Return the normal form of the subscription with an order that runs in a lane."""
        if order in self.members:
            return self.members[order][1].telling.subscription
        _, table = self._table_of(order)
        return table.normal(order - table.first_order)

    def _table_of(self, order: int) -> tuple[LaneUnit, Table]:
        return self.tables[self._place_of_table(order)]

    def _place_of_table(self, order: int) -> int:
        return bisect_right(self.tables, order, key=lambda one: one[1].first_order) - 1

    def _drop_lane(self, unit: LaneUnit) -> None:
        del self.lanes[unit.sources]
        self.ranks.remove(unit.number, unit.sources, None)

    def _new_lane(self, sources: tuple[str, ...]) -> LaneUnit:
        unit = LaneUnit(self._next_lane, sources, self.vocabulary, self.options)
        if self.limiter.limits.per_subscription is not None:
            unit.lane.own_states()
        self._next_lane -= 1
        self.lanes[sources] = unit
        self.ranks.add(unit.number, sources)
        return unit

    def unit(self, number: int) -> LaneUnit:
        """Return the lane with a number."""
        return next(unit for unit in self.lanes.values() if unit.number == number)

    def leave(self, name: str) -> None:
        """Take a subscription out of its lane."""
        order = self.orders.pop(name)
        unit, member = self.in_lane(order)
        is_single = self.members.pop(order, None) is not None
        self.ranks.starve(unit.number, member.tree.into)
        unit.leave(member)
        if not is_single:
            self._leave_table(order)
        unit.size -= 1
        if unit.size == 0:
            self._drop_lane(unit)

    def _leave_table(self, order: int) -> None:
        """Forget a row of a table, and with the last one the table."""
        place = self._place_of_table(order)
        unit, table = self.tables[place]
        del table.left[order - table.first_order]
        table.in_force -= 1
        if table.in_force == 0:
            unit.members.drop_table(table)
            del self.tables[place]
