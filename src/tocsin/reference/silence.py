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


def silences(world: World, timeline: Timeline, node: Silence) -> Iterator[Silent]:
    """Yield the silence from the start and after each q that is followed by T without another."""
    if world.start is None:
        return
    yield from _after(world, timeline, node, world.start, None)
    found = world.matches(node.absent, Context())
    # Matches of q that complete together with equal variables are followed by one silence.
    completions = {(q.last.position, frozenset_of(q.variables)): q for q in found}
    for q in completions.values():
        yield from _after(world, timeline, node, q.end, q)


def _after(
    world: World, timeline: Timeline, node: Silence, begin: int, last: Match | None
) -> Iterator[Silent]:
    """Yield T, and with EVERY each further T2, for as long as no q completes."""
    variables = {} if last is None else last.variables
    position = -1 if last is None else last.last.position
    others = world.matches(node.absent, Context(variables=variables))
    ends = [q.end for q in others if q.last.position > position]
    deadline = begin + node.duration
    while (place := timeline.clock_place(deadline)) is not None:
        if any(end <= deadline for end in ends):
            return
        yield Silent(begin, deadline, place, variables)
        if node.every is None:
            return
        deadline += node.every
