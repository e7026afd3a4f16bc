"""For how long a subscription has to keep events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tocsin.engine.machines.chain import ChainPart
from tocsin.engine.machines.counted import CountedPart
from tocsin.engine.machines.filters import BoundedPart
from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.lead import Lead
from tocsin.engine.machines.machine import Part, Reach
from tocsin.engine.machines.sightings import Sightings
from tocsin.engine.machines.world import KEEP_ALL
from tocsin.language.tree import Limit


def retention_of(statics: Sequence[Part | Link], within: Limit | None) -> int | None:
    """Return how long events are kept, in microseconds; None where none is needed.

    What a deadline completes catches up with the events that came while it waited. A leading
    absence that does not stand alone looks back: `!q FOR T ; p` by T from where p begins, which a
    WITHIN clause puts not too long ago; `!q ; r` to the start.
    """
    whole = statics[-1]
    assert isinstance(whole, Part)
    leads = [lead for lead in leads_of(statics) if not _is_noted(lead)]
    if not leads:
        return whole.waits_us or None
    counts = any(isinstance(one, CountedPart) for one in statics)  # from the start
    if counts or within is None or within.unit != "time" or any(one.absent for one in leads):
        return KEEP_ALL
    assert isinstance(within.amount, int)
    longest = max(lead.wait.duration for lead in leads if lead.wait is not None)
    return longest + within.amount + whole.waits_us


def reach_of_past(statics: Sequence[Part | Link]) -> Reach:
    """Return how far back a match of what is absent in a silence may reach; `nth` counts all."""
    whole = statics[-1]
    if not isinstance(whole, BoundedPart) or any(isinstance(one, CountedPart) for one in statics):
        return Reach()
    return Reach().within(whole.limit).with_waits(whole.waits_us)


def leads_of(statics: Sequence[Part | Link]) -> list[Lead]:
    """Return the leading absences of a pattern."""
    return [lead for chain in _chains(statics) for lead in chain.leads.values()]


def sightings_of(statics: Sequence[Part | Link]) -> Iterator[tuple[int, Sightings]]:
    """Yield what leading absences have to note from the start on, by the numbers of their parts."""
    for chain in _chains(statics):
        for lead in chain.leads.values():
            yield from lead.sightings(chain.reach.span_us)


def _chains(statics: Sequence[Part | Link]) -> list[ChainPart]:
    return [one for one in statics if isinstance(one, ChainPart)]


def _is_noted(lead: Lead) -> bool:
    parts = [*lead.absent, *([] if lead.wait is None else [lead.wait.absent])]
    return all(part.stands_alone for part in parts)
