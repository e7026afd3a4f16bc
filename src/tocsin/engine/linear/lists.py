# mypy: disable-error-code="no-untyped-def"
"""Many short lists in flat arrays: each grows and shrinks on its own, and is read as a slice."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tocsin.engine.index.hashing import grown, next_size
from tocsin.engine.linear.arrays import NONE, Int32Array, Int64Array, ListArrays
from tocsin.engine.linear.columns import Columns
from tocsin.engine.linear.kernels import inlined, kernel

_CLASSES: Final = 32
_END: Final = 0
_USED: Final = 1
_LONGEST: Final = 2


@inlined
def item_of(lists, owner, place):
    """Return the number in a place of a list of numbers: a single one stands for itself."""
    begin = lists.spans[owner, 0]
    return begin if lists.spans[owner, 1] == 1 else lists.items[begin + place, 0]


@kernel
def _class_of(count):
    """Return the size class of a list: its block has 1 << class places."""
    size_class = 0
    while (1 << size_class) < count:
        size_class += 1
    return size_class


@kernel
def _take_block(size_class, items, free, state):
    """Return a free block of a class, or NONE where the items must grow."""
    block = free[size_class]
    if block != NONE:
        free[size_class] = items[block, 0]
        return block
    block = state[_END]
    if block + (1 << size_class) > items.shape[0]:
        return np.int64(NONE)
    state[_END] = block + (1 << size_class)
    return block


@kernel
def _move(owner, old, length, size_class, spans, items, free, state):
    """Put a list into a block of another class; say whether there was one."""
    block = _take_block(size_class, items, free, state)
    if block == NONE:
        return False
    start = spans[owner, 0]
    for i in range(length):
        for column in range(items.shape[1]):
            items[block + i, column] = items[start + i, column]
    if old >= 0:
        items[start, 0] = free[old]
        free[old] = start
    spans[owner, 0] = block
    return True


@kernel
def _open_block(owner, spans, items, free, state):
    """Put a single number, which stands for itself, into a block; say whether there was one."""
    block = _take_block(1, items, free, state)
    if block == NONE:
        return False
    items[block, 0] = spans[owner, 0]
    spans[owner, 0] = block
    return True


@kernel
def _close_block(owner, spans, items, free):
    """Let the only number that is left in a block stand for itself."""
    block = spans[owner, 0]
    spans[owner, 0] = items[block, 0]
    items[block, 0] = free[1]
    free[1] = block


@kernel
def _grow(owner, length, spans, items, free, state):
    """Make room for one row more in a list; say whether there was any."""
    if items.shape[1] == 1 and length == 1:
        return _open_block(owner, spans, items, free, state)
    if length == 0 or length == (1 << _class_of(length)):
        old = _class_of(length) if length > 0 else -1
        return _move(owner, old, length, old + 1, spans, items, free, state)
    return True


@kernel
def _append_all(begin, owners, rows, spans, items, free, state):
    """Append each row to its list; return how many were done before the items were full."""
    for i in range(begin, owners.shape[0]):
        owner = owners[i]
        length = spans[owner, 1]
        if items.shape[1] == 1 and length == 0:
            spans[owner, 0] = rows[i, 0]
        elif _grow(owner, length, spans, items, free, state):
            for column in range(items.shape[1]):
                items[spans[owner, 0] + length, column] = rows[i, column]
        else:
            return i
        spans[owner, 1] = length + 1
        state[_USED] += 1
        state[_LONGEST] = max(state[_LONGEST], length + 1)
    return owners.shape[0]


@kernel
def _remove(owner, row, spans, items, free, state):
    """Take a row out of a list, the last one moves into its place; say whether it was there."""
    start, length = spans[owner, 0], spans[owner, 1]
    if items.shape[1] == 1 and length == 1:
        if start != row[0]:
            return False
        spans[owner, 0] = spans[owner, 1] = 0
        state[_USED] -= 1
        return True
    for i in range(start, start + length):
        same = True
        for column in range(items.shape[1]):
            same = same and items[i, column] == row[column]
        if not same:
            continue
        last = start + length - 1
        for column in range(items.shape[1]):
            items[i, column] = items[last, column]
        spans[owner, 1] = length - 1
        state[_USED] -= 1
        if length == 1:
            items[start, 0] = free[0]
            free[0] = start
        elif items.shape[1] == 1 and length == 2:
            _close_block(owner, spans, items, free)
        elif (length - 1) == (1 << _class_of(length - 1)):
            old = _class_of(length)
            _move(owner, old, length - 1, old - 1, spans, items, free, state)
        return True
    return False


class Lists:
    """Short lists of rows of integers, by owner.

    A list of n rows has a block of the next power of two; blocks are given back and used again. A
    list of one number has none: the number stands where its block would begin.

    Parameters
    ----------
    width
        How many integers a row has.
    table, name
        The table of the owners and its column for where each list begins, the length beside it:
        what is read together lies together. Without, the lists have a table of their own.

    Examples
    --------
    >>> lists = Lists(1)
    >>> lists.append(np.array([2, 0, 2]), np.array([[7], [8], [9]]))
    >>> lists.of(2).ravel().tolist(), lists.of(1).tolist()
    ([7, 9], [])
    >>> lists.remove(2, (7,))
    >>> lists.of(2).ravel().tolist(), lists.size
    ([9], 2)
    """

    def __init__(self, width: int, table: Columns | None = None, name: str = "begin") -> None:
        self._width = width
        self._is_apart = table is None
        self._table = _own_table() if table is None else table
        self._name = name
        self._reset()

    def _reset(self) -> None:
        if self._is_apart:
            self._table = _own_table()
        else:  # an empty list begins somewhere, too
            self._spans[:] = 0
        self._items = np.zeros((8, self._width), np.int32)
        self._free = np.full(_CLASSES, NONE, np.int64)
        self._state = np.zeros(3, np.int64)

    @property
    def _spans(self) -> Int32Array:
        return self._table.pair(self._name)

    @property
    def size(self) -> int:
        """How many rows there are in all lists."""
        return int(self._state[_USED])

    @property
    def nbytes(self) -> int:
        """The memory it takes, without a table that it shares."""
        return int(self._items.nbytes) + (self._table.nbytes if self._is_apart else 0)

    def arrays(self, owners: int) -> ListArrays:
        """Return the arrays, with an entry for each of so many owners."""
        self._table.reach(owners)
        return ListArrays(self._spans, self._items, int(self._state[_LONGEST]))

    def of(self, owner: int) -> Int32Array:
        """Return the rows of one list."""
        if owner >= self._table.size:
            return self._items[:0]
        start, count = self._spans[owner].tolist()
        if count == self._width == 1:
            return np.array([[start]], np.int32)
        return self._items[start : start + count]

    def lengths(self, owners: Int32Array) -> Int32Array:
        """Return how long the list of each owner is."""
        self._table.reach(int(owners.max(initial=-1)) + 1)
        lengths: Int32Array = self._spans[owners, 1]
        return lengths

    def owners(self) -> Int64Array:
        """Return the owners of lists that are not empty."""
        return np.flatnonzero(self._spans[:, 1])

    def append(self, owners: Any, rows: Any) -> None:
        """Append one row to the list of each owner, in order."""
        if len(owners) == 0:
            return
        owners, rows = np.asarray(owners, np.int64), np.asarray(rows, np.int32)
        self._table.reach(int(owners.max()) + 1)
        done = 0
        while True:
            done = _append_all(
                done, owners, rows, self._spans, self._items, self._free, self._state
            )
            if done == len(owners):
                return
            longest = int(self._spans[owners[done], 1]) + 1
            least = len(self._items) + max(2 * longest, len(owners) - done)
            self._items = grown(self._items, next_size(len(self._items), least))

    def remove(self, owner: int, row: tuple[int, ...]) -> None:
        """Take a row out of the list of an owner.

        Raises
        ------
        KeyError
            It is not there.
        """
        length = int(self._spans[owner, 1])
        if len(self._items) - int(self._state[_END]) < length:
            self._items = grown(self._items, len(self._items) + length)
        wanted: Int64Array = np.array(row, np.int64)
        arrays = (self._spans, self._items, self._free, self._state)
        if not _remove(owner, wanted, *arrays):
            raise KeyError(row)
        if self._state[_USED] == 0:
            self._reset()


def _own_table() -> Columns:
    return Columns({"begin": 0, "length": 0}, np.int32)
