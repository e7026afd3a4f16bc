# mypy: disable-error-code="no-untyped-def"
"""The loop over a batch, and the letting go of what no partial match needs any more."""

from __future__ import annotations

import numpy as np

from tocsin.engine.linear.apply import apply, close_instance, has_room
from tocsin.engine.linear.arrays import KEPT, LINKS, NEXT, NONE, POSITION, ROW, USED
from tocsin.engine.linear.gather import bucket_of, gather, is_over
from tocsin.engine.linear.kernels import kernel


@kernel
def process(begin, events, satisfied, plan, guards, instances, links, kept, work, pools):
    """Process events from `begin` on; return the first that found no room, or their number.

    `events` are the cells (kinds, bits) and the rows of the input, `satisfied` the filters of each
    event (offsets, ids).
    """
    kinds, bits, rows = events
    offsets, ids = satisfied
    width = kinds.shape[1]
    for event in range(begin, kinds.shape[0]):
        for attribute in range(width):
            work.row_kind[attribute] = kinds[event, attribute]
            work.row_bits[attribute] = bits[event, attribute]
        work.counters[ROW] = rows[event]
        position = work.counters[POSITION]
        count = offsets[event + 1] - offsets[event]
        found = ids[offsets[event] : offsets[event + 1]]
        gather(position, found, count, plan, guards, instances, links, kept, work, pools)
        if not has_room(plan, instances, links, kept, work):
            return event
        apply(event, position, plan, guards, instances, links, kept, work, pools)
        work.counters[POSITION] = position + 1
    return kinds.shape[0]


@kernel
def sweep(now_us, plan, instances, links, work):
    """Close the instances whose window has passed."""
    position = work.counters[POSITION]
    for instance in range(work.counters[USED]):
        group = instances.group[instance]
        if group == NONE or plan.kind_of_group[group] == NEXT:
            continue
        if is_over(instance, group, position, now_us, plan, instances, links):
            close_instance(np.int32(instance), instances, work)


@kernel
def rehash(plan, instances, work):
    """Put every waiting instance into its bucket again; all buckets are empty."""
    mask = instances.head_of_bucket.shape[0] - 1
    for instance in range(work.counters[USED]):
        group = instances.group[instance]
        if group == NONE or plan.kind_of_group[group] == NEXT:
            continue
        kind, bits = np.int64(instances.key_kind[instance]), instances.key_bits[instance]
        bucket = bucket_of(group, kind, bits, mask)
        head = instances.head_of_bucket[bucket]
        instances.next[instance] = head
        instances.before[instance] = NONE
        if head != NONE:
            instances.before[head] = instance
        instances.head_of_bucket[bucket] = instance


@kernel
def compact(instances, links, kept, work, link_map, kept_map):
    """Move links and kept events that an instance still needs to the front; forget the others.

    `link_map` and `kept_map` are room to work in, as long as the pools.
    """
    for link in range(work.counters[LINKS]):
        link_map[link] = NONE
    for row in range(work.counters[KEPT]):
        kept_map[row] = NONE
    for instance in range(work.counters[USED]):
        if instances.group[instance] == NONE:
            continue
        link = instances.link[instance]
        while link != NONE and link_map[link] == NONE:
            link_map[link] = 0
            kept_map[links.kept[link]] = 0
            link = links.parent[link]
    _move_kept(kept, work, kept_map)
    _move_links(links, work, link_map, kept_map)
    for instance in range(work.counters[USED]):
        if instances.group[instance] != NONE:
            instances.link[instance] = link_map[instances.link[instance]]


@kernel
def _move_kept(kept, work, kept_map):
    end = 0
    for row in range(work.counters[KEPT]):
        if kept_map[row] == NONE:
            continue
        kept_map[row] = end
        for attribute in range(kept.kind.shape[1]):
            kept.kind[end, attribute] = kept.kind[row, attribute]
            kept.bits[end, attribute] = kept.bits[row, attribute]
        kept.position[end] = kept.position[row]
        kept.row[end] = kept.row[row]
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
        parent = links.parent[link]
        links.parent[end] = NONE if parent == NONE else link_map[parent]
        links.kept[end] = kept_map[links.kept[link]]
        links.leaf[end] = links.leaf[link]
        links.begin_us[end] = links.begin_us[link]
        links.end_us[end] = links.end_us[link]
        links.first_position[end] = links.first_position[link]
        end += 1
    work.counters[LINKS] = end


@kernel
def trace_matches(links, kept, out_link, count, lengths, rows, leaves):
    """Write rows and atoms of each match, oldest first; return how many there are in all.

    With `rows` too short only the lengths are written.
    """
    total = 0
    for i in range(count):
        length = 0
        link = out_link[i]
        while link != NONE:
            length += 1
            link = links.parent[link]
        lengths[i] = length
        if total + length <= rows.shape[0]:
            at = total + length
            link = out_link[i]
            while link != NONE:
                at -= 1
                rows[at] = kept.row[links.kept[link]]
                leaves[at] = links.leaf[link]
                link = links.parent[link]
        total += length
    return total
