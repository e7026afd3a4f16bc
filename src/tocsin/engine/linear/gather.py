# mypy: disable-error-code="no-untyped-def"

"""What takes an event: found without changing anything but lists.

Candidates are gathered first, by their filters alone; then the guard of each is asked, in one place
of the code. The lists are in `work`; `tocsin.engine.linear.apply` makes of them what follows.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.cells import canonical
from tocsin.engine.columns.kinds import MISSING
from tocsin.engine.index.hashing import mix
from tocsin.engine.linear.arrays import (
    AFTER,
    BEGIN_US,
    BEGINS,
    FILTER,
    FIRST,
    FIRST_POSITION,
    GATE_GUARD,
    GATED,
    GUARD,
    INSTANCE,
    KEY,
    KEY_KIND,
    KIND,
    LINK,
    MOVE,
    NEXT_FIRST,
    NO_ACTIVE_STATES,
    NO_EDGE_INDEX,
    NONE,
    OVER,
    POSITION,
    QUEUE,
    SOUGHT_IN,
    SPAN_EVENTS,
    SPAN_US,
    SWITCHES,
    TAKEN,
    TARGET,
    TOUCHED,
    UNTIL,
    WAITS_IN,
)
from tocsin.engine.linear.kernels import inlined
from tocsin.engine.linear.lists import item_of
from tocsin.engine.linear.marks import BITS, is_marked
from tocsin.engine.linear.references import guard_holds
from tocsin.engine.linear.spans import span_of


@inlined
def bucket_of(place, kind, bits, mask):
    """Return the bucket of a group or queue and a key.

    The place is mixed before the bits come to it: small numbers of both would meet otherwise.
    """
    return mix(mix(np.int64(kind), np.int64(place)), np.int64(bits)) & mask


@inlined
def is_over(link, group, position, end_us, plan, links):
    """Say whether what waits in a group can no longer complete within its window."""
    if end_us - links.times[link, BEGIN_US] > span_of(np.int64(plan.groups[group, SPAN_US])):
        return True
    span = span_of(np.int64(plan.groups[group, SPAN_EVENTS]))
    return position - links.times[link, FIRST_POSITION] >= span


@inlined
def note(instance, move, work):
    """Note that an instance may take the event by a move; NONE is the gate of its group."""
    count = work.counters[TAKEN]
    if count < work.taken.shape[0]:
        work.taken[count, INSTANCE] = instance
        work.taken[count, MOVE] = move
    work.counters[TAKEN] = count + 1


@inlined
def end(instance, work):
    """Note that an instance is over."""
    count = work.counters[OVER]
    if count < work.over.shape[0]:
        work.over[count] = instance
    work.counters[OVER] = count + 1


@inlined
def fits(move, plan, work):
    """Say whether the event satisfies the filter of a move, and does not end its iteration."""
    if not is_marked(plan.moves[move, FILTER], work.marks):
        return False
    until = plan.moves[move, UNTIL]
    return until == NONE or not is_marked(until, work.marks)


@inlined
def note_moves(instance, group, plan, work):
    """Note all moves of a group that fit."""
    for i in range(plan.moves_of_group.spans[group, 1]):
        move = item_of(plan.moves_of_group, group, i)
        if fits(move, plan, work):
            note(instance, move, work)


@inlined
def gather_next(position, end_us, plan, instances, links, work):
    """Look at the instances that wait for the very next event; all of them are over."""
    instance = np.int32(work.counters[NEXT_FIRST])
    if position != work.counters[POSITION]:  # the very next event was none of those that come here
        instance = np.int32(NONE)
    while instance != NONE:
        work.counters[TOUCHED] += 1
        group, link = instances.cells[instance, WAITS_IN], instances.cells[instance, LINK]
        only = plan.groups[group, QUEUE]
        if only != NONE and not is_marked(only, work.marks):
            pass  # most wait for one filter, and its number lies at hand
        elif not is_over(link, group, position, end_us, plan, links):
            note_moves(instance, group, plan, work)
        instance = instances.cells[instance, AFTER]


@inlined
def note_waiting(instance, group, move, place, plan, work):
    """Note what an instance may do: the move that it was found by, or any that a queue serves."""
    if place >= 0 or plan.groups[group, KIND] == GATED:
        note(instance, move, work)
    else:
        note_moves(instance, group, plan, work)


@inlined
def gather_waiting(found, wait, position, end_us, plan, guards, instances, links, work):
    """Look at the instances of a group or queue; with a key, only at those with the event's."""
    place = np.int64(plan.waits_of_filter.items[wait, 0])
    move = plan.waits_of_filter.items[wait, 1]
    if place >= 0:
        is_idle = instances.waiting[place] == 0
        if is_idle and work.counters[SWITCHES] & NO_ACTIVE_STATES == 0:
            return
        is_end = move == NONE or plan.moves[move, TARGET] == NONE
        if not is_end and not fits(move, plan, work):
            return
        key = np.int64(plan.groups[place, KEY])
    else:
        key, place, move = -2 - place, -2 - found, np.int32(NONE)
    kind, bits = np.int64(MISSING), np.int64(0)
    if key != NONE:
        attribute = guards.keys[key, 0]
        kind, bits = canonical(work.row_kind[attribute], work.row_bits[attribute])
        if kind == MISSING:
            return
    bucket = bucket_of(place, kind, bits, instances.head_of_bucket.shape[0] - 1)
    instance = instances.head_of_bucket[bucket]
    while instance != NONE:
        following = instances.cells[instance, AFTER]
        if (
            instances.cells[instance, SOUGHT_IN] == place
            and instances.key_bits[instance] == bits
            and instances.cells[instance, KEY_KIND] == kind
            and plan.groups[instances.cells[instance, WAITS_IN], KEY] == key
        ):
            work.counters[TOUCHED] += 1
            group, link = instances.cells[instance, WAITS_IN], instances.cells[instance, LINK]
            if is_over(link, group, position, end_us, plan, links):
                end(instance, work)
            else:
                note_waiting(instance, group, move, place, plan, work)
        instance = following


@inlined
def gather_candidates(position, satisfied, plan, guards, instances, links, work):
    """Note all moves whose filters the event satisfies, and the gates that it may pass."""
    end_us = work.row_bits[2]
    gather_next(position, end_us, plan, instances, links, work)
    is_indexed = work.counters[SWITCHES] & NO_EDGE_INDEX == 0
    for i in range(satisfied.shape[0] if is_indexed else BITS * work.marks.shape[0]):
        found = np.int64(satisfied[i]) if is_indexed else np.int64(i)
        if not is_indexed and not is_marked(found, work.marks):
            continue
        spans = plan.waits_of_filter.spans
        first = spans[found, 0]
        for wait in range(first, first + spans[found, 1]):
            gather_waiting(found, wait, position, end_us, plan, guards, instances, links, work)
        starts = plan.starts_of_filter.spans[found, 1] if work.counters[BEGINS] else 0
        for j in range(starts):
            move = item_of(plan.starts_of_filter, found, j)
            if fits(move, plan, work):
                note(np.int32(NONE), move, work)


@inlined
def take_candidates(plan, guards, instances, links, kept, work, pools):
    """Keep the candidates whose guards hold; a gate that opens adds the moves of its group."""
    taken, i = 0, 0
    while i < min(work.counters[TAKEN], work.taken.shape[0]):
        instance, move = work.taken[i, INSTANCE], work.taken[i, MOVE]
        i += 1
        group, link = np.int32(NONE), np.int32(NONE)
        if instance != NONE:
            group, link = instances.cells[instance, WAITS_IN], instances.cells[instance, LINK]
        is_gate = move == NONE
        guard = plan.groups[group, GATE_GUARD] if is_gate else plan.moves[move, GUARD]
        if guard != NONE and not guard_holds(guard, link, guards, links, kept, work, pools):
            continue
        if is_gate:
            end(instance, work)
            note_moves(instance, group, plan, work)
        elif plan.moves[move, TARGET] == NONE:
            end(instance, work)
        else:
            if group != NONE and plan.groups[group, KIND] == FIRST:
                end(instance, work)
            work.taken[taken, INSTANCE] = instance
            work.taken[taken, MOVE] = move
            taken += 1
    if work.counters[TAKEN] <= work.taken.shape[0]:
        work.counters[TAKEN] = taken


@inlined
def gather(position, satisfied, plan, guards, instances, links, kept, work, pools):
    """Find everything that takes an event; nothing but the lists in `work` changes."""
    work.counters[TAKEN] = 0
    work.counters[OVER] = 0
    gather_candidates(position, satisfied, plan, guards, instances, links, work)
    take_candidates(plan, guards, instances, links, kept, work, pools)
