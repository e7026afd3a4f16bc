"""Rows of row groups that lie in order as a whole, brought into order among themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tocsin.errors import ConfigurationError
from tocsin.spark.files.columns import microseconds
from tocsin.spark.files.survey import RowGroup

MOST_AT_ONCE: Final = 1 << 20
"""So many rows are read together, or as many as a row group has: its texts are coded once. Larger
groups are not brought into order, for which all of their rows have to be there."""


def read_together(groups: Sequence[RowGroup]) -> Iterator[Sequence[RowGroup]]:
    """Yield row groups so that those which are read together have few rows.

    Examples
    --------
    >>> groups = [RowGroup(n, 400_000 * n, 400_000 * (n + 1), n, n) for n in range(3)]
    >>> [len(some) for some in read_together(groups)]
    [2, 1]
    """
    some: list[RowGroup] = []
    for group in groups:
        if some and group.end - some[0].first > MOST_AT_ONCE:
            yield some
            some = []
        some.append(group)
    if some:
        yield some


def whole_groups(
    batches: Iterator[pa.RecordBatch], groups: Sequence[RowGroup]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of groups in batches of which none ends within a group."""
    ends = {group.end for group in groups}
    at, waiting = groups[0].first, list[pa.RecordBatch]()
    for batch in batches:
        waiting.append(batch)
        at += batch.num_rows
        if at in ends:
            yield _joined(waiting)
            waiting = []


def in_order(batch: pa.RecordBatch, *, time: str, row: str) -> pa.RecordBatch:
    """Return the rows of whole groups in the order of the numbers that they bring.

    Raises
    ------
    ConfigurationError
        Numbers do not grow with time.

    Examples
    --------
    >>> batch = pa.record_batch({"n": [2, 1], "ts": [70, 50]})
    >>> in_order(batch, time="ts", row="n").column("ts").to_pylist()
    [50, 70]
    """
    order = order_of(batch.column(row).to_numpy())
    if order is not None:
        batch = batch.take(order)
    times = microseconds(batch.column(time))
    is_earlier = times[1:] < times[:-1]
    if is_earlier.any():
        number = batch.column(row)[int(is_earlier.argmax()) + 1]
        msg = (
            f"row {number} lies before an earlier row in time; the column that row= names must "
            "grow with time"
        )
        raise ConfigurationError(msg)
    return batch


def order_of(numbers: npt.NDArray[np.int64]) -> Any:
    """Return the places of numbers as these grow; None where they do so already.

    Examples
    --------
    >>> order_of(np.array([1, 2])), order_of(np.array([2, 3, 1])).to_pylist()
    (None, [2, 0, 1])
    """
    if (numbers[1:] > numbers[:-1]).all():
        return None
    return pa.array(np.argsort(numbers, kind="stable"))


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    [found] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return found
