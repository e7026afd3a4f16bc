"""The matches of one side of `p & q`, found by the value of a variable that the sides share."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from tocsin.engine.machines.machine import Reach
from tocsin.engine.state import Found
from tocsin.model.values import Value, join_key

_ANY = None  # where matches live that do not bind the variable


class Side:
    """Matches in the order in which they came, kept until they have left the reach.

    Parameters
    ----------
    variable
        By which matches of other sides are joined with these; None where by none.
    """

    __slots__ = ("_by_value", "_made", "_order", "_variable")

    def __init__(self, variable: str | None) -> None:
        self._variable = variable
        self._order: deque[tuple[int, Found]] = deque()
        self._by_value: dict[object, dict[int, Found]] = {}
        self._made = 0

    def __iter__(self) -> Iterator[Found]:
        return (found for _, found in self._order)

    def add(self, found: Found) -> None:
        """Keep a match."""
        number = self._made
        self._made += 1
        self._order.append((number, found))
        self._by_value.setdefault(self._value(found.variables), {})[number] = found

    def agreeing(self, variables: Mapping[str, Value]) -> Iterable[Found]:
        """Return the matches that may agree with variables: no other does."""
        value = self._value(variables)
        if value is _ANY:
            return list(self)
        found = self._by_value.get(_ANY), self._by_value.get(value)
        return [one for several in found if several is not None for one in several.values()]

    def _value(self, variables: Mapping[str, Value]) -> object:
        if self._variable is None or self._variable not in variables:
            return _ANY
        return join_key(variables[self._variable])

    def expire(self, position: int, end: int, reach: Reach) -> list[Found]:
        """Drop the oldest, as long as they can take neither such an event nor a later one."""
        order, dropped = self._order, list[Found]()
        while order and reach.is_left_by(order[0][1].first, order[0][1].begin, position, end):
            number, found = order.popleft()
            self._leave(number, found)
            dropped.append(found)
        return dropped

    def forget(self, position: int) -> None:
        """Drop the matches that began at or before a position."""
        for number, found in self._order:
            if found.first <= position:
                self._leave(number, found)
        self._order = deque(item for item in self._order if item[1].first > position)

    def _leave(self, number: int, found: Found) -> None:
        value = self._value(found.variables)
        home = self._by_value[value]
        del home[number]
        if not home:
            del self._by_value[value]
