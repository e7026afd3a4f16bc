# mypy: disable-error-code="no-untyped-def"

"""What will be read soon, asked for in time: rows that lie far apart and lead to one another.

The filters that an event satisfies are known for the whole batch. While one event is processed,
each of the next three takes a step of the chain from its filters to the moves that they start; from
the moves that take an event it goes on to the groups behind them.
"""

from __future__ import annotations

from tocsin.engine.index.prefetch import fetch
from tocsin.engine.linear.arrays import MOVE, TAKEN, TARGET
from tocsin.engine.linear.kernels import inlined


@inlined
def fetch_filters(event, offsets, ids, plan):
    """Ask for what is known of the filters of an event."""
    if event < offsets.shape[0] - 1:
        for i in range(offsets[event], offsets[event + 1]):
            fetch(plan.starts_of_filter.spans, ids[i])


@inlined
def fetch_starts(event, offsets, ids, plan):
    """Ask for the numbers of the moves that an event starts."""
    if event < offsets.shape[0] - 1:
        for i in range(offsets[event], offsets[event + 1]):
            fetch(plan.starts_of_filter.items, plan.starts_of_filter.spans[ids[i], 0])


@inlined
def fetch_moves(event, offsets, ids, plan):
    """Ask for the first of the moves that each filter of an event starts."""
    if event < offsets.shape[0] - 1:
        for i in range(offsets[event], offsets[event + 1]):
            first = plan.starts_of_filter.spans[ids[i], 0]
            move = plan.starts_of_filter.items[first, 0]
            fetch(plan.moves, move)
            fetch(plan.groups_of_node.spans, move)


@inlined
def foresee(event, offsets, ids, plan):
    """Take the next step for each of the events that follow."""
    fetch_filters(event + 3, offsets, ids, plan)
    fetch_starts(event + 2, offsets, ids, plan)
    fetch_moves(event + 1, offsets, ids, plan)


@inlined
def fetch_groups(plan, instances, work):
    """Ask for the first group behind each move that takes the event."""
    spans, items = plan.groups_of_node.spans, plan.groups_of_node.items
    for i in range(work.counters[TAKEN]):
        fetch(items, spans[plan.moves[work.taken[i, MOVE], TARGET], 0])
    for i in range(work.counters[TAKEN]):
        group = items[spans[plan.moves[work.taken[i, MOVE], TARGET], 0], 0]
        fetch(plan.groups, group)
        fetch(instances.waiting, group)
        fetch(plan.moves_of_group.spans, group)
