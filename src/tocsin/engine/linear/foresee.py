# mypy: disable-error-code="no-untyped-def"

"""What will be read soon, asked for in time: rows that lie far apart and lead to one another.

The filters that an event satisfies are known for the whole batch. While one event is processed,
each of the next three takes a step of the chain from its filters to the moves that they start and
the groups behind those; other moves that take an event lead to their groups when they are known.
"""

from __future__ import annotations

from tocsin.engine.index.prefetch import fetch
from tocsin.engine.linear.arrays import MOVE, TAKEN, TARGET
from tocsin.engine.linear.kernels import inlined
from tocsin.engine.linear.lists import item_of


@inlined
def fetch_filters(event, offsets, ids, plan):
    """Ask for what is known of the filters of an event."""
    if event < offsets.shape[0] - 1:
        for i in range(offsets[event], offsets[event + 1]):
            fetch(plan.starts_of_filter.spans, ids[i])


@inlined
def fetch_moves(event, offsets, ids, plan):
    """Ask for the first of the moves that each filter of an event starts."""
    if event < offsets.shape[0] - 1:
        for i in range(offsets[event], offsets[event + 1]):
            if plan.starts_of_filter.spans[ids[i], 1] > 0:
                fetch(plan.moves, item_of(plan.starts_of_filter, ids[i], 0))


@inlined
def fetch_group(node, plan, instances):
    """Ask for the first group behind a node."""
    if plan.groups_of_node.spans[node, 1] > 0:
        group = item_of(plan.groups_of_node, node, 0)
        fetch(plan.groups, group)
        fetch(instances.waiting, group)


@inlined
def fetch_first_groups(event, offsets, ids, plan, instances):
    """Ask for the groups behind the moves that an event starts."""
    if event < offsets.shape[0] - 1:
        for i in range(offsets[event], offsets[event + 1]):
            if plan.starts_of_filter.spans[ids[i], 1] > 0:
                fetch_group(item_of(plan.starts_of_filter, ids[i], 0), plan, instances)


@inlined
def foresee(event, offsets, ids, plan, instances):
    """Take the next step for each of the events that follow."""
    fetch_filters(event + 3, offsets, ids, plan)
    fetch_moves(event + 2, offsets, ids, plan)
    fetch_first_groups(event + 1, offsets, ids, plan, instances)


@inlined
def fetch_groups(plan, instances, work):
    """Ask for the first group behind each move that takes the event."""
    for i in range(work.counters[TAKEN]):
        fetch_group(plan.moves[work.taken[i, MOVE], TARGET], plan, instances)
