"""Where the rows of files lie, once it is known that they lie in the order of the stream."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.spark.files.columns import microseconds, open_file


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that a file keeps together.

    Attributes
    ----------
    number
        Its number in the file.
    first, end
        The number of its first row in the whole stream, and of the one behind its last.
    first_us, last_us
        The first and the last time.
    """

    number: int
    first: int
    end: int
    first_us: int
    last_us: int


@dataclass(frozen=True, slots=True)
class Print:
    """By what a file is known to be the same as before."""

    size: int
    changed_ns: int

    @classmethod
    def of(cls, path: str) -> Print:
        """Return that of a file as it is now."""
        found = os.stat(path)
        return cls(found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class File:
    """A file, and its rows in the order of the stream; groups without rows are left out."""

    path: str
    seen: Print
    groups: tuple[RowGroup, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """All files in the order of the stream.

    Attributes
    ----------
    time
        The column with the times.
    """

    files: tuple[File, ...]
    time: str

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return max((group.end for _, group in self.groups()), default=0)

    @property
    def first_us(self) -> int | None:
        """The first time of all; None where there is no row."""
        return min((group.first_us for _, group in self.groups()), default=None)

    @property
    def last_us(self) -> int | None:
        """The last time of all; None where there is no row."""
        return max((group.last_us for _, group in self.groups()), default=None)

    def time_of(self, row: int) -> int:
        """Return the time of a row that is there."""
        file, group = next((f, g) for f, g in self.groups() if row < g.end)
        return int(self._times(file, group)[row - group.first])

    def first_row_at(self, us: int) -> int:
        """Return the number of the first row at that time or later; behind all, where none is."""
        for file, group in self.groups():
            if us <= group.first_us:
                return group.first
            if us <= group.last_us:
                return group.first + int(np.searchsorted(self._times(file, group), us))
        return self.rows

    def groups(self) -> Iterator[tuple[File, RowGroup]]:
        """Yield all row groups in the order of the stream, each with its file."""
        for file in self.files:
            for group in file.groups:
                yield file, group

    def _times(self, file: File, group: RowGroup) -> npt.NDArray[np.int64]:
        with open_file(file.path) as opened:
            table: Any = opened.read_row_group(group.number, columns=[self.time])
        found: npt.NDArray[np.int64] = microseconds(table[self.time].combine_chunks())
        return found
