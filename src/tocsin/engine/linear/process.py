# mypy: disable-error-code="no-untyped-def"

"""The loop over the events of a batch."""

from __future__ import annotations

from tocsin.engine.linear.apply import apply, has_room
from tocsin.engine.linear.arrays import BEGINS, POSITION, ROW, STEP
from tocsin.engine.linear.foresee import fetch_groups, foresee
from tocsin.engine.linear.gather import gather
from tocsin.engine.linear.kernels import inlined, kernel
from tocsin.engine.linear.marks import mark, unmark


@inlined
def take_row(event, events, work):
    """Put an event into the scratch row."""
    kinds, bits, rows, steps, _, begins = events
    for attribute in range(kinds.shape[1]):
        work.row_kind[attribute] = kinds[event, attribute]
        work.row_bits[attribute] = bits[event, attribute]
    work.counters[ROW] = rows[event]
    work.counters[STEP] = steps[event]
    work.counters[BEGINS] = begins.shape[0] == 0 or begins[event] != 0


@inlined
def advance(event, position, found, plan, guards, instances, links, kept, work, pools):
    """Let the event in the scratch row be taken; say whether there was room for what it makes."""
    mark(found, work.marks)
    gather(position, found, plan, guards, instances, links, kept, work, pools)
    is_room = has_room(plan, instances, links, kept, work)
    if is_room:
        fetch_groups(plan, instances, work)
        apply(event, position, plan, guards, instances, links, kept, work, pools)
        work.counters[POSITION] = position + 1
    unmark(found, work.marks)
    return is_room


@kernel
def process(begin, events, satisfied, plan, guards, instances, links, kept, work, pools):
    """Process events from `begin` on; return the first that found no room, or their number.

    `events` are as `arrays` says, `satisfied` the filters of each event (offsets, ids).
    """
    positions = events[4]
    offsets, ids = satisfied
    for event in range(begin, positions.shape[0]):
        take_row(event, events, work)
        foresee(event, offsets, ids, plan, instances)
        found = ids[offsets[event] : offsets[event + 1]]
        if not advance(
            event, positions[event], found, plan, guards, instances, links, kept, work, pools
        ):
            return event
    return positions.shape[0]
