"""Chains: elements with joints between them, and what must be absent before and after."""

from __future__ import annotations

from tocsin.engine.machines.follow import Link, Wait
from tocsin.engine.machines.instance import Step, awaited_by
from tocsin.engine.machines.lead import Lead
from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.machines.machine import Part, Reach
from tocsin.engine.machines.sequence import SequencePart
from tocsin.engine.machines.world import World
from tocsin.engine.state import Found, Left


class ChainPart(SequencePart):
    """A sequence; an element that can be empty vanishes, and the operator before it with it."""

    def __init__(
        self,
        elements: tuple[Part, ...],
        links: tuple[Link, ...],
        *,
        lead: Lead | None,
        tail: Wait | None,
        reach: Reach,
    ) -> None:
        self.leads = _leads(elements, links, lead)
        self.tail = tail
        self.waits_us = sum(one.waits_us for one in elements) + (tail.duration if tail else 0)
        self.can_be_empty = all(one.can_be_empty for one in elements)
        self.reach = reach.with_waits(self.waits_us)
        self._steps = _steps(elements, links)
        self._awaited = tuple(awaited_by(steps) for steps in self._steps[1:])
        self._is_complete = tuple(
            all(one.can_be_empty for one in elements[done:]) for done in range(len(elements) + 1)
        )
        found = [variant for _, element, _ in self._steps[0] for variant in element.variants]
        self.variants = tuple(dict.fromkeys(found))

    def steps(self, done: int) -> tuple[Step, ...]:
        """Return what may come next."""
        return self._steps[done]

    def awaited_after(self, done: int) -> tuple[LeafPart, ...] | None:
        """Return the atoms for whose events alone an instance waits."""
        return self._awaited[done - 1]

    def is_complete(self, done: int) -> bool:
        """Say whether everything behind can vanish."""
        return self._is_complete[done]

    def may_begin(self, world: World, left: Left, found: Found, done: int) -> bool:
        """A leading absence speaks of the first element that is there."""
        lead = self.leads.get(done)
        return lead is None or lead.admits(world, left, found)


def _leads(
    elements: tuple[Part, ...], links: tuple[Link, ...], lead: Lead | None
) -> dict[int, Lead]:
    """Return what leads an element before which nothing is there, by its number from 1 on.

    `p? ; !q ; r` without p is `!q ; r`.
    """
    leads = {} if lead is None else {1: lead}
    for done, link in enumerate(links, 2):
        if not elements[done - 2].can_be_empty:
            break
        if link.absent or link.wait is not None:
            leads[done] = Lead(link.absent, link.wait)
    return leads


def _steps(elements: tuple[Part, ...], links: tuple[Link, ...]) -> tuple[tuple[Step, ...], ...]:
    return tuple(_steps_from(done, elements, (None, *links)) for done in range(len(elements) + 1))


def _steps_from(
    done: int, elements: tuple[Part, ...], links: tuple[Link | None, ...]
) -> tuple[Step, ...]:
    """Return the next element, and those behind it as long as all before them can vanish."""
    found: list[Step] = []
    for index in range(done, len(elements)):
        found.append((index + 1, elements[index], links[index]))
        if not elements[index].can_be_empty:
            break
    return tuple(found)
