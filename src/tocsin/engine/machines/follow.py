"""Joints: how an element follows what stands before it, and what must be absent between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tocsin.engine.machines.diary import Why
from tocsin.engine.machines.gate import Gate, Wanted, is_any
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Machine, OpenPlace, Part, awaited_together
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left, Placed


@dataclass(frozen=True, slots=True)
class Wait:
    """`!q FOR T`."""

    absent: Part
    duration: int


@dataclass(slots=True, eq=False)
class Link:
    """A compiled joint before one element; like a part it never changes.

    Attributes
    ----------
    number
        By which a snapshot names it.
    sign
        The operator in the text.
    wanted
        Conditions of which the first event is sought; none for `;`.
    variant_of
        Which of them counts for a match with these openings; empty where there is only one.
    absent, absent_next, wait
        What must not come: between, as the very next event, for a while.
    """

    number: int
    sign: str
    wanted: tuple[Wanted, ...]
    variant_of: dict[tuple[LeafPart, ...], int]
    absent: tuple[Part, ...] = ()
    absent_next: tuple[Part, ...] = ()
    wait: Wait | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the element may begin anywhere later."""
        return not (self.wanted or self.absent or self.absent_next or self.wait)

    def awaited(self, element: Part) -> tuple[LeafPart, ...] | None:
        """Return the atoms for whose events alone an element behind it waits.

        Behind a plain `->` no event matters but the first that satisfies the element's opening,
        which is one of its own.
        """
        if self.absent_next or (self.wanted and not self.variant_of):
            return None
        waits = () if self.wait is None else (self.wait.absent,)
        return awaited_together((element, *self.absent, *waits))

    def open(self, element: Part, left: Left) -> Machine:
        """Return a machine for an element that follows what stands to the left."""
        child = element.open(left)
        return child if self.is_plain else Follow(self, left, child)


class Follow(Machine):
    """One element behind a joint that asks for more than `;` does."""

    __slots__ = (
        "absent",
        "blocked",
        "child",
        "gate",
        "is_over",
        "left",
        "link",
        "next",
        "outset",
        "quiet",
    )

    def __init__(self, link: Link, left: Left, child: Machine) -> None:
        self.link = link
        self.left = left
        # `,` asks for the very next event, even where it comes before a deadline and fits nothing.
        self.outset = left.without_deadline() if link.sign == "," else left
        self.child = child
        self.is_over = False
        self.gate = Gate(len(link.wanted)) if link.wanted else None
        self.absent = [part.open(left) for part in link.absent]
        self.blocked: tuple[int, int] | None = None  # position and end of the first absent match
        self.next = Next(left, link.absent_next) if link.absent_next else None
        self.quiet = Quiet(left, link.wait) if link.wait is not None else None

    def feed(self, world: World, placed: Placed, *, may_start: bool) -> list[Found]:
        """Take the next event."""
        del may_start  # what is to the left has begun already
        if self.is_over:
            return []
        had_closed = self._closed_at(world) is not None
        self._watch(world, placed)
        follows = self.outset.admits(placed, unordered=world.unordered)
        begins = follows and self._may_begin(placed, world)
        found = self.child.feed(world, placed, may_start=begins)
        found = [one for one in found if self._fits(one, world)]
        self.is_over = self._is_exhausted(world)
        if not found:
            self._note_end(world, placed, had_closed=had_closed)
        return found

    def _note_end(self, world: World, placed: Placed, *, had_closed: bool) -> None:
        """Note who can no longer go on because of an event, where none has gone on with it."""
        diary, link = world.diary, self.link
        if self.is_over and self._is_broken():
            diary.note_places("absent", self.child.open_places(), by=placed, cause=link)
        elif not had_closed and self._closed_at(world) is not None:
            is_blocked = self.blocked is not None and self.blocked[0] == placed.position
            has_begun = any(one.first == placed.position for one in self.child.instances())
            if is_blocked or not (has_begun or world.unordered):
                shut: Why = "next" if link.sign == "," else "first"
                why: Why = "absent" if is_blocked else shut
                diary.note_places(why, self._outset_places(), by=placed, cause=link)

    def _outset_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which the element has not begun."""
        taken = len(self.left.taken)
        return (one for one in self.child.open_places() if len(one.left.taken) == taken)

    def _watch(self, world: World, placed: Placed) -> None:
        """Note what must be absent and is not."""
        if self.blocked is None:
            found = [world.feed_aside(machine, placed) for machine in self.absent]
            if any(found):
                self.blocked = (placed.position, placed.event.end)
        if self.next is not None:
            self.next.feed(world, placed)
        if self.quiet is not None:
            self.quiet.feed(world, placed)

    def _may_begin(self, placed: Placed, world: World) -> bool:
        """Say whether a match that begins with this event may fit."""
        begins = self.gate is None or self.gate.offer(
            self.link.wanted, self.left, placed, unordered=world.unordered
        )
        if self.quiet is not None and placed.event.begin <= self.quiet.deadline:
            return False
        return begins and not self._is_behind_absent(placed.position, placed.event.begin, world)

    def _is_behind_absent(self, first: int, begin: int, world: World) -> bool:
        """Say whether an absent match lies wholly before such a begin."""
        if self.blocked is None or self.blocked[0] >= first:
            return False
        return not world.unordered or self.blocked[1] < begin

    def _fits(self, found: Found, world: World) -> bool:
        if self.gate is not None:
            variant = self.link.variant_of.get(found.openings, 0)
            if not self.gate.admits(found, variant):
                return False
        if self.next is not None and self.next.is_broken_by(found.last.position):
            return False
        if self.quiet is not None and (self.quiet.is_broken or found.begin <= self.quiet.deadline):
            return False
        return not self._is_behind_absent(found.first, found.begin, world)

    def _is_exhausted(self, world: World) -> bool:
        """Say whether no match can fit any more."""
        broken = self.next.broken if self.next is not None else None
        if broken is not None and not (world.unordered and self.child.has_begun_by(broken)):
            return True
        if self.quiet is not None and self.quiet.is_broken:
            return True
        closed = self._closed_at(world)
        return closed is not None and not self.child.has_begun_by(closed)

    def _is_broken(self) -> bool:
        """Say whether `!q` behind `,` or with FOR has been broken."""
        is_broken = self.next is not None and self.next.broken is not None
        return is_broken or (self.quiet is not None and self.quiet.is_broken)

    def _closed_at(self, world: World) -> int | None:
        """Return the last position at which the element may begin, None where that is open."""
        closed = self.gate.closed_at() if self.gate is not None else None
        if self.blocked is not None and not world.unordered:
            closed = self.blocked[0] if closed is None else min(closed, self.blocked[0])
        return closed

    def reach(self, world: World, deadline: int, upcoming: list[Placed]) -> list[Found]:
        """Return what the clock completes at a deadline."""
        if self.is_over:
            return []
        found = self.child.reach(world, deadline, upcoming)
        return [one for one in found if self._fits(one, world)]

    def open_places(self) -> Iterator[OpenPlace]:
        """Yield the places in which events are awaited; behind a shut gate nothing begins."""
        if self.is_over:
            return
        is_shut = self.blocked is not None
        is_shut = is_shut or (self.gate is not None and self.gate.closed_at() is not None)
        taken = len(self.left.taken)
        for one in self.child.open_places():
            if not is_shut or len(one.left.taken) > taken:
                yield one

    def instances(self) -> Iterator[Found]:
        """Yield the live partial matches of the element."""
        return self.child.instances()

    def forget(self, position: int) -> None:
        """Drop the instances that began at or before a position."""
        self.child.forget(position)

    def expire(self, world: World, position: int, end: int) -> None:
        """Drop the instances that have left their reach; `,` is over once the next has passed."""
        self.child.expire(world, position, end)
        if self.is_over or self.link.sign != "," or world.unordered:
            return
        assert self.gate is not None
        assert self.left.after is not None
        if self.gate.closed_at() is None and position > self.left.after[0] + 1:
            # An event came that was skipped, since no atom can take it.
            world.diary.note_places("next", self._outset_places(), at=end, cause=self.link)
            self.is_over = True


class Next:
    """`p , !q`: the very next event is no q, even where it comes before a deadline.

    Unordered, none of those that are next together and have arrived up to the end of the match;
    `broken` is the first position at which a q begins.
    """

    __slots__ = ("broken", "gate", "left", "machines")

    def __init__(self, left: Left, parts: tuple[Part, ...]) -> None:
        self.left = left.without_deadline()
        self.gate = Gate(1)
        self.machines = [part.open(self.left) for part in parts]
        self.broken: int | None = None

    def is_broken_by(self, position: int) -> bool:
        """Say whether a q has begun up to a position."""
        return self.broken is not None and self.broken <= position

    def feed(self, world: World, placed: Placed) -> None:
        """Take the next event."""
        follows = self.left.admits(placed, unordered=world.unordered)
        is_next = follows and self.gate.offer(
            (is_any,), self.left, placed, unordered=world.unordered
        )
        closed = self.gate.closed_at()
        for machine in self.machines:
            found = world.feed_aside(machine, placed, may_start=is_next)
            for one in found:
                if self.gate.admits(one, 0) and not self.is_broken_by(one.first):
                    self.broken = one.first
        if closed is not None:
            self.machines = [one for one in self.machines if one.has_begun_by(closed)]


class Quiet:
    """`p ; !q FOR T ; r`: no q ends until T after what is to the left."""

    __slots__ = ("deadline", "is_broken", "machine")

    def __init__(self, left: Left, wait: Wait) -> None:
        assert left.after is not None
        self.deadline = left.after[2] + wait.duration
        self.machine: Machine | None = wait.absent.open(left)
        self.is_broken = False

    def feed(self, world: World, placed: Placed) -> None:
        """Take the next event."""
        if self.machine is None:
            return
        if placed.event.end > self.deadline:
            self.machine = None
        elif world.feed_aside(self.machine, placed):
            self.is_broken = True
