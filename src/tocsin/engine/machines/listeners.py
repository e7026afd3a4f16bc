"""Silences that go on, found by the values of their variables and by their deadlines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tocsin.engine.machines.by_variables import ByVariables
from tocsin.engine.machines.machine import Machine
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Placed
from tocsin.model.values import Value


class Listening:
    """A silence that goes on: no q that agrees with its variables has come since it began.

    `machine` seeks those q's; None where they are among the q's that all seek together.
    """

    __slots__ = ("begin", "deadline", "machine", "variables")

    def __init__(
        self, begin: int, deadline: int, variables: Mapping[str, Value], machine: Machine | None
    ) -> None:
        self.begin = begin
        self.deadline = deadline
        self.variables = variables
        self.machine = machine


class Listeners:
    """All silences of a subscription that go on, by number."""

    __slots__ = ("_by_deadline", "_made", "_seeking", "_together")

    def __init__(self) -> None:
        self._by_deadline: dict[int, dict[int, Listening]] = {}
        self._seeking: dict[int, Listening] = {}
        self._together: ByVariables[dict[int, Listening]] = ByVariables()
        self._made = 0

    def __iter__(self) -> Iterator[Listening]:
        for due in self._by_deadline.values():
            yield from due.values()

    def add(self, one: Listening) -> None:
        """Let a silence go on."""
        number = self._made
        self._made += 1
        self._by_deadline.setdefault(one.deadline, {})[number] = one
        if one.machine is not None:
            self._seeking[number] = one
            return
        home = self._together.get(one.variables)
        if home is None:
            home = {}
            self._together.put(one.variables, home)
        home[number] = one

    def feed(self, world: World, placed: Placed, found: list[Found]) -> list[Listening]:
        """Take the next event and the q's that it completes: drop the silences they end."""
        over: list[Listening] = []
        for number, one in list(self._seeking.items()):
            assert one.machine is not None
            if world.feed_aside(one.machine, placed):
                self._drop(number, one)
                over.append(one)
        for q in found:
            ended = [item for home in self._together.agreeing(q.variables) for item in home.items()]
            for number, one in ended:
                self._drop(number, one)
                over.append(one)
        return over

    def pop(self, deadline: int) -> list[Listening]:
        """Take the silences that have lasted until a deadline."""
        lasted = list(self._by_deadline.get(deadline, {}).items())
        for number, one in lasted:
            self._drop(number, one)
        return [one for _, one in lasted]

    def _drop(self, number: int, one: Listening) -> None:
        due = self._by_deadline[one.deadline]
        del due[number]
        if not due:
            del self._by_deadline[one.deadline]
        if one.machine is not None:
            del self._seeking[number]
            return
        home = self._together.get(one.variables)
        assert home is not None
        del home[number]
        if not home:
            self._together.remove(one.variables)
