# mypy: disable-error-code="no-untyped-def"
"""What takes an event: found without changing anything but lists.

The lists are in `work`; `tocsin.engine.linear.apply` makes of them what follows.
"""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.cells import canonical
from tocsin.engine.columns.kinds import DURATION, MISSING
from tocsin.engine.index.interpret import run_program
from tocsin.engine.linear.arrays import (
    FIRST,
    FIRST_EVENT,
    GATED,
    LAST_EVENT,
    NEXT_FIRST,
    NONE,
    OVER,
    SPAN,
    TAKEN,
    TOUCHED,
    UNTIL,
)
from tocsin.engine.linear.kernels import inlined

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@inlined
def bucket_of(group, kind, bits, mask):
    """Return the bucket of a group and a key."""
    mixed = (np.uint64(bits) ^ (np.uint64(kind) << np.uint64(58))) * MULTIPLIER
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(group)) * MULTIPLIER
    return np.int64(mixed >> np.uint64(32)) & mask


@inlined
def find_link(links, link, leaf, which):
    """Return the link of an event of an atom, or NONE."""
    found = NONE
    count = 0
    at = link
    while at != NONE:
        if links.leaf[at] == leaf:
            if which == LAST_EVENT:
                return at
            found = at
            count += 1
        at = links.parent[at]
    if which == FIRST_EVENT:
        return found
    if which > count:
        return NONE
    at = link
    while True:  # repetitions are numbered from the first on
        if links.leaf[at] == leaf:
            if count == which:
                return at
            count -= 1
        at = links.parent[at]


@inlined
def put_span(slot, link, links, work):
    """Put the time from the begin of the match to the end of the current event into a slot."""
    begin, end_us = work.row_bits[1], work.row_bits[2]
    if link != NONE:
        begin, end_us = min(begin, links.begin_us[link]), max(end_us, links.end_us[link])
    work.row_kind[slot] = DURATION
    work.row_bits[slot] = end_us - begin


@inlined
def guard_holds(guard, link, guards, links, kept, work, pools):
    """Say whether a guard holds for the row in the scratch and the match behind a link."""
    first = guards.first_reference_of_guard[guard]
    for i in range(first, guards.first_reference_of_guard[guard + 1]):
        slot = guards.slot_of_reference[i]
        if guards.which_of_reference[i] == SPAN:
            put_span(slot, link, links, work)
            continue
        at = find_link(links, link, guards.leaf_of_reference[i], guards.which_of_reference[i])
        work.row_kind[slot] = MISSING
        if at != NONE:
            attribute, row = guards.attribute_of_reference[i], links.kept[at]
            work.row_kind[slot] = kept.kind[row, attribute]
            work.row_bits[slot] = kept.bits[row, attribute]
    start, stop = guards.start_of_guard[guard], guards.end_of_guard[guard]
    return run_program(start, stop, work.row_kind, work.row_bits, pools)


@inlined
def is_over(instance, group, position, end_us, plan, instances, links):
    """Say whether an instance can no longer complete within its window."""
    link = instances.link[instance]
    if end_us - links.begin_us[link] > plan.span_us_of_group[group]:
        return True
    return position - links.first_position[link] >= plan.span_events_of_group[group]


@inlined
def take(instance, move, work):
    """Note that an instance takes the event by a move."""
    count = work.counters[TAKEN]
    if count < work.taken_move.shape[0]:
        work.taken_instance[count] = instance
        work.taken_move[count] = move
    work.counters[TAKEN] = count + 1


@inlined
def end(instance, work):
    """Note that an instance is over."""
    count = work.counters[OVER]
    if count < work.over.shape[0]:
        work.over[count] = instance
    work.counters[OVER] = count + 1


@inlined
def try_move(instance, move, link, position, plan, guards, links, kept, work, pools):
    """Take the event by a move if its filter and its guard hold."""
    if work.stamp[plan.filter_of_move[move]] != position:
        return False
    until = plan.until_of_move[move]
    if until != NONE and work.stamp[until] == position:
        return False
    guard = plan.guard_of_move[move]
    if guard != NONE and not guard_holds(guard, link, guards, links, kept, work, pools):
        return False
    take(instance, move, work)
    return True


@inlined
def gather_next(position, end_us, plan, guards, instances, links, kept, work, pools):
    """Look at the instances that wait for the very next event; all of them are over."""
    instance = np.int32(work.counters[NEXT_FIRST])
    while instance != NONE:
        work.counters[TOUCHED] += 1
        group = instances.group[instance]
        if not is_over(instance, group, position, end_us, plan, instances, links):
            link = instances.link[instance]
            for move in range(plan.first_move_of_group[group], plan.first_move_of_group[group + 1]):
                try_move(instance, move, link, position, plan, guards, links, kept, work, pools)
        instance = instances.next[instance]


@inlined
def gather_instance(instance, move, position, plan, guards, instances, links, kept, work, pools):
    """Look at one waiting instance whose filter, or whose gate, holds for the event."""
    group = instances.group[instance]
    link = instances.link[instance]
    if move == UNTIL:
        end(instance, work)
        return
    if plan.kind_of_group[group] != GATED:
        took = try_move(instance, move, link, position, plan, guards, links, kept, work, pools)
        if took and plan.kind_of_group[group] == FIRST:
            end(instance, work)
        return
    guard = plan.gate_guard_of_group[group]
    if guard != NONE and not guard_holds(guard, link, guards, links, kept, work, pools):
        return
    end(instance, work)
    for each in range(plan.first_move_of_group[group], plan.first_move_of_group[group + 1]):
        try_move(instance, each, link, position, plan, guards, links, kept, work, pools)


@inlined
def gather_group(wait, position, end_us, plan, guards, instances, links, kept, work, pools):
    """Look at the instances of a group; where it has a key, only at those with the event's."""
    group = plan.waiting_groups[wait]
    if instances.live_in_group[group] == 0:
        return
    key = plan.key_of_group[group]
    kind, bits = np.int64(MISSING), np.int64(0)
    if key != NONE:
        attribute = guards.attribute_of_key[key]
        kind, bits = canonical(work.row_kind[attribute], work.row_bits[attribute])
        if kind == MISSING:
            return
    bucket = bucket_of(group, kind, bits, instances.head_of_bucket.shape[0] - 1)
    instance = instances.head_of_bucket[bucket]
    while instance != NONE:
        same = instances.group[instance] == group and instances.key_kind[instance] == kind
        if same and instances.key_bits[instance] == bits:
            work.counters[TOUCHED] += 1
            if is_over(instance, group, position, end_us, plan, instances, links):
                end(instance, work)
            else:
                gather_instance(
                    instance,
                    plan.waiting_moves[wait],
                    position,
                    plan,
                    guards,
                    instances,
                    links,
                    kept,
                    work,
                    pools,
                )
        instance = instances.next[instance]


@inlined
def gather(position, satisfied, count, plan, guards, instances, links, kept, work, pools):
    """Find everything that takes an event; nothing but the lists in `work` changes."""
    work.counters[TAKEN] = 0
    work.counters[OVER] = 0
    end_us = work.row_bits[2]
    for i in range(count):
        work.stamp[satisfied[i]] = position
    gather_next(position, end_us, plan, guards, instances, links, kept, work, pools)
    for i in range(count):
        found = satisfied[i]
        first, last = plan.first_wait_of_filter[found], plan.first_wait_of_filter[found + 1]
        for wait in range(first, last):
            gather_group(wait, position, end_us, plan, guards, instances, links, kept, work, pools)
        first, last = plan.first_start_of_filter[found], plan.first_start_of_filter[found + 1]
        for start in range(first, last):
            move = plan.start_moves[start]
            try_move(NONE, move, NONE, position, plan, guards, links, kept, work, pools)
