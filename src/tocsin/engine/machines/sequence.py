"""Sequences at run time: chains and iterations, which differ only in what may come next."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain, compress

from tocsin.engine.expressions import Condition
from tocsin.engine.machines.diary import Ending, Why
from tocsin.engine.machines.follow import Wait
from tocsin.engine.machines.instance import Instance, Step
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, OpenPlace, Part, Reach
from tocsin.engine.machines.tail import Tails
from tocsin.engine.machines.waiting import Waiting
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed


class SequencePart(Part):
    """A part whose matches grow element by element; `done` counts the elements so far.

    Attributes
    ----------
    reach
        How far a match may reach: an instance that has left it is dropped.
    tail
        A trailing `; !q FOR T`.
    until
        An event that satisfies it ends the sequence: nothing is taken from it on.
    """

    reach = Reach()
    tail: Wait | None = None
    until: Condition | None = None

    @abstractmethod
    def steps(self, done: int) -> tuple[Step, ...]:
        """Return what may come next: how many are done then, the element and its joint."""

    @abstractmethod
    def is_complete(self, done: int) -> bool:
        """Say whether a match may end here."""

    def left_of_next(self, left: Left) -> Left:
        """Return what the next element sees to its left."""
        return left

    def may_begin(self, world: World, left: Left, found: Found, done: int) -> bool:
        """Say whether a match may be the first element."""
        del world, left, found, done
        return True

    def may_grow(self, before: Found, found: Found) -> bool:
        """Say whether a match may follow another."""
        del before, found
        return True

    @abstractmethod
    def awaited_after(self, done: int) -> tuple[LeafPart, ...] | None:
        """Return the atoms for whose events alone an instance waits; None where others matter."""

    def open(self, left: Left) -> SequenceMachine:
        """Return a machine for this sequence."""
        return SequenceMachine(self, left)


class SequenceMachine(Machine):
    """A sequence in its place: what may begin it, what has begun, and what waits at its end."""

    __slots__ = ("first", "grown", "left", "live", "part", "stops", "tails", "waiting")

    def __init__(self, part: SequencePart, left: Left) -> None:
        self.part = part
        self.left = left
        outset = part.left_of_next(left)
        self.first = [(done, element.open(outset)) for done, element, _ in part.steps(0)]
        self.live: list[Instance] = []  # those that have to see every event
        self.waiting = Waiting()  # the others
        self.grown: list[Instance] = []
        self.tails = None if part.tail is None else Tails(part.tail)
        self.stops: list[Placed] = []  # events that end what has begun, see `until`

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event."""
        complete: list[Found] = []
        if self.tails is not None:
            self.tails.feed(world, placed)
        if self.live:
            self.live = [one for one in self.live if self._advance(world, one, placed, complete)]
        if self.waiting.instances:
            self._wake(world, placed, complete)
        if self.part.until is not None:
            self._note_stop(placed, self.part.until)
        for done, machine in self.first:
            for found in machine.feed(world, placed, may_start=may_start):
                self._begin(world, found, done, complete)
        self._settle()
        return complete

    def _settle(self) -> None:
        """Instances made by an event see only what comes after it."""
        if not self.grown:
            return
        for one in self.grown:
            awaited = self.part.awaited_after(one.done)
            if awaited is None:
                self.live.append(one)
            else:
                self.waiting.add(one, awaited, self.part.reach)
        self.grown = []

    def _wake(self, world: World, placed: Placed, complete: list[Found]) -> None:
        """Feed those who wait for such an event."""
        self._expire_waiting(world, placed.position, placed.event.end)
        for number, one in self.waiting.woken(placed):
            self._feed_steps(world, one, placed, complete)
            if not one.steps:
                self.waiting.drop(number)

    def _feed_steps(
        self, world: World, one: Instance, placed: Placed, complete: list[Found]
    ) -> None:
        """Feed what may come next, and let go of what is over."""
        over = False
        for done, machine in one.steps:
            for found in machine.feed(world, placed, may_start=one.stop is None):
                self._grow(world, one, found, done, complete)
            over = over or machine.is_over
        if over:
            one.steps = [step for step in one.steps if not step[1].is_over]

    def _note_stop(self, placed: Placed, until: Condition) -> None:
        """Keep the last event that ends it, and those that a match still waiting may precede."""
        if not until(self.part.left_of_next(self.left), placed.event):
            return
        settled = placed.event.end - self.part.waits_us if self.part.waits_us else None
        self.stops.append(placed)
        while len(self.stops) > 1 and (settled is None or self.stops[1].event.end < settled):
            self.stops.pop(0)

    def _advance(self, world: World, one: Instance, placed: Placed, complete: list[Found]) -> bool:
        """Feed an instance, and say whether it may still grow."""
        part = self.part
        if self._is_left(one, placed.position, placed.event.end):
            self._note_over(world, one, placed.position, placed.event.end)
            return False
        if part.until is not None and one.stop is None and part.until(one.left, placed.event):
            if not part.waits_us:
                one.expire(world, placed.position, placed.event.end)
                world.diary.note_places("until", one.open_places(), by=placed, cause=part)
                return False
            one.stop = placed.position
        self._feed_steps(world, one, placed, complete)
        if one.stop is not None:
            return any(True for _, machine in one.steps for _ in machine.instances())
        return bool(one.steps)

    def _note_over(self, world: World, one: Instance, position: int, end: int) -> None:
        one.expire(world, position, end)
        places, begin = one.open_places(), one.found.begin
        world.diary.note_places("window", places, at=end, cause=self.part, begin=begin)

    def _note_refusal(self, world: World, why: Why, left: Left, placed: Placed) -> None:
        """Note that a match cannot be an element."""
        world.diary.note(Ending(why, left, at=placed.event.end, by=placed, cause=self.part))

    def _is_left(self, one: Instance, position: int, end: int) -> bool:
        return self.part.reach.is_left_by(one.found.first, one.found.begin, position, end)

    def _begin(self, world: World, found: Found, done: int, complete: list[Found]) -> None:
        left = self.left.behind(found)
        for stop in self.stops:
            if found.first <= stop.position <= found.last.position:
                self._note_refusal(world, "until", left, stop)
                return
        if self.part.may_begin(world, self.left, found, done):
            self._extend(world, found, found, left, done, complete)
        else:
            self._note_refusal(world, "before", left, found.last)

    def _grow(
        self, world: World, one: Instance, found: Found, done: int, complete: list[Found]
    ) -> None:
        is_stopped = one.stop is not None and found.last.position >= one.stop
        if is_stopped:
            return
        left = one.left.behind(found)
        if self.part.may_grow(one.latest, found):
            self._extend(world, one.found.then(found), found, left, done, complete)
        else:
            self._note_refusal(world, "growth", left, found.last)

    def _extend(  # noqa: PLR0913 - a match, its last element, and what both lead to
        self,
        world: World,
        whole: Found,
        latest: Found,
        left: Left,
        done: int,
        complete: list[Found],
    ) -> None:
        """One more element is there: the match may be complete, and it may go on."""
        missed = world.since(latest.last.position)
        if self.part.is_complete(done):
            if self.tails is None:
                complete.append(whole)
            else:
                self.tails.add(world, whole, left, missed)
        steps = self.part.steps(done)
        if not steps:
            return
        if world.admit():
            one = Instance(self.part, whole, latest, left, done)
            if all(self._advance(world, one, placed, complete) for placed in missed):
                self.grown.append(one)
        else:
            waited = dict.fromkeys(leaf for _, e, _ in steps for v in e.variants for leaf in v)
            world.diary.note(Ending("limit", left, tuple(waited)))

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return what the clock completes at a deadline."""
        complete: list[Found] = []
        if self.tails is not None:
            complete += self.tails.reach(world, deadline, upcoming)
        if self.part.waits_us:
            for one in self.live:
                for done, machine in one.steps:
                    for found in machine.reach(world, deadline, upcoming):
                        self._grow(world, one, found, done, complete)
            for done, machine in self.first:
                for found in machine.reach(world, deadline, upcoming):
                    self._begin(world, found, done, complete)
            self._settle()
        return complete

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited."""
        for _, machine in self.first:
            yield from machine.open_places()
        for one in (*self.live, *self.waiting.instances.values()):
            yield from one.open_places()
        for tail in self.tails or ():
            yield OpenPlace(tail.left, None, tail.deadline)

    def instances(self) -> Iterator[Found]:
        """Yield the live partial matches."""
        for one in chain(self.live, self.waiting.instances.values()):
            yield one.found
            for _, machine in one.steps:
                yield from machine.instances()
        for tail in self.tails or ():
            yield tail.found
        for _, machine in self.first:
            yield from machine.instances()

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        self.waiting.forget(position)
        self.live = [one for one in self.live if one.found.first > position]
        if self.tails is not None:
            self.tails.forget(position)
        for machine in self._machines():
            machine.forget(position)

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop the instances that have left their reach."""
        self._expire_waiting(world, position, end)
        is_left = [self._is_left(one, position, end) for one in self.live]
        for one in compress(self.live, is_left):
            self._note_over(world, one, position, end)
        self.live = [one for one, left in zip(self.live, is_left, strict=True) if not left]
        for machine in self._machines():
            machine.expire(world, position, end)
        for one in self.live:
            one.steps = [step for step in one.steps if not step[1].is_over]
        self.live = [one for one in self.live if one.steps]

    def _expire_waiting(self, world: World, position: int, end: int) -> None:
        for one in self.waiting.expire(position, end, self.part.reach):
            self._note_over(world, one, position, end)

    def _machines(self) -> Iterator[Machine]:
        """Yield the machines that may hold instances of their own."""
        for one in self.live:
            for _, machine in one.steps:
                yield machine
        for _, machine in self.first:
            yield machine
