"""Room for the state of a lane: new arrays, and larger ones."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.hashing import grown
from tocsin.engine.linear.arrays import (
    COUNTERS,
    FAULT,
    FREE,
    MOST,
    NEXT_FIRST,
    NONE,
    Instances,
    Kept,
    Links,
    Work,
)

ROOM: Final = 1 << 10
MUCH: Final = 1 << 16  # where room is short too often, it grows up to here
OFTEN: Final = 1 << 14  # before so many events have passed
UNCOUNTED: Final = np.zeros(0, np.int32)


def is_short(array: npt.NDArray[Any], needed: int, *, is_early: bool) -> bool:
    """Say whether there should be more room: it is short too often, or half of it is needed."""
    return (is_early and len(array) < MUCH) or 2 * needed > len(array)


def doubled(array: npt.NDArray[Any], more: int) -> Any:
    """Return an array with twice the room, or enough for twice as many more rows."""
    size = max(2 * len(array), len(array) + 2 * more)
    grown = np.zeros((size, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def at_least(array: npt.NDArray[Any], size: int) -> Any:
    """Return an array with room for so many rows."""
    return array if size <= len(array) else grown(array, size)


def new_instances(size: int, buckets: int) -> Instances:
    """Return room for so many instances, none of them taken."""
    return Instances(
        cells=np.full((size, 6), NONE, np.int32),
        key_bits=np.zeros(size, np.int64),
        head_of_bucket=np.full(buckets, NONE, np.int32),
        waiting=np.zeros(8, np.int32),
        lost=np.zeros((0, 2), np.int32),
        live_of_owner=np.zeros(8, np.int32),
    )


def new_links(size: int) -> Links:
    """Return room for so many links."""
    return Links(
        cells=np.zeros((size, 3), np.int32),
        times=np.zeros((size, 3), np.int64),
        registers=np.zeros((size, 0, 3), np.int64),
    )


def new_kept(size: int, width: int) -> Kept:
    """Return room for so many events with so many attributes."""
    return Kept(
        np.zeros((size, width), np.uint8),
        np.zeros((size, width), np.int64),
        np.zeros((size, 3), np.int64),
    )


def new_work(size: int, width: int) -> Work:
    """Return room to work in, and counters that stand at the begin."""
    counters = np.zeros(COUNTERS, np.int64)
    counters[[FREE, NEXT_FIRST, MOST, FAULT]] = NONE
    return Work(
        taken=np.zeros((size, 2), np.int32),
        over=np.zeros(size, np.int32),
        marks=np.zeros(8, np.int64),
        row_kind=np.zeros(width, np.uint8),
        row_bits=np.zeros(width, np.int64),
        out=np.zeros((size, 3), np.int32),
        counters=counters,
        awaited=UNCOUNTED,
    )
