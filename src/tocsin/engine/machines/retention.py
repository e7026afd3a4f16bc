"""For how long a subscription has to keep events."""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.engine.machines.chain import ChainPart
from tocsin.engine.machines.counted import CountedPart
from tocsin.engine.machines.follow import Link
from tocsin.engine.machines.lead import Lead, is_simple
from tocsin.engine.machines.machine import Part
from tocsin.engine.machines.world import KEEP_ALL
from tocsin.language.tree import Limit


def retention_of(statics: Sequence[Part | Link], within: Limit | None) -> int | None:
    """Return how long events are kept, in microseconds; None where none is needed.

    What a deadline completes catches up with the events that came while it waited. A leading
    absence that is no simple atom looks back: `!q FOR T ; p` by T from where p begins, which a
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


def leads_of(statics: Sequence[Part | Link]) -> list[Lead]:
    """Return the leading absences of a pattern."""
    chains = [one for one in statics if isinstance(one, ChainPart)]
    return [lead for chain in chains for lead in chain.leads.values()]


def _is_noted(lead: Lead) -> bool:
    parts = [*lead.absent, *([] if lead.wait is None else [lead.wait.absent])]
    return all(is_simple(part) for part in parts)
