# mypy: disable-error-code="no-untyped-def"

"""The loop over the events of a batch where no filter is evaluated that nobody waits for."""

from __future__ import annotations

from tocsin.engine.index.probe import probe_awaited
from tocsin.engine.linear.kernels import kernel
from tocsin.engine.linear.process import advance, take_row


@kernel
def process_single_step(begin, events, index, room, plan, guards, instances, links, kept, work):
    """Process events from `begin` on; return the first that found no room, or their number.

    What an event is asked depends on what the one before it has left waiting. `index` are the
    arrays of the predicate index, `room` has an entry for each filter; the rest is as in `process`.
    """
    positions = events[4]
    for event in range(begin, positions.shape[0]):
        take_row(event, events, work)
        count = probe_awaited(index, work.row_kind, work.row_bits, work.awaited, room)
        found = room[:count]
        if not advance(
            event, positions[event], found, plan, guards, instances, links, kept, work, index.pools
        ):
            return event
    return positions.shape[0]
