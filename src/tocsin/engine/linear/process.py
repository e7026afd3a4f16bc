# mypy: disable-error-code="no-untyped-def"

"""The loop over the events of a batch."""

from __future__ import annotations

from tocsin.engine.linear.apply import apply, has_room
from tocsin.engine.linear.arrays import POSITION, ROW, STEP
from tocsin.engine.linear.foresee import fetch_groups, foresee
from tocsin.engine.linear.gather import gather
from tocsin.engine.linear.kernels import kernel


@kernel
def process(begin, events, satisfied, plan, guards, instances, links, kept, work, pools):
    """Process events from `begin` on; return the first that found no room, or their number.

    `events` are the cells (kinds, bits), the rows of the input, the steps of the course and the
    positions in the stream, `satisfied` the filters of each event (offsets, ids).
    """
    kinds, bits, rows, steps, positions = events
    offsets, ids = satisfied
    for event in range(begin, kinds.shape[0]):
        for attribute in range(kinds.shape[1]):
            work.row_kind[attribute] = kinds[event, attribute]
            work.row_bits[attribute] = bits[event, attribute]
        work.counters[ROW] = rows[event]
        work.counters[STEP] = steps[event]
        position = positions[event]
        foresee(event, offsets, ids, plan, work)
        count = offsets[event + 1] - offsets[event]
        found = ids[offsets[event] : offsets[event + 1]]
        gather(position, found, count, plan, guards, instances, links, kept, work, pools)
        if not has_room(plan, instances, links, kept, work):
            return event
        fetch_groups(plan, instances, work)
        apply(event, position, plan, guards, instances, links, kept, work, pools)
        work.counters[POSITION] = position + 1
    return kinds.shape[0]
