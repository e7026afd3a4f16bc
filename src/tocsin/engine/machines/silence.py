"""Silence: `!q FOR T [EVERY T2]` as a whole pattern."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tocsin.engine.machines.diary import Ending
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.listeners import Listeners, Listening
from tocsin.engine.machines.machine import Machine, Part, Reach
from tocsin.engine.machines.world import World
from tocsin.engine.state import Placed, frozen, nothing_left
from tocsin.language.normal import Silence
from tocsin.model.values import Value


@dataclass(frozen=True, slots=True)
class Silent:
    """A time without q, from `begin` to `deadline`."""

    begin: int
    deadline: int
    variables: Mapping[str, Value]


class SilenceMachine:
    """The silences that go on, from the start and after each q.

    A q ends a silence wherever it began. Where it is not enough that its variables agree, it is
    sought with the variables of the silence, among all events that a q may reach back to (`past`).
    """

    __slots__ = (
        "_every",
        "_is_shared",
        "_length",
        "_part",
        "_reach",
        "has_started",
        "listeners",
        "past",
        "seen",
        "sought",
    )

    def __init__(self, part: Part, node: Silence, *, is_shared: bool, reach: Reach) -> None:
        self._part = part
        self._reach = reach
        self._length = node.duration
        self._every = node.every
        self._is_shared = is_shared
        self.has_started = False
        self.sought = part.open(nothing_left())
        self.listeners = Listeners()
        self.past: deque[Placed] = deque()
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
            self.listeners.add(one)
            world.schedule(one.deadline)

    def _seeking(self, world: World, variables: Mapping[str, Value]) -> Machine | None:
        """Return a machine that has seen all events so far."""
        if self._is_shared:
            return None
        machine = self._part.open(nothing_left().from_the_start(variables))
        for placed in self.past:
            world.feed_aside(machine, placed)
        return machine

    def feed(self, world: World, placed: Placed) -> None:
        """Take the next event, once: it may end silences and begin new ones."""
        if placed.position <= self.seen:
            return
        self.seen = placed.position
        if not self._is_shared and not isinstance(self._part, LeafPart):
            self._keep(placed)
        found = world.feed_aside(self.sought, placed)
        for one in self.listeners.feed(world, placed, found):
            quiet = nothing_left().from_the_start(one.variables)
            world.diary.note(Ending("absent", quiet, (one.deadline,), one.begin, placed))
        # Those that complete together with equal variables are followed by one silence.
        for q in {frozen(q.variables): q for q in found}.values():
            self._listen(world, q.end, q.variables)

    def _keep(self, placed: Placed) -> None:
        """Keep an event, and drop those that no q can hold together with it."""
        self.past.append(placed)
        position, end = placed.position, placed.event.end
        while self._reach.is_left_by(self.past[0].position, self.past[0].event.end, position, end):
            self.past.popleft()

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Silent]:
        """Return the silences that have lasted until a deadline."""
        for placed in upcoming:
            self.feed(world, placed)
        lasted = self.listeners.pop(deadline)
        if self._every is not None:
            for one in lasted:
                one.deadline += self._every
                self.listeners.add(one)
                world.schedule(one.deadline)
        return [Silent(one.begin, deadline, one.variables) for one in lasted]

    @property
    def listening(self) -> tuple[Listening, ...]:
        """The silences that go on."""
        return tuple(self.listeners)

    def instances(self) -> Iterator[Listening]:
        """Yield the silences that go on."""
        yield from self.listeners
