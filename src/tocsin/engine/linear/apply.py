# mypy: disable-error-code="no-untyped-def"

"""What follows from the moves that take an event: links, new instances, complete matches."""

from __future__ import annotations

import numpy as np

from tocsin.engine.linear.arrays import (
    AFTER,
    AT,
    ATOM,
    BEGIN_US,
    END_US,
    EVENT,
    FAULT,
    FIRST_POSITION,
    IN_ROW,
    IN_STEP,
    INSTANCE,
    KEPT,
    KIND,
    LEAF,
    LINK,
    LINKS,
    LIVE,
    LOOP,
    MOST,
    MOVE,
    NEXT,
    NEXT_FIRST,
    NODE_GUARD,
    NONE,
    OUT,
    OUT_EVENT,
    OUT_LINK,
    OUT_SUBSCRIPTION,
    OVER,
    PARENT,
    REFUSES,
    ROW,
    STEP,
    TAKEN,
    TARGET,
    TERMS_EVENTS,
    TERMS_US,
    WHERE,
)
from tocsin.engine.linear.instances import close_instance, give_back, is_full, open_instance
from tocsin.engine.linear.kernels import inlined
from tocsin.engine.linear.lists import item_of
from tocsin.engine.linear.marks import is_marked
from tocsin.engine.linear.references import guard_holds
from tocsin.engine.linear.registers import carry_registers


@inlined
def has_room(plan, instances, links, kept, work):
    """Say whether all that `apply` would make has a place; if not, nothing may be applied."""
    taken, over = work.counters[TAKEN], work.counters[OVER]
    if taken > work.taken.shape[0] or over > work.over.shape[0]:
        return False
    must_ask = work.counters[MOST] >= 0 and work.counters[REFUSES] == 0
    waiting, accepts = 0, 0
    for i in range(taken):
        node = plan.moves[work.taken[i, MOVE], TARGET]
        spans = plan.groups_of_node.spans
        waiting += spans[node, 1] + 1
        accepts += plan.accepts_of_node.spans[node, 1]
        if must_ask:
            for j in range(spans[node, 1]):
                group = item_of(plan.groups_of_node, node, j)
                if plan.groups[group, KIND] != NEXT and is_full(group, plan, instances, work):
                    work.counters[FAULT] = group
                    return False
    return (
        work.counters[LINKS] + taken <= links.cells.shape[0]
        and work.counters[KEPT] + 1 <= kept.where.shape[0]
        and work.counters[LIVE] + waiting <= instances.cells.shape[0]
        and work.counters[OUT] + accepts <= work.out.shape[0]
    )


@inlined
def keep_event(position, kept, work):
    """Copy the event of the scratch row, once, so that links can point to it."""
    row = work.counters[KEPT]
    if row > 0 and kept.where[row - 1, AT] == position:
        return row - 1
    for attribute in range(kept.kind.shape[1]):
        kept.kind[row, attribute] = work.row_kind[attribute]
        kept.bits[row, attribute] = work.row_bits[attribute]
    kept.where[row, AT] = position
    kept.where[row, IN_ROW] = work.counters[ROW]
    kept.where[row, IN_STEP] = work.counters[STEP]
    work.counters[KEPT] = row + 1
    return row


@inlined
def add_link(parent, leaf, position, guards, links, kept, work, pools):
    """Add an event to a match; the new link stands for the longer match."""
    link = work.counters[LINKS]
    work.counters[LINKS] = link + 1
    begin, end, first = work.row_bits[1], work.row_bits[2], position
    if parent != NONE:
        begin = min(begin, links.times[parent, BEGIN_US])
        end = max(end, links.times[parent, END_US])
        first = links.times[parent, FIRST_POSITION]
    links.cells[link, PARENT] = parent
    links.cells[link, EVENT] = keep_event(position, kept, work)
    links.cells[link, ATOM] = leaf
    links.times[link, BEGIN_US] = begin
    links.times[link, END_US] = end
    links.times[link, FIRST_POSITION] = first
    if links.registers.shape[1] > 0:
        carry_registers(
            link,
            parent,
            leaf,
            guards.registers,
            links.registers,
            work.row_kind,
            work.row_bits,
            pools.texts,
        )
    return np.int32(link)


@inlined
def accept(node, link, event, plan, guards, links, kept, work, pools):
    """Report the match to every subscription that is complete at a node."""
    begin_us, end_us = links.times[link, BEGIN_US], links.times[link, END_US]
    first_position = links.times[link, FIRST_POSITION]
    last = kept.where[links.cells[link, EVENT], AT]
    begin = plan.accepts_of_node.spans[node, 0]
    for i in range(begin, begin + plan.accepts_of_node.spans[node, 1]):
        subscription = plan.accepts_of_node.items[i, 0]
        terms = plan.accepts_of_node.items[i, 1]
        if (
            first_position < plan.made[subscription]
            or end_us - begin_us > plan.terms[terms, TERMS_US]
            or last - first_position >= plan.terms[terms, TERMS_EVENTS]
        ):
            continue
        guard = plan.terms[terms, WHERE]
        if guard != NONE and not guard_holds(guard, link, guards, links, kept, work, pools):
            continue
        out = work.counters[OUT]
        work.out[out, OUT_SUBSCRIPTION] = subscription
        work.out[out, OUT_LINK] = link
        work.out[out, OUT_EVENT] = event
        work.counters[OUT] = out + 1


@inlined
def apply(event, position, plan, guards, instances, links, kept, work, pools):
    """Make the new matches, then let go of the instances that are over."""
    waited_for_this = np.int32(work.counters[NEXT_FIRST])
    work.counters[NEXT_FIRST] = NONE
    for i in range(work.counters[TAKEN]):
        instance, move = work.taken[i, INSTANCE], work.taken[i, MOVE]
        parent = np.int32(NONE) if instance == NONE else instances.cells[instance, LINK]
        leaf, node = plan.moves[move, LEAF], plan.moves[move, TARGET]
        link = add_link(parent, leaf, position, guards, links, kept, work, pools)
        guard = plan.moves[node, NODE_GUARD]
        holds = guard == NONE
        if guard >= 0:
            holds = guard_holds(guard, link, guards, links, kept, work, pools)
        elif guard != NONE:  # the event decides it alone
            holds = is_marked(-2 - guard, work.marks)
        groups = np.int32(0)
        if holds:
            accept(node, link, event, plan, guards, links, kept, work, pools)
            groups = plan.groups_of_node.spans[node, 1]
        for j in range(-1, groups):  # the loop goes on whatever the guard says
            group = plan.moves[node, LOOP] if j < 0 else item_of(plan.groups_of_node, node, j)
            if group != NONE:
                open_instance(group, link, plan, guards, instances, links, kept, work)
    for i in range(work.counters[OVER]):
        close_instance(work.over[i], plan, instances, work)
    while waited_for_this != NONE:
        following = instances.cells[waited_for_this, AFTER]
        give_back(waited_for_this, plan, instances, work)
        waited_for_this = following
