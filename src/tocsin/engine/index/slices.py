"""A growing array of rows from which slices are taken and given back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.hashing import grown, next_size


class Slices:
    """Rows of integers in one array; a slice given back serves the next of its length.

    Examples
    --------
    >>> rows = Slices(1, np.int64)
    >>> rows.take(np.array([[7], [8]])), rows.used
    (0, 2)
    >>> rows.give_back(0, 2)
    >>> rows.used
    0
    """

    def __init__(self, width: int, dtype: npt.DTypeLike) -> None:
        self._empty = np.zeros((4, width), dtype)
        self.rows: npt.NDArray[Any] = self._empty
        self.used = 0
        self._end = 0
        self._free: dict[int, list[int]] = {}

    def take(self, rows: npt.NDArray[Any]) -> int:
        """Store rows; return where they start."""
        length = len(rows)
        self.used += length
        if waiting := self._free.get(length):
            start = waiting.pop()
        else:
            start = self._end
            self._grow(start + length)
            self._end += length
        self.rows[start : start + length] = rows
        return start

    def give_back(self, start: int, length: int) -> None:
        """Let go of rows, which become zeros; when none is left, the memory goes too."""
        self.used -= length
        self.rows[start : start + length] = 0
        self._free.setdefault(length, []).append(start)
        if self.used == 0:
            self.rows, self._end = self._empty, 0
            self._free.clear()

    def give_back_all(self, starts: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> None:
        """Let go of many slices."""
        for length in np.unique(lengths).tolist():
            if length:
                self._free.setdefault(length, []).extend(starts[lengths == length].tolist())
        self.used -= int(lengths.sum())
        if self.used == 0:
            self.rows, self._end = self._empty, 0
            self._free.clear()

    def _grow(self, least: int) -> None:
        if least > len(self.rows):
            self.rows = grown(self.rows, next_size(len(self.rows), least))
