# mypy: disable-error-code="no-untyped-def"

"""Instances: partial matches that begin to wait in a group, are found by their key, and go."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.cells import canonical
from tocsin.engine.columns.kinds import MISSING
from tocsin.engine.linear.arrays import (
    AFTER,
    BEFORE,
    DROPPED,
    EVENT,
    FREE,
    KEY,
    KEY_KIND,
    KIND,
    LINK,
    LIVE,
    MOST,
    MOST_EACH,
    NEXT,
    NEXT_FIRST,
    NONE,
    OWNER,
    QUEUE,
    REFUSED,
    REFUSES,
    SOUGHT_IN,
    USED,
    WAITS_IN,
)
from tocsin.engine.linear.awaited import await_first, await_no_more
from tocsin.engine.linear.gather import bucket_of
from tocsin.engine.linear.kernels import inlined
from tocsin.engine.linear.references import find_link

_MANY = (1 << 31) - 2  # counts stop there


@inlined
def is_full(group, plan, instances, work):
    """Say whether limits leave no room for one more instance in a group."""
    if work.counters[LIVE] >= work.counters[MOST]:
        return True
    owner = plan.groups[group, OWNER]
    return owner != NONE and instances.live_of_owner[owner] >= work.counters[MOST_EACH]


@inlined
def new_instance(instances, work):
    """Return the place of a new instance: one that was given back, or a fresh one."""
    work.counters[LIVE] += 1
    free = work.counters[FREE]
    if free != NONE:
        work.counters[FREE] = instances.cells[free, AFTER]
        return np.int32(free)
    fresh = work.counters[USED]
    work.counters[USED] = fresh + 1
    return np.int32(fresh)


@inlined
def put_into_bucket(instance, group, kind, bits, plan, instances):
    """Let an instance be found by its queue, or its group, and its key."""
    queue = plan.groups[group, QUEUE]
    place = group if queue < 0 else -2 - queue
    instances.cells[instance, SOUGHT_IN] = place
    bucket = bucket_of(place, kind, bits, instances.head_of_bucket.shape[0] - 1)
    head = instances.head_of_bucket[bucket]
    instances.cells[instance, AFTER] = head
    instances.cells[instance, BEFORE] = NONE
    if head != NONE:
        instances.cells[head, BEFORE] = instance
    instances.head_of_bucket[bucket] = instance


@inlined
def open_instance(group, link, plan, guards, instances, links, kept, work):
    """Let a match wait in a group; in one with a key, under the value of its key."""
    kind, bits = np.int64(MISSING), np.int64(0)
    key = plan.groups[group, KEY]
    if key != NONE:
        at = find_link(links, link, guards.keys[key, 1], guards.keys[key, 2])
        if at == NONE:
            return
        row, attribute = links.cells[at, EVENT], guards.keys[key, 3]
        kind, bits = canonical(kept.kind[row, attribute], kept.bits[row, attribute])
        if kind == MISSING:
            return
    if work.counters[MOST] >= 0 and is_full(group, plan, instances, work):
        column = REFUSED if work.counters[REFUSES] else DROPPED
        instances.lost[group, column] = min(instances.lost[group, column], _MANY) + 1
        return
    instance = new_instance(instances, work)
    instances.cells[instance, WAITS_IN] = group
    instances.cells[instance, LINK] = link
    instances.cells[instance, KEY_KIND] = kind
    instances.key_bits[instance] = bits
    instances.waiting[group] += 1
    await_first(group, plan, instances, work)
    owner = plan.groups[group, OWNER]
    if owner != NONE:
        instances.live_of_owner[owner] += 1
    if plan.groups[group, KIND] == NEXT:
        instances.cells[instance, AFTER] = work.counters[NEXT_FIRST]
        work.counters[NEXT_FIRST] = instance
    else:
        put_into_bucket(instance, group, kind, bits, plan, instances)


@inlined
def give_back(instance, plan, instances, work):
    """Give back the place of an instance."""
    group = instances.cells[instance, WAITS_IN]
    instances.waiting[group] -= 1
    await_no_more(group, plan, instances, work)
    owner = plan.groups[group, OWNER]
    if owner != NONE:
        instances.live_of_owner[owner] -= 1
    instances.cells[instance, WAITS_IN] = NONE
    instances.cells[instance, AFTER] = work.counters[FREE]
    work.counters[FREE] = instance
    work.counters[LIVE] -= 1


@inlined
def close_instance(instance, plan, instances, work):
    """Take an instance out of its bucket; it may have been noted twice."""
    group = instances.cells[instance, WAITS_IN]
    if group == NONE:
        return
    after, before = instances.cells[instance, AFTER], instances.cells[instance, BEFORE]
    if after != NONE:
        instances.cells[after, BEFORE] = before
    if before != NONE:
        instances.cells[before, AFTER] = after
    else:
        kind = np.int64(instances.cells[instance, KEY_KIND])
        bits = instances.key_bits[instance]
        place = instances.cells[instance, SOUGHT_IN]
        bucket = bucket_of(place, kind, bits, instances.head_of_bucket.shape[0] - 1)
        instances.head_of_bucket[bucket] = after
    give_back(instance, plan, instances, work)
