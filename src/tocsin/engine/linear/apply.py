# mypy: disable-error-code="no-untyped-def"
"""What follows from the moves that take an event: links, new instances, complete matches."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.cells import canonical
from tocsin.engine.columns.kinds import MISSING
from tocsin.engine.linear.arrays import (
    FREE,
    KEPT,
    LINKS,
    LIVE,
    NEXT,
    NEXT_FIRST,
    NONE,
    OUT,
    OVER,
    ROW,
    TAKEN,
    USED,
)
from tocsin.engine.linear.gather import bucket_of, find_link, guard_holds
from tocsin.engine.linear.kernels import inlined


@inlined
def has_room(plan, instances, links, kept, work):
    """Say whether all that `apply` would make has a place; if not, nothing may be applied."""
    taken, over = work.counters[TAKEN], work.counters[OVER]
    if taken > work.taken_move.shape[0] or over > work.over.shape[0]:
        return False
    groups, accepts = 0, 0
    for i in range(taken):
        node = plan.target_of_move[work.taken_move[i]]
        groups += plan.first_group_of_node[node + 1] - plan.first_group_of_node[node] + 1
        accepts += plan.first_accept_of_node[node + 1] - plan.first_accept_of_node[node]
    return (
        work.counters[LINKS] + taken <= links.parent.shape[0]
        and work.counters[KEPT] + 1 <= kept.position.shape[0]
        and work.counters[LIVE] + groups <= instances.group.shape[0]
        and work.counters[OUT] + accepts <= work.out_link.shape[0]
    )


@inlined
def keep_event(position, kept, work):
    """Copy the event of the scratch row, once, so that links can point to it."""
    row = work.counters[KEPT]
    if row > 0 and kept.position[row - 1] == position:
        return row - 1
    for attribute in range(kept.kind.shape[1]):
        kept.kind[row, attribute] = work.row_kind[attribute]
        kept.bits[row, attribute] = work.row_bits[attribute]
    kept.position[row] = position
    kept.row[row] = work.counters[ROW]
    work.counters[KEPT] = row + 1
    return row


@inlined
def add_link(parent, leaf, position, links, kept, work):
    """Add an event to a match; the new link stands for the longer match."""
    link = work.counters[LINKS]
    work.counters[LINKS] = link + 1
    begin, end = work.row_bits[1], work.row_bits[2]
    links.parent[link] = parent
    links.kept[link] = keep_event(position, kept, work)
    links.leaf[link] = leaf
    links.begin_us[link] = begin if parent == NONE else min(begin, links.begin_us[parent])
    links.end_us[link] = end if parent == NONE else max(end, links.end_us[parent])
    links.first_position[link] = position if parent == NONE else links.first_position[parent]
    return np.int32(link)


@inlined
def new_instance(instances, work):
    """Return the place of a new instance: one that was given back, or a fresh one."""
    work.counters[LIVE] += 1
    free = work.counters[FREE]
    if free != NONE:
        work.counters[FREE] = instances.next[free]
        return np.int32(free)
    fresh = work.counters[USED]
    work.counters[USED] = fresh + 1
    return np.int32(fresh)


@inlined
def open_instance(group, link, plan, guards, instances, links, kept, work):
    """Let a match wait in a group; in one with a key, under the value of its key."""
    kind, bits = np.int64(MISSING), np.int64(0)
    key = plan.key_of_group[group]
    if key != NONE:
        at = find_link(links, link, guards.leaf_of_key[key], guards.which_of_key[key])
        if at == NONE:
            return
        attribute = guards.own_attribute_of_key[key]
        row = links.kept[at]
        kind, bits = canonical(kept.kind[row, attribute], kept.bits[row, attribute])
        if kind == MISSING:
            return
    instance = new_instance(instances, work)
    instances.group[instance] = group
    instances.link[instance] = link
    instances.key_kind[instance] = kind
    instances.key_bits[instance] = bits
    instances.live_in_group[group] += 1
    if plan.kind_of_group[group] == NEXT:
        instances.next[instance] = work.counters[NEXT_FIRST]
        work.counters[NEXT_FIRST] = instance
        return
    bucket = bucket_of(group, kind, bits, instances.head_of_bucket.shape[0] - 1)
    head = instances.head_of_bucket[bucket]
    instances.next[instance] = head
    instances.before[instance] = NONE
    if head != NONE:
        instances.before[head] = instance
    instances.head_of_bucket[bucket] = instance


@inlined
def give_back(instance, instances, work):
    """Give back the place of an instance."""
    instances.live_in_group[instances.group[instance]] -= 1
    instances.group[instance] = NONE
    instances.next[instance] = work.counters[FREE]
    work.counters[FREE] = instance
    work.counters[LIVE] -= 1


@inlined
def close_instance(instance, instances, work):
    """Take an instance out of its bucket; it may have been noted twice."""
    group = instances.group[instance]
    if group == NONE:
        return
    after, before = instances.next[instance], instances.before[instance]
    if after != NONE:
        instances.before[after] = before
    if before != NONE:
        instances.next[before] = after
    else:
        kind, bits = np.int64(instances.key_kind[instance]), instances.key_bits[instance]
        bucket = bucket_of(group, kind, bits, instances.head_of_bucket.shape[0] - 1)
        instances.head_of_bucket[bucket] = after
    give_back(instance, instances, work)


@inlined
def accept(node, link, event, plan, guards, links, kept, work, pools):
    """Report the match to every subscription that is complete at a node."""
    last = kept.position[links.kept[link]]
    for i in range(plan.first_accept_of_node[node], plan.first_accept_of_node[node + 1]):
        if links.end_us[link] - links.begin_us[link] > plan.span_us_of_accept[i]:
            continue
        if last - links.first_position[link] >= plan.span_events_of_accept[i]:
            continue
        guard = plan.guard_of_accept[i]
        if guard != NONE and not guard_holds(guard, link, guards, links, kept, work, pools):
            continue
        out = work.counters[OUT]
        work.out_subscription[out] = plan.subscription_of_accept[i]
        work.out_link[out] = link
        work.out_event[out] = event
        work.counters[OUT] = out + 1


@inlined
def apply(event, position, plan, guards, instances, links, kept, work, pools):
    """Make the new matches, then let go of the instances that are over."""
    waited_for_this = np.int32(work.counters[NEXT_FIRST])
    work.counters[NEXT_FIRST] = NONE
    for i in range(work.counters[TAKEN]):
        instance, move = work.taken_instance[i], work.taken_move[i]
        parent = np.int32(NONE) if instance == NONE else instances.link[instance]
        link = add_link(parent, plan.leaf_of_move[move], position, links, kept, work)
        node = plan.target_of_move[move]
        loop = plan.loop_of_node[node]
        if loop != NONE:
            open_instance(loop, link, plan, guards, instances, links, kept, work)
        guard = plan.guard_of_node[node]
        if guard != NONE and not guard_holds(guard, link, guards, links, kept, work, pools):
            continue
        accept(node, link, event, plan, guards, links, kept, work, pools)
        for group in range(plan.first_group_of_node[node], plan.first_group_of_node[node + 1]):
            open_instance(group, link, plan, guards, instances, links, kept, work)
    for i in range(work.counters[OVER]):
        close_instance(work.over[i], instances, work)
    while waited_for_this != NONE:
        following = instances.next[waited_for_this]
        give_back(waited_for_this, instances, work)
        waited_for_this = following
