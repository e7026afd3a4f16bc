"""Events packed by bucket, and notifications unpacked: rows of Spark that hold whole tables.

Spark's calls for stateful work cost much for each row, and would change types on the way. So a
bucket gets few rows, each a table of events as Arrow has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.spark.ids import TOLD_SCHEMA
from tocsin.spark.streaming.columns import (
    BUCKET,
    BUCKETS,
    EVENTS,
    TELLS,
    TOLD,
    of_bytes,
    to_bytes,
)
from tocsin.spark.streaming.task import StreamTask

_Batches: TypeAlias = Iterator[pa.RecordBatch]
_FIELDS: Final[list[tuple[str, Any]]] = [(BUCKET, pa.int32()), (EVENTS, pa.binary())]
_SCHEMA: Final = pa.schema(_FIELDS)


def packer(
    task: StreamTask, places: tuple[str, ...], columns: tuple[str, ...]
) -> Callable[[_Batches], _Batches]:
    """Return the function for `mapInArrow` that packs events.

    Parameters
    ----------
    places
        The columns that go with all of them.
    columns
        The names of the columns, which come with others.
    """

    def run(batches: _Batches) -> _Batches:
        for batch in batches:
            table = pa.Table.from_batches([batch]).rename_columns(list(columns))
            yield from packed(task, places, table)

    return run


def packed(task: StreamTask, places: tuple[str, ...], events: pa.Table) -> _Batches:
    """Yield for each bucket a row with its events."""
    lists = events[BUCKETS].combine_chunks()
    rows = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    buckets = pc.list_flatten(lists).to_numpy(zero_copy_only=False)
    if len(rows) == 0:
        return
    tells = np.diff(rows, prepend=-1) > 0
    order = np.argsort(buckets, kind="stable")
    numbers, firsts = np.unique(buckets[order], return_index=True)
    cells = []
    for bucket, chosen in zip(numbers.tolist(), np.split(order, firsts[1:]), strict=True):
        carried = dict.fromkeys([*places, *task.home(bucket).columns])
        part = events.select(list(carried)).take(pa.array(rows[chosen]))
        cells.append(to_bytes(part.append_column(TELLS, pa.array(tells[chosen]))))
    columns: list[pa.Array[Any]] = [pa.array(numbers, pa.int32()), pa.array(cells, pa.binary())]
    yield pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)


def unpack(batches: _Batches) -> _Batches:
    """Yield the notifications that buckets told of; for `mapInArrow`."""
    for batch in batches:
        for told in batch.column(TOLD):
            yield from of_bytes(told.as_py()).cast(TOLD_SCHEMA).to_batches()
