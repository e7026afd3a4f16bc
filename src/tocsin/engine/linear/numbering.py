"""Numbers for filters and guards: of one subscription, or of a table of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tocsin.engine.columns.kinds import STREAM_ATTRIBUTE
from tocsin.engine.index import FilterTemplate, PredicateIndex
from tocsin.engine.linear.arrays import NONE, Int64Array
from tocsin.engine.linear.guards import GuardStore
from tocsin.engine.linear.recipe import Column, least_span
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    And,
    Attribute,
    Comparison,
    Expression,
    Limit,
    Literal,
    Parameter,
)
from tocsin.language.variables import walk
from tocsin.model.values import INTEGER_MAX


def of_stream(condition: Expression, stream: str | None) -> Expression:
    """Return a condition that holds only of events of a stream."""
    if stream is None:
        return condition
    return And((Comparison("=", Attribute(STREAM_ATTRIBUTE), Literal(stream)), condition))


class PlainNumbering:
    """Numbers for one subscription."""

    def __init__(self, index: PredicateIndex, guards: GuardStore) -> None:
        self._index = index
        self._guards = guards

    def filter(self, condition: Expression, stream: str | None) -> int:
        """Return the number of a static condition."""
        return self._index.add_condition(of_stream(condition, stream))

    def guard(self, conditions: tuple[Expression, ...]) -> int:
        """Return the number of conditions that look at the match; NONE for none."""
        return self._guards.take(conditions)

    def key(self, condition: Expression) -> int:
        """Return the key that a condition makes, NONE where it makes none."""
        return self._guards.key(condition)

    def span(self, limits: tuple[Limit, ...], unit: str) -> int:
        """Return the least of the limits of a unit."""
        return least_span(limits, unit)


class TableNumbering:
    """Numbers for many subscriptions that differ in the values of parameters.

    Parameters
    ----------
    columns
        The values of each parameter, one for each subscription.
    count
        How many subscriptions there are.
    """

    def __init__(
        self, index: PredicateIndex, guards: GuardStore, columns: Mapping[str, Any], count: int
    ) -> None:
        self._index = index
        self._guards = guards
        self._columns = columns
        self._count = count
        self._filters: list[Int64Array] = []
        self._taken: list[Int64Array] = []

    def filter(self, condition: Expression, stream: str | None) -> Int64Array:
        """Return the numbers of a static condition.

        Raises
        ------
        NotByColumnError
            It cannot be filled in by column.
        """
        template = FilterTemplate(of_stream(condition, stream), self._index)
        numbers = template.add(self._columns, self._count).astype(np.int64)
        self._filters.append(numbers)
        return numbers

    def guard(self, conditions: tuple[Expression, ...]) -> Column:
        """Return the numbers of conditions that look at the match."""
        if not conditions:
            return NONE
        names = sorted({p.name for c in conditions for p in walk(c) if isinstance(p, Parameter)})
        if not names:
            numbers = np.full(self._count, self._guards.take(conditions, self._count))
        else:
            numbers = self._by_values(conditions, names)
        self._taken.append(numbers)
        return numbers

    def _by_values(self, conditions: tuple[Expression, ...], names: list[str]) -> Int64Array:
        """Fill a guard in once for each distinct choice of values."""
        known: dict[tuple[object, ...], int] = {}
        numbers = np.empty(self._count, np.int64)
        columns = [self._columns[name] for name in names]
        for row, values in enumerate(zip(*columns, strict=True)):
            key = tuple((type(value), value) for value in values)
            if key not in known:
                filled = dict(zip(names, values, strict=True))
                made = tuple(_filled(condition, filled) for condition in conditions)
                known[key] = self._guards.take(made)
            else:
                self._guards.take_again(known[key])
            numbers[row] = known[key]
        return numbers

    def key(self, condition: Expression) -> int:
        """Return the key that a condition makes, NONE where it makes none."""
        return self._guards.key(condition)

    def span(self, limits: tuple[Limit, ...], unit: str) -> Column:
        """Return the least of the limits of a unit, for each subscription."""
        least = np.full(self._count, INTEGER_MAX, np.int64)
        for limit in limits:
            if limit.unit == unit:
                amount: Any = limit.amount
                if isinstance(amount, Parameter):
                    amount = np.array([int(one) for one in self._columns[amount.name]], np.int64)
                least = np.minimum(least, amount)
        return least

    def give_back(self) -> None:
        """Give back all that was taken, where something could not be filled in by column."""
        for numbers in self._filters:
            self._index.remove_rows(numbers)
        for numbers in self._taken:
            for number in numbers.tolist():
                self._guards.give_back(number)


def _filled(condition: Expression, values: Mapping[str, object]) -> Expression:
    def change(node: Any) -> Any:
        if isinstance(node, Parameter):
            return Literal(values[node.name])  # type: ignore[arg-type]
        return None

    filled: Expression = rewrite(condition, change)
    return filled
