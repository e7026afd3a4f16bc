"""A table in one array, with names for its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.hashing import next_size

_LINE: Final = 64  # bytes


class Columns:
    """Rows of integers; a column is read and written by its name.

    Parameters
    ----------
    fills
        The columns in order, each with what stands in rows that nobody has written.
    dtype
        The type of all of them.

    Examples
    --------
    >>> columns = Columns({"leaf": -1, "uses": 0}, np.int32)
    >>> columns.reach(3)
    >>> columns["leaf"][2] = 7
    >>> columns.rows[2].tolist(), columns.rows[1].tolist()
    ([7, 0], [-1, 0])
    """

    def __init__(self, fills: Mapping[str, int], dtype: npt.DTypeLike) -> None:
        self._places = {name: place for place, name in enumerate(fills)}
        self._fill = np.array(list(fills.values()), dtype)
        self.rows: npt.NDArray[Any] = np.tile(self._fill, (8, 1))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.rows[:, self._places[name]]

    def pair(self, name: str) -> npt.NDArray[Any]:
        """Return a column and the one beside it."""
        place = self._places[name]
        return self.rows[:, place : place + 2]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """The memory they take."""
        return int(self.rows.nbytes)

    def reach(self, size: int) -> None:
        """Let there be at least so many rows."""
        if size > self.size:
            old = self.size
            rows = _aligned(next_size(old, size), self._fill)
            rows[:old], rows[old:] = self.rows, self._fill
            self.rows = rows


def _aligned(size: int, row: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return room for rows that begins with a cache line: short rows then lie in one line each."""
    room = np.empty(size * row.nbytes + _LINE, np.uint8)
    begin = -room.ctypes.data % _LINE
    return room[begin : begin + size * row.nbytes].view(row.dtype).reshape(size, len(row))
