"""Notifications that look the same, told apart by a number.

Two matches may have the same rows: of derived events that share one, of streams whose rows are
named by what they hold, of `a:[…] | a:[…]`. Those that look the same are completed at the same time
by the same row, so that they come out of one engine together, however the work is split.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.spark.schema import TWIN

TOLD_SCHEMA: Final = NOTIFICATION_SCHEMA.append(pa.field(TWIN, pa.int32()))
"""What workers return."""

_Hashes: TypeAlias = npt.NDArray[np.uint64]
_NAMED: Final = ("subscription", "kind", "at", "position", "events", "variables")
"""What an id is made of; the rest only orders twins."""
_MIXERS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


def with_twins(told: pa.Table) -> pa.Table:
    """Return notifications with `$twin`: 0, and 1, 2 … for further ones that look the same.

    It is the same for the same notifications in any order.
    """
    twins = np.zeros(told.num_rows, np.int32)
    alike = _alike(told) if told.num_rows > 1 else np.zeros(0, np.int64)
    if len(alike):
        twins[alike] = _numbered(told.take(alike))
    return told.append_column(TOLD_SCHEMA.field(TWIN), pa.array(twins))


def _numbered(told: pa.Table) -> list[int]:
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


def _alike(told: pa.Table) -> npt.NDArray[np.int64]:
    """Return the rows that may have a twin; comparing all of them in Python would take long."""
    subscription = told["subscription"].combine_chunks().dictionary_encode().indices
    hashes = _hash_of_events(told["events"].combine_chunks())
    for column in (subscription, told["at"], told["position"]):
        hashes = _mixed(hashes, _whole(column))
    _, places, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[places] > 1)


def _hash_of_events(events: Any) -> _Hashes:
    """Return a hash of the rows of all aliases."""
    entries = events.offsets.to_numpy()
    values = events.items.offsets.to_numpy()
    counts = np.diff(values)
    alias = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(entries[:-1], np.diff(values[entries]))  # of the row that a value belongs to
    begin, end = values[entries[0]], values[entries[-1]]
    rows = _whole(events.items.values)[begin:end]
    places = (alias[begin - values[0] : end - values[0]] - first).astype(np.uint64)
    order = (np.arange(begin, end) - values[first]).astype(np.uint64)
    mixed = _mixed(_mixed(rows, order), places)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    bounds = values[entries] - begin
    found: _Hashes = sums[bounds[1:]] - sums[bounds[:-1]]
    return found


def _mixed(one: _Hashes, other: _Hashes) -> _Hashes:
    first, second, third = (np.uint64(mixer) for mixer in _MIXERS)
    found: _Hashes = (one ^ (one >> np.uint64(31))) * first + other * second
    return (found ^ (found >> np.uint64(29))) * third


def _whole(column: Any) -> _Hashes:
    numbers = pc.fill_null(column.cast(pa.int64()), -1)
    found: _Hashes = np.asarray(numbers).view(np.uint64)
    return found
