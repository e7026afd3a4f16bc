# mypy: disable-error-code="no-untyped-def"

"""Letting go of what no partial match needs any more, and reading out what is complete."""

from __future__ import annotations

import numpy as np

from tocsin.engine.linear.arrays import (
    AFTER,
    ATOM,
    DROPPED,
    EVENT,
    FIRST_POSITION,
    KEPT,
    KEY_KIND,
    KIND,
    LINK,
    LINKS,
    NEXT,
    NEXT_FIRST,
    NONE,
    OUT_LINK,
    PARENT,
    POSITION,
    USED,
    WAITS_IN,
)
from tocsin.engine.linear.gather import is_over
from tocsin.engine.linear.instances import close_instance, give_back, put_into_bucket
from tocsin.engine.linear.kernels import kernel
from tocsin.engine.linear.key_buckets import bucket_of_key


@kernel
def sweep(now_us, ahead, plan, instances, links, work):
    """Close the instances whose window has passed.

    `ahead` has a bucket of keys, a time and a position: for the keys of the buckets before it all
    events up to there are done. With 0 as the bucket, there are none.
    """
    position = work.counters[POSITION]
    bucket, ahead_us, ahead_position = ahead
    for instance in range(work.counters[USED]):
        group, link = instances.cells[instance, WAITS_IN], instances.cells[instance, LINK]
        if group == NONE or plan.groups[group, KIND] == NEXT:
            continue
        at, moment = position, now_us
        if bucket > 0:
            kind, bits = instances.cells[instance, KEY_KIND], instances.key_bits[instance]
            if bucket_of_key(kind, bits) < bucket:
                at, moment = ahead_position, ahead_us
        if is_over(link, group, at, moment, plan, links):
            close_instance(np.int32(instance), plan, instances, work)


@kernel
def close_groups(is_gone, plan, instances, work):
    """Close the instances of groups that are no more."""
    before = np.int32(NONE)
    instance = np.int32(work.counters[NEXT_FIRST])
    while instance != NONE:  # those that wait for the very next event are in a list of their own
        following = instances.cells[instance, AFTER]
        if is_gone[instances.cells[instance, WAITS_IN]]:
            if before == NONE:
                work.counters[NEXT_FIRST] = following
            else:
                instances.cells[before, AFTER] = following
            give_back(instance, plan, instances, work)
        else:
            before = instance
        instance = following
    for i in range(work.counters[USED]):
        instance = np.int32(i)
        group = instances.cells[instance, WAITS_IN]
        if group != NONE and is_gone[group] and plan.groups[group, KIND] != NEXT:
            close_instance(instance, plan, instances, work)


@kernel
def close_oldest(limit, chosen, plan, instances, links, work):
    """Close the instances of chosen groups whose match began before a position; count them."""
    closed = 0
    for instance in range(work.counters[USED]):
        group, link = instances.cells[instance, WAITS_IN], instances.cells[instance, LINK]
        if group == NONE or not chosen[group] or plan.groups[group, KIND] == NEXT:
            continue
        if links.times[link, FIRST_POSITION] < limit:
            instances.lost[group, DROPPED] += 1
            close_instance(np.int32(instance), plan, instances, work)
            closed += 1
    return closed


@kernel
def rehash(plan, instances, work):
    """Put every waiting instance into its bucket again; all buckets are empty."""
    for instance in range(work.counters[USED]):
        group = instances.cells[instance, WAITS_IN]
        if group != NONE and plan.groups[group, KIND] != NEXT:
            kind = np.int64(instances.cells[instance, KEY_KIND])
            bits = instances.key_bits[instance]
            put_into_bucket(np.int32(instance), group, kind, bits, plan, instances)


@kernel
def compact(cells, links, kept, new, work, link_map, kept_map):
    """Move links that an instance still needs to the front, its events to `new`; forget the rest.

    `cells` are those of the instances; `link_map` and `kept_map` are room to work in, as long as
    the pools.
    """
    for link in range(work.counters[LINKS]):
        link_map[link] = NONE
    for row in range(work.counters[KEPT]):
        kept_map[row] = NONE
    for instance in range(work.counters[USED]):
        if cells[instance, WAITS_IN] == NONE:
            continue
        link = cells[instance, LINK]
        while link != NONE and link_map[link] == NONE:
            link_map[link] = 0
            kept_map[links.cells[link, EVENT]] = 0
            link = links.cells[link, PARENT]
    _move_kept(kept, new, work, kept_map)
    _move_links(links, work, link_map, kept_map)
    for instance in range(work.counters[USED]):
        if cells[instance, WAITS_IN] != NONE:
            cells[instance, LINK] = link_map[cells[instance, LINK]]


@kernel
def _move_kept(kept, new, work, kept_map):
    end = 0
    for row in range(work.counters[KEPT]):
        if kept_map[row] == NONE:
            continue
        kept_map[row] = end
        for attribute in range(kept.kind.shape[1]):
            new.kind[end, attribute] = kept.kind[row, attribute]
            new.bits[end, attribute] = kept.bits[row, attribute]
        for column in range(3):
            new.where[end, column] = kept.where[row, column]
        end += 1
    work.counters[KEPT] = end


@kernel
def _move_links(links, work, link_map, kept_map):
    """A parent is older than its children, so it has moved before they do."""
    end = 0
    for link in range(work.counters[LINKS]):
        if link_map[link] == NONE:
            continue
        link_map[link] = end
        parent = links.cells[link, PARENT]
        links.cells[end, PARENT] = NONE if parent == NONE else link_map[parent]
        links.cells[end, EVENT] = kept_map[links.cells[link, EVENT]]
        links.cells[end, ATOM] = links.cells[link, ATOM]
        for column in range(3):
            links.times[end, column] = links.times[link, column]
            for register in range(links.registers.shape[1]):
                links.registers[end, register, column] = links.registers[link, register, column]
        end += 1
    work.counters[LINKS] = end


@kernel
def trace_matches(cells, out, count, first, rows, leaves):
    """Write the kept events and the atoms of each match, oldest first; return how many in all.

    `cells` are those of the links. With `rows` too short only the lengths are written, as places
    in `first`.
    """
    total = 0
    for i in range(count):
        length = 0
        link = out[i, OUT_LINK]
        while link != NONE:
            length += 1
            link = cells[link, PARENT]
        total += length
        first[i + 1] = total
        if total <= rows.shape[0]:
            at = total
            link = out[i, OUT_LINK]
            while link != NONE:
                at -= 1
                rows[at] = cells[link, EVENT]
                leaves[at] = cells[link, ATOM]
                link = cells[link, PARENT]
    return total
