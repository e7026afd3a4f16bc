"""Ids of notifications: the same for the same input, however the work is split.

Two matches may have the same rows: of derived events that share one, of streams whose rows are
named by what they hold, of `a:[…] | a:[…]`. Those that look the same are completed at the same time
by the same row, so that they come out of one engine together, and a number tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.spark.hashing import (
    Hashes,
    as_hexadecimal,
    joined,
    of_lists,
    of_numbers,
    of_texts,
)

TOLD_SCHEMA: Final = pa.schema([pa.field("id", pa.string()), *NOTIFICATION_SCHEMA])
"""What workers return."""

_NAMED: Final = ("subscription", "kind", "at", "position", "events", "variables")
"""What an id is made of; the rest only orders twins."""


def with_ids(told: pa.Table) -> pa.Table:
    """Return notifications with an `id` before them, each its own.

    Of those that look the same, each gets the same id in any order in which they come.
    """
    hashes = _hashes(told)
    twins = np.zeros(told.num_rows, np.int64)
    alike = _repeated(hashes[:, 0])
    if len(alike):
        twins[alike] = _numbered(told.take(alike))
    named = joined(hashes, of_numbers(pa.array(twins)))
    return told.add_column(0, TOLD_SCHEMA.field("id"), as_hexadecimal(named))


def _hashes(told: pa.Table) -> Hashes:
    column: dict[str, Any] = {name: told[name].combine_chunks() for name in _NAMED}
    parts = [
        of_texts(column["subscription"]),
        of_texts(column["kind"]),
        of_numbers(column["at"]),
        of_numbers(column["position"]),
        _of_events(column["events"]),
        _of_map(column["variables"], of_texts(column["variables"].items)),
    ]
    return reduce(joined, parts)


def _of_events(events: Any) -> Hashes:
    rows = events.items
    return _of_map(events, of_lists(_places(rows), of_numbers(rows.values)))


def _of_map(maps: Any, values: Hashes) -> Hashes:
    return of_lists(_places(maps), joined(of_texts(maps.keys), values))


def _places(lists: Any) -> npt.NDArray[np.int32]:
    found: npt.NDArray[np.int32] = lists.offsets.to_numpy()
    return found


def _repeated(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the places of numbers that stand in several places, which is rare."""
    ordered = np.sort(numbers)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    return np.flatnonzero(np.isin(numbers, again)) if len(again) else np.zeros(0, np.int64)


def _numbered(told: pa.Table) -> Sequence[int]:
    """Number notifications that look the same from 0 on."""
    for name in ("at", "begin", "end"):  # Python has no times after the year 9999
        place = told.column_names.index(name)
        told = told.set_column(place, name, told[name].cast(pa.int64()))
    rows = told.to_pylist()
    named = [repr([row[name] for name in _NAMED]) for row in rows]
    order = sorted(range(len(rows)), key=lambda place: (named[place], repr(rows[place])))
    numbers = [0] * len(rows)
    for before, place in pairwise(order):
        if named[before] == named[place]:
            numbers[place] = numbers[before] + 1
    return numbers
