"""Silence: `!q FOR T [EVERY T2]` as a whole pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tocsin.language.normal import Silence
from tocsin.model.values import Value
from tocsin.reference.context import Context, Match, Place, frozenset_of
from tocsin.reference.timeline import Timeline
from tocsin.reference.world import World


@dataclass(frozen=True, slots=True)
class Silent:
    """A time without q, from `begin` to `deadline`."""

    begin: int
    deadline: int
    place: Place
    variables: Mapping[str, Value]

    def identity(self) -> object:
        """Two that agree in this are one."""
        return (self.begin, self.deadline, frozenset_of(self.variables))


def silences(world: World, timeline: Timeline, node: Silence) -> Iterator[Silent]:
    """Yield the silence from the start and after each q that is followed by T without another."""
    if world.start is None:
        return
    yield from _after(world, timeline, node, world.start, Context())
    told = set()
    for q in world.matches(node.absent, Context()):
        for silent in _after(world, timeline, node, q.end, Context().extended(q)):
            told_before = silent.identity() in told  # by a q at the same time
            told.add(silent.identity())
            if not told_before:
                yield silent


def _after(
    world: World, timeline: Timeline, node: Silence, begin: int, left: Context
) -> Iterator[Silent]:
    """Yield T, and with EVERY each further T2, for as long as no q follows."""
    following = list(world.matches(node.absent, left))
    deadline = begin + node.duration
    while (place := timeline.clock_place(deadline)) is not None:
        if _is_broken(following, deadline):
            return
        yield Silent(begin, deadline, place, left.variables)
        if node.every is None:
            return
        deadline += node.every


def _is_broken(following: list[Match], deadline: int) -> bool:
    return any(q.end <= deadline for q in following)
