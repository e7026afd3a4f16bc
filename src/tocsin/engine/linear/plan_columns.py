"""Columns of a recipe: side by side, in part, and as what makes a move the same as another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin.engine.linear.arrays import Int32Array, Int64Array
from tocsin.engine.linear.recipe import Column, Op, Taking, Waiting


def side_by_side(count: int, *columns: Any) -> Int64Array:
    """Return columns side by side, each a number for all or one for each row."""
    rows = np.empty((count, len(columns)), np.int64)
    for place, column in enumerate(columns):
        rows[:, place] = column
    return rows


def pairs(first: Int32Array, second: Int32Array | int) -> Int32Array:
    """Return rows of two numbers; the second may be one for all."""
    return np.stack([first, np.broadcast_to(np.asarray(second, np.int32), first.shape)], axis=1)


def part(column: Column, mask: Any) -> Column:
    """Return the numbers of the chosen rows."""
    return column if isinstance(column, int) else column[mask]


def chosen(taking: Taking, mask: Any) -> Taking:
    """Return what the chosen rows take."""
    return Taking(
        part(taking.filter, mask),
        part(taking.guard, mask),
        part(taking.until, mask),
        taking.leaf,
    )


def move_parts(op: Op) -> tuple[Column, ...]:
    """Return what makes a move of a group the same as another."""
    taking = op.taking
    return taking.filter, taking.guard, taking.until, taking.leaf, op.node_guard


def loop_parts(waiting: Waiting, taking: Taking) -> tuple[Column, ...]:
    """Return what makes a loop the same as another."""
    ends = [column for pair in waiting.ends for column in pair]
    own = (waiting.kind, waiting.gate, waiting.gate_guard, waiting.key, *ends)
    return (*own, -1, taking.filter, taking.guard, taking.until)
