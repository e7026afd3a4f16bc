"""Leading absences: `!q ; r` and `!q FOR T ; p` look back, from the start of the stream on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tocsin.engine.machines.follow import Wait
from tocsin.engine.machines.machine import Part
from tocsin.engine.machines.sightings import Sightings
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left


@dataclass(frozen=True, slots=True)
class Lead:
    """What must be absent before the first element; q is sought with the variables of that.

    A q that stands alone is noted as it comes (see `sightings`); another one is sought in the kept
    events.
    """

    absent: tuple[Part, ...]
    wait: Wait | None

    def sightings(self, span_us: int | None) -> Iterator[tuple[int, Sightings]]:
        """Yield what has to be noted from the start on, by the number of the part."""
        for part in self.absent:
            if part.stands_alone:
                yield part.number, Sightings(part, None, None)
        wait = self.wait
        if wait is not None and wait.absent.stands_alone:
            yield wait.absent.number, Sightings(wait.absent, wait.duration, span_us)

    def admits(self, world: World, left: Left, found: Found) -> bool:
        """Say whether a match may be the first element."""
        if any(_lies_before(world, part, left, found) for part in self.absent):
            return False
        return self.wait is None or _was_quiet(world, self.wait, left, found)


def _lies_before(world: World, part: Part, left: Left, found: Found) -> bool:
    """`!q ; r`: a q lies wholly before r, anywhere from the start on."""
    if part.stands_alone:
        return any(
            seen.position < found.first and (not world.unordered or seen.end < found.begin)
            for seen in world.sightings[part.number].matching(found.variables)
        )
    machine = part.open(left.from_the_start(found.variables))
    for past, placed in world.past(found.first):
        for q in machine.feed(past, placed, may_start=True):
            if not world.unordered or q.end < found.begin:
                return True
    return False


def _was_quiet(world: World, wait: Wait, left: Left, found: Found) -> bool:
    """`!q FOR T ; p`: watched for at least T, and no q in [begin(p) - T, begin(p))."""
    since = found.begin - wait.duration
    if world.start is None or world.start > since:
        return False
    if wait.absent.stands_alone:
        seen = world.sightings[wait.absent.number].matching(found.variables)
        return not any(one.forbids(found.begin) for one in seen)
    machine = wait.absent.open(left.from_the_start(found.variables))
    for past, placed in world.past(world.position + 1):
        if placed.event.end >= found.begin:
            return True
        for q in machine.feed(past, placed, may_start=True):
            if q.begin >= since:
                return False
    return True
