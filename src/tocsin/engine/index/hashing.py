# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913, SIM110 - kernels take up to ten arguments and loop
"""Hashes of words, and a table that gives equal rows one number."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.kernels import kernel

EMPTY = -1
DELETED = -2
_HALF = 0x7FFFFFFF


@kernel
def mix(state, word):
    """Return a 31-bit hash of a state and a word; no step leaves 63 bits."""
    state = ((state ^ (word & _HALF)) * 0x9E3779B1) & 0x7FFFFFFFFFFFFFFF
    state = (state ^ (state >> 29)) & _HALF
    state = ((state ^ ((word >> 31) & _HALF)) * 0x85EBCA6B) & 0x7FFFFFFFFFFFFFFF
    state = (state ^ (state >> 31) ^ ((word >> 62) & 3)) & _HALF
    state = (state * 0xC2B2AE35) & 0x7FFFFFFFFFFFFFFF
    return (state ^ (state >> 30)) & _HALF


@kernel
def hash_key(head, first, second):
    """Return the hash of three words."""
    return mix(mix(mix(np.int64(1), head), first), second)


@kernel
def hash_row(row):
    """Return the hash of a row of words."""
    state = np.int64(1)
    for i in range(row.shape[0]):
        state = mix(state, row[i])
    return state


@kernel
def same_row(row, other):
    """Say whether two rows are equal."""
    for i in range(row.shape[0]):
        if row[i] != other[i]:
            return False
    return True


@kernel
def find_slot(row, rows, slots):
    """Return the slot of a row, or where it may go as -1 - slot."""
    mask = slots.shape[0] - 1
    place = hash_row(row) & mask
    free = -1
    while slots[place] != EMPTY:
        if slots[place] == DELETED:
            if free < 0:
                free = place
        elif same_row(rows[slots[place]], row):
            return place
        place = (place + 1) & mask
    return -1 - (free if free >= 0 else place)


@kernel
def is_crowded(count, slots):
    """Say whether a table with so many entries should have more slots: at two thirds."""
    return 3 * count > 2 * slots


@kernel
def _intern(queries, begin, rows, slots, free, counts, found, is_new):
    """Give each query from `begin` on a number; return the first for which there is no room.

    Counts are: numbers given out, numbers free, slots taken.
    """
    for i in range(begin, queries.shape[0]):
        place = find_slot(queries[i], rows, slots)
        if place >= 0:
            found[i] = slots[place]
            is_new[i] = False
            continue
        is_full = counts[1] == 0 and counts[0] == rows.shape[0]
        if is_full or is_crowded(counts[2] + 1, slots.shape[0]):
            return i
        place = -1 - place
        if counts[1] > 0:
            counts[1] -= 1
            number = free[counts[1]]
        else:
            number = counts[0]
            counts[0] += 1
        if slots[place] == EMPTY:
            counts[2] += 1
        slots[place] = number
        for j in range(queries.shape[1]):
            rows[number, j] = queries[i, j]
        found[i] = number
        is_new[i] = True
    return queries.shape[0]


@kernel
def _rehash(rows, numbers, slots):
    mask = slots.shape[0] - 1
    for i in range(numbers.shape[0]):
        place = hash_row(rows[numbers[i]]) & mask
        while slots[place] != EMPTY:
            place = (place + 1) & mask
        slots[place] = numbers[i]


@kernel
def _remove(numbers, rows, slots, free, counts):
    for i in range(numbers.shape[0]):
        slots[find_slot(rows[numbers[i]], rows, slots)] = DELETED
        free[counts[1]] = numbers[i]
        counts[1] += 1


class RowTable:
    """Rows of words that are shared by value, each under a number that can be given back.

    Examples
    --------
    >>> table = RowTable(2)
    >>> table.intern(np.array([[1, 2], [3, 4], [1, 2]]))[0].tolist()
    [0, 1, 0]
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._reset()

    def _reset(self) -> None:
        self.rows: Int64Array = np.zeros((8, self._width), np.int64)
        self._slots = np.full(16, EMPTY, np.int32)
        self._free = np.zeros(8, np.int32)
        self._counts = np.zeros(3, np.int64)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self._counts[0] - self._counts[1])

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return int(self.rows.nbytes + self._slots.nbytes + self._free.nbytes)

    def intern(self, queries: Int64Array) -> tuple[Int32Array, npt.NDArray[np.bool_]]:
        """Return the numbers of rows, and which of them are new."""
        found = np.empty(len(queries), np.int32)
        is_new = np.empty(len(queries), np.bool_)
        queries = np.ascontiguousarray(queries, np.int64)
        done = 0
        while True:
            done = _intern(
                queries, done, self.rows, self._slots, self._free, self._counts, found, is_new
            )
            if done == len(queries):
                return found, is_new
            self._grow(len(queries) - done)

    def remove(self, numbers: Int32Array) -> None:
        """Let go of rows; their numbers may come again."""
        most = int(self._counts[1]) + len(numbers)
        if most > len(self._free):
            self._free = grown(self._free, next_size(len(self._free), most))
        _remove(numbers, self.rows, self._slots, self._free, self._counts)
        if self.size == 0:
            self._reset()

    def _grow(self, most: int) -> None:
        """Make room for some of the rows that are left, of which many may be known already."""
        given_out = int(self._counts[0])
        if given_out == len(self.rows):
            least = given_out + min(most, given_out // 4)
            self.rows = grown(self.rows, next_size(given_out, least))
        if is_crowded(int(self._counts[2]) + 1, len(self._slots)):
            taken = self._slots[self._slots >= 0]
            self._slots = np.full(_slots_for(len(taken) + 1), EMPTY, np.int32)
            self._counts[2] = len(taken)
            _rehash(self.rows, taken, self._slots)


def _slots_for(count: int) -> int:
    """Return how many slots so many entries get: they may grow by a third before the next time."""
    slots = 16
    while is_crowded(count + count // 3, slots):
        slots *= 2
    return slots


def next_size(size: int, least: int) -> int:
    """Return how long an array of some size becomes that must reach another: an eighth more."""
    return max(least, size + size // 8 + 8)


def grown(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Return an array with room for more rows."""
    more = np.zeros((size, *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more


def sized(array: npt.NDArray[Any], size: int, fill: int) -> npt.NDArray[Any]:
    """Return an array with at least so many entries, the new ones filled."""
    if size <= len(array):
        return array
    more = np.full((size, *array.shape[1:]), fill, array.dtype)
    more[: len(array)] = array
    return more
