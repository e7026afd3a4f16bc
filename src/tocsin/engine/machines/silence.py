"""Silence: `!q FOR T [EVERY T2]` as a whole pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tocsin.engine.comparisons import equal
from tocsin.engine.machines.both import BothPart
from tocsin.engine.machines.chain import ChainPart
from tocsin.engine.machines.either import EitherPart
from tocsin.engine.machines.filters import BoundedPart
from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.iteration import IterationPart
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, Part
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Placed, frozen, nothing_left
from tocsin.language.normal import Silence
from tocsin.model.values import Value


@dataclass(frozen=True, slots=True)
class Silent:
    """A time without q, from `begin` to `deadline`."""

    begin: int
    deadline: int
    variables: Mapping[str, Value]


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

    def goes_on(self, world: World, placed: Placed, found: list[Found]) -> bool:
        """Take the next event and the q's that it completes, and say whether none ends it."""
        if self.machine is not None:
            return not self.machine.feed(world, placed, may_start=True)
        return not any(self._agrees(q.variables) for q in found)

    def _agrees(self, variables: Mapping[str, Value]) -> bool:
        return all(
            name not in variables or equal(value, variables[name])
            for name, value in self.variables.items()
        )


class SilenceMachine:
    """The silences that go on, from the start and after each q.

    A q ends a silence wherever it began. Where it is not enough that its variables agree, it is
    sought with the variables of the silence, among all events from the start on (`past`).
    """

    __slots__ = (
        "_every",
        "_is_shared",
        "_length",
        "_part",
        "has_started",
        "listening",
        "past",
        "seen",
        "sought",
    )

    def __init__(self, part: Part, node: Silence, *, is_shared: bool) -> None:
        self._part = part
        self._length = node.duration
        self._every = node.every
        self._is_shared = is_shared
        self.has_started = False
        self.sought = part.open(nothing_left())
        self.listening: list[Listening] = []
        self.past: list[Placed] = []
        self.seen = -1

    def start(self, world: World) -> None:
        """Begin to listen, as soon as there is a time to begin with."""
        if not self.has_started and world.start is not None:
            self.has_started = True
            self._listen(world, world.start, {})

    def _listen(self, world: World, begin: int, variables: Mapping[str, Value]) -> None:
        if world.admit():
            machine = self._seeking(world, variables) if variables else None
            one = Listening(begin, begin + self._length, variables, machine)
            self.listening.append(one)
            world.schedule(one.deadline)

    def _seeking(self, world: World, variables: Mapping[str, Value]) -> Machine | None:
        """Return a machine that has seen all events so far."""
        if self._is_shared:
            return None
        machine = self._part.open(nothing_left().from_the_start(variables))
        for placed in self.past:
            machine.feed(world, placed, may_start=True)
        return machine

    def feed(self, world: World, placed: Placed) -> None:
        """Take the next event, once: it may end silences and begin new ones."""
        if placed.position <= self.seen:
            return
        self.seen = placed.position
        if not self._is_shared and not isinstance(self._part, LeafPart):
            self.past.append(placed)
        found = self.sought.feed(world, placed, may_start=True)
        if found or not self._is_shared:
            self.listening = [one for one in self.listening if one.goes_on(world, placed, found)]
        # Those that complete together with equal variables are followed by one silence.
        for q in {frozen(q.variables): q for q in found}.values():
            self._listen(world, q.end, q.variables)

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Silent]:
        """Return the silences that have lasted until a deadline."""
        for placed in upcoming:
            self.feed(world, placed)
        lasted = [one for one in self.listening if one.deadline == deadline]
        if self._every is None:
            self.listening = [one for one in self.listening if one.deadline != deadline]
        else:
            for one in lasted:
                one.deadline += self._every
                world.schedule(one.deadline)
        return [Silent(one.begin, deadline, one.variables) for one in lasted]

    def instances(self) -> Iterator[Listening]:
        """Yield the silences that go on."""
        yield from self.listening


def agreeing_is_enough(statics: Sequence[Part | Link]) -> bool:
    """Say whether the matches of a part with given variables are those that agree with them.

    So it is where every event is taken for itself; what is first (`->`), absent, counted or
    guarded may be another one where variables are known before.
    """
    return all(_takes_each(one) for one in statics)


def _takes_each(one: Part | Link) -> bool:
    match one:
        case Link():
            return one.is_plain or (one.sign == "," and not (one.absent or one.absent_next))
        case LeafPart():
            return one.is_free
        case ChainPart():
            return not one.leads
        case IterationPart():
            return one.until is None
    return isinstance(one, EitherPart | BothPart | BoundedPart)
