"""A trailing `; !q FOR T`: matches that are complete once the clock has passed without a q."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.engine.machines.diary import Ending
from tocsin.engine.machines.follow import Wait
from tocsin.engine.machines.homes import Homes
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed


class Tail:
    """A match that waits for its deadline; a q that ends by then prevents it."""

    __slots__ = ("deadline", "found", "left", "machine")

    def __init__(self, wait: Wait, found: Found, left: Left) -> None:
        self.found = found
        self.left = left
        self.deadline = found.settled + wait.duration
        self.machine = wait.absent.open(left)

    def stays_quiet(self, world: World, placed: Placed) -> bool:
        """Take the next event, and say whether it is no end of a q in time."""
        found = world.feed_aside(self.machine, placed)
        if not any(one.end <= self.deadline for one in found):
            return True
        at = placed.event.end
        world.diary.note(Ending("absent", self.left, (self.deadline,), at, placed))
        return False

    def outlasts(self, world: World, upcoming: list[Placed]) -> bool:
        """Say whether events that stand right behind the deadline prevent it neither."""
        return all(self.stays_quiet(world, placed) for placed in upcoming)


class Tails:
    """The matches that wait at the end of one sequence, by their deadlines.

    Those whose q is an atom are not fed every event, but those that may be such a q.
    """

    __slots__ = ("_by_deadline", "_homes", "_made", "_wait", "_watchful")

    def __init__(self, wait: Wait) -> None:
        self._wait = wait
        self._by_deadline: dict[int, dict[int, Tail]] = {}
        self._homes: Homes[Tail] = Homes()
        self._watchful: dict[int, Tail] = {}  # those that see every event
        self._made = 0

    def __iter__(self) -> Iterator[Tail]:
        for due in self._by_deadline.values():
            yield from due.values()

    def add(self, world: World, found: Found, left: Left, missed: list[Placed]) -> None:
        """Let a match wait, unless events that it has missed prevent it."""
        if not world.admit():
            world.diary.note(Ending("limit", left, (found.settled + self._wait.duration,)))
            return
        tail = Tail(self._wait, found, left)
        if not all(tail.stays_quiet(world, placed) for placed in missed):
            return
        world.schedule(tail.deadline)
        number = self._made
        self._made += 1
        self._by_deadline.setdefault(tail.deadline, {})[number] = tail
        leaves = self._wait.absent.awaited
        if leaves is None:
            self._watchful[number] = tail
        else:
            self._homes.add(leaves, left, number, tail)

    def feed(self, world: World, placed: Placed) -> None:
        """Take the next event: drop those that it prevents."""
        if not self._by_deadline:
            return
        for number, tail in (*self._watchful.items(), *self._homes.at(placed)):
            if not tail.stays_quiet(world, placed):
                self._drop(number, tail)

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return the matches that have waited until a deadline."""
        due = self._by_deadline.get(deadline)
        if due is None:
            return []
        kept = [tail for tail in due.values() if tail.outlasts(world, upcoming)]
        for number, tail in list(due.items()):
            self._drop(number, tail)
        return [tail.found.until(deadline) for tail in kept]

    def forget(self, position: int) -> None:
        """Drop the matches that began at or before a position."""
        for due in list(self._by_deadline.values()):
            for number, tail in list(due.items()):
                if tail.found.first <= position:
                    self._drop(number, tail)

    def _drop(self, number: int, tail: Tail) -> None:
        due = self._by_deadline[tail.deadline]
        del due[number]
        if not due:
            del self._by_deadline[tail.deadline]
        leaves = self._wait.absent.awaited
        if leaves is None:
            del self._watchful[number]
        else:
            self._homes.remove(leaves, tail.left, number)
