"""Where the rows of files lie, once it is known that they lie in the order of the stream."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.errors import ConfigurationError
from tocsin.spark.files.columns import microseconds, open_file

_KEPT: Final = 2
"""Of so many row groups times are remembered: a cut is looked for more than once in one of them."""


class RowGroup(NamedTuple):
    """Rows that a file keeps together.

    There are many of them, all of which are sent to workers: that is why it is a tuple.

    Attributes
    ----------
    number
        Its number in the file.
    first, end
        The number of its first row in the whole stream, and of the one behind its last.
    first_us, last_us
        The first and the last time.
    is_ordered
        Whether its rows are known to lie in the order of the stream. Otherwise only all of them
        together lie in order among the groups, and who reads them brings them into order.
    """

    number: int
    first: int
    end: int
    first_us: int
    last_us: int
    is_ordered: bool = True


@dataclass(frozen=True, slots=True)
class Print:
    """By what a file is known to be the same as before.

    Who copies times along with files can set the time of a change, but not `status_ns`, when the
    system last wrote anything about the file.
    """

    size: int
    changed_ns: int
    status_ns: int
    number: int

    @classmethod
    def of(cls, path: str) -> Print:
        """Return that of a file as it is now.

        Raises
        ------
        FileNotFoundError
            There is none.
        """
        found = os.stat(path)
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


@dataclass(frozen=True, slots=True)
class File:
    """A file that has rows, in the order of the stream; groups without rows are left out.

    Attributes
    ----------
    first_number
        The number that its first row brings, where those of the others follow one by one: then
        nobody has to read them.
    """

    path: str
    seen: Print
    groups: tuple[RowGroup, ...]
    first_number: int | None = None

    def is_unchanged(self) -> bool:
        """Say whether the file is still what it was when it was surveyed."""
        try:
            return Print.of(self.path) == self.seen
        except FileNotFoundError:
            return False

    def check_unchanged(self) -> None:
        """See that the file is what it was.

        Raises
        ------
        ConfigurationError
            It was changed since it was surveyed.
        """
        if not self.is_unchanged():
            msg = f"{self.path} was changed since match was called; call it again"
            raise ConfigurationError(msg)


@dataclass(frozen=True, slots=True)
class Survey:
    """All files in the order of the stream; there is one at least.

    Attributes
    ----------
    time
        The column with the times.
    row
        That with the numbers that rows bring.
    """

    files: tuple[File, ...]
    time: str
    row: str | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.files[-1].groups[-1].end

    @property
    def first_us(self) -> int:
        """The first time of all."""
        return self.files[0].groups[0].first_us

    @property
    def last_us(self) -> int:
        """The last time of all."""
        return self.files[-1].groups[-1].last_us

    def time_of(self, row: int) -> int:
        """Return the time of a row that is there."""
        file, group = next((f, g) for f, g in self.groups() if row < g.end)
        return int(_times(file, group, self.time)[row - group.first])

    def first_row_at(self, us: int) -> int:
        """Return the number of the first row at that time or later; behind all, where none is."""
        for file, group in self.groups():
            if us <= group.first_us:
                return group.first
            if us <= group.last_us:
                return group.first + int(np.searchsorted(_times(file, group, self.time), us))
        return self.rows

    def groups(self) -> Iterator[tuple[File, RowGroup]]:
        """Yield all row groups in the order of the stream, each with its file."""
        for file in self.files:
            for group in file.groups:
                yield file, group


@lru_cache(maxsize=_KEPT)
def _times(file: File, group: RowGroup, time: str) -> npt.NDArray[np.int64]:
    """Return the times of a row group as they grow."""
    with open_file(file.path) as opened:
        table: Any = opened.read_row_group(group.number, columns=[time])
    found: npt.NDArray[np.int64] = microseconds(table[time].combine_chunks())
    lies_in_order = group.is_ordered or (found[1:] >= found[:-1]).all()
    return found if lies_in_order else np.sort(found)
