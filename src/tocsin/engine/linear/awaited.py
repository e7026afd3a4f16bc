# mypy: disable-error-code="no-untyped-def"

"""Which filters somebody waits for: those that start a match, and those of groups with instances.

A group needs the filters of its moves and of what ends them, of the nodes behind them, of its gate,
and of what ends its waiting. It counts one for each with its first instance, and one less with its
last.
"""

from __future__ import annotations

from tocsin.engine.linear.arrays import (
    FILTER,
    GATED,
    KIND,
    NODE_GUARD,
    NONE,
    QUEUE,
    TARGET,
    UNTIL,
)
from tocsin.engine.linear.kernels import inlined, kernel
from tocsin.engine.linear.lists import item_of


@inlined
def count_moves(owner, change, lists, moves, awaited):
    """Count each filter that the moves in a list need."""
    for i in range(lists.spans[owner, 1]):
        move = item_of(lists, owner, i)
        awaited[moves[move, FILTER]] += change
        until = moves[move, UNTIL]
        if until != NONE:
            awaited[until] += change
        target = moves[move, TARGET]
        if target != NONE and moves[target, NODE_GUARD] < NONE:  # a filter of the node behind it
            awaited[-2 - moves[target, NODE_GUARD]] += change


@kernel
def count_group(group, change, groups, moves, moves_of_group, ends_of_group, awaited):
    """Count each filter that a group needs."""
    count_moves(group, change, moves_of_group, moves, awaited)
    if group < ends_of_group.spans.shape[0]:  # most plans have none
        count_moves(group, change, ends_of_group, moves, awaited)
    if groups[group, KIND] == GATED:
        queue = groups[group, QUEUE]
        awaited[queue if queue >= 0 else -2 - queue] += change


@inlined
def await_first(group, plan, instances, work):
    """Let the filters of a group be awaited if an instance is the first that waits in it."""
    if work.awaited.shape[0] > 0 and instances.waiting[group] == 1:
        count_group(
            group, 1, plan.groups, plan.moves, plan.moves_of_group, plan.ends_of_group, work.awaited
        )


@inlined
def await_no_more(group, plan, instances, work):
    """Let the filters of a group be awaited no more if its last instance has gone."""
    if work.awaited.shape[0] > 0 and instances.waiting[group] == 0:
        count_group(
            group, -1, plan.groups, plan.moves, plan.moves_of_group, plan.ends_of_group,
            work.awaited,
        )  # fmt: skip


@kernel
def count_awaited(plan, waiting, awaited):
    """Count all filters that are needed now; `awaited` is all 0, `waiting` is by group."""
    for found in range(awaited.shape[0]):
        count_moves(found, 1, plan.starts_of_filter, plan.moves, awaited)
    for group in range(plan.groups.shape[0]):
        if waiting[group] > 0:
            count_group(
                group, 1, plan.groups, plan.moves, plan.moves_of_group, plan.ends_of_group, awaited
            )
