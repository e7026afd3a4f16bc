"""Where the last rows of some keys lie before a slice of time: only keys are read for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.spark.files.columns import comparable, decoded, open_file
from tocsin.spark.files.ordering import order_of
from tocsin.spark.files.shares import Before, Share
from tocsin.spark.files.survey import File, RowGroup, Survey

_AT_ONCE: Final = 1 << 16
"""So many rows are looked at together, from the last one back: mostly few of them are needed."""
_KEYS_AT_ONCE: Final = 1 << 18
"""So many keys are collected before those that came again are left out."""

_Rows = npt.NDArray[np.int64]
Read: TypeAlias = Mapping[RowGroup, Any]
"""The keys of row groups that were read already, in the order of the stream."""


@dataclass(frozen=True, slots=True)
class LastRows:
    """Rows of some row groups of a file, by their numbers in the whole stream, which grow."""

    file: File
    of_groups: tuple[tuple[RowGroup, _Rows], ...]


def last_rows(found: Survey, share: Share, before: Before, read: Read) -> list[LastRows]:
    """Return the last rows of each key of a share from before it, in the order of the stream.

    A key that has fewer of them has all it has. A missing key is none, and so is NaN.

    Raises
    ------
    ConfigurationError
        A file was changed since it was surveyed.
    """
    columns = _Columns(found, before.column, read)
    wanted = _Wanted(_keys_of(columns, share), before.count)
    taken: list[LastRows] = []
    for file in reversed(found.files):
        if file.groups[0].first < share.first and not wanted.is_done():
            of_groups = list(_of_file(columns, file, share, wanted))
            taken += [LastRows(file, tuple(of_groups[::-1]))] if of_groups else []
    return taken[::-1]


def _of_file(
    columns: _Columns, file: File, share: Share, wanted: _Wanted
) -> Iterator[tuple[RowGroup, _Rows]]:
    """Yield the rows of a file that are wanted, the last row group first."""
    groups = [group for group in reversed(file.groups) if group.first < share.first]
    for group, held in columns.in_order(file, groups):
        rows = group.first + wanted.last_of(held[: share.first - group.first])
        if len(rows):
            yield group, rows
        if wanted.is_done():
            return


class _Wanted:
    """How many rows are still wanted of each key."""

    def __init__(self, keys: Any, count: int) -> None:
        self.keys = keys
        self.still = np.full(len(keys), count)

    def is_done(self) -> bool:
        return not self.still.any()

    def last_of(self, held: Any) -> _Rows:
        """Take the last rows of a column that are still wanted; return their places in it."""
        self._forget()
        number_of = self._numbers(held)
        at_once = max(_AT_ONCE, len(self.keys))  # to look for any of them, all are hashed
        found = []
        for end in range(len(held), 0, -at_once):
            if self.is_done():
                break
            begin = max(end - at_once, 0)
            found.append(begin + self._taken(number_of(begin, end)))
        return np.concatenate([*found[::-1], np.zeros(0, np.int64)])

    def _forget(self) -> None:
        """Leave out the keys of which nothing is wanted any more, once they are the most."""
        is_open = self.still > 0
        if 2 * np.count_nonzero(is_open) < len(self.still):
            self.keys, self.still = self.keys.filter(pa.array(is_open)), self.still[is_open]

    def _numbers(self, held: Any) -> Any:
        """Return what gives the numbers of keys for some rows; -1 for one that nobody wants."""
        if not _is_coded(held):
            return lambda begin, end: self._found(comparable(held[begin:end]))
        # The last place is that of rows without a key, whose code is -1.
        of_code = np.append(self._found(comparable(held.dictionary)), -1)
        codes = held.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return lambda begin, end: of_code[codes[begin:end]]

    def _found(self, values: Any) -> npt.NDArray[np.int32]:
        found: npt.NDArray[np.int32] = (
            pc.index_in(values, value_set=self.keys).fill_null(-1).to_numpy(zero_copy_only=False)
        )
        return found

    def _taken(self, numbers: npt.NDArray[np.int32]) -> _Rows:
        """Take the last rows of each number that are still wanted."""
        rows = np.flatnonzero(numbers >= 0)
        rows = rows[self.still[numbers[rows]] > 0]
        order = np.argsort(numbers[rows], kind="stable")
        own = numbers[rows][order]
        behind = np.searchsorted(own, own, side="right")
        from_end = behind - np.arange(len(own))  # 1 for the last row of a number
        taken = order[from_end <= self.still[own]]
        self.still -= np.bincount(numbers[rows[taken]], minlength=len(self.still))
        return np.sort(rows[taken])


def _keys_of(columns: _Columns, share: Share) -> Any:
    """Return the keys of a share, each once."""
    parts: list[Any] = []
    count, most = 0, _KEYS_AT_ONCE
    files = columns.found.files
    for part in (part for file in files for part in _distinct(columns, file, share)):
        parts.append(part)
        count += len(part)
        if count > most:
            parts = [pc.unique(pa.chunked_array(parts))]
            count, most = len(parts[0]), 2 * len(parts[0]) + _KEYS_AT_ONCE
    return pc.unique(pa.chunked_array(parts)).drop_null()


def _distinct(columns: _Columns, file: File, share: Share) -> Iterator[Any]:
    """Yield the keys of a share in a file, row group by row group; a text may come twice."""
    groups = [one for one in file.groups if one.first < share.end and share.first < one.end]
    is_cut = [one.first < share.first or share.end < one.end for one in groups]
    cut = list(compress(groups, is_cut))
    for group, held in columns.in_order(file, cut):
        own = pc.unique(held[max(share.first - group.first, 0) : share.end - group.first])
        yield comparable(decoded(own))
    for _, held in columns.unordered(file, [one for one in groups if one not in cut]):
        yield comparable(held.dictionary if _is_coded(held) else pc.unique(held))


def _is_coded(held: Any) -> bool:
    return bool(pa.types.is_dictionary(held.type))


@dataclass(frozen=True, slots=True)
class _Columns:
    """The keys of row groups, which are read where they were not.

    Attributes
    ----------
    column
        What holds the key.
    """

    found: Survey
    column: str
    read: Read

    def in_order(self, file: File, groups: Sequence[RowGroup]) -> Iterator[tuple[RowGroup, Any]]:
        """Yield row groups, in the order in which they are given, with their keys as they come."""
        numbers = None if all(group.is_ordered for group in groups) else self.found.row
        return self._keys(file, groups, numbers)

    def unordered(self, file: File, groups: Sequence[RowGroup]) -> Iterator[tuple[RowGroup, Any]]:
        """Do so where it does not matter how keys lie in a row group."""
        return self._keys(file, groups, None)

    def _keys(
        self, file: File, groups: Sequence[RowGroup], numbers: str | None
    ) -> Iterator[tuple[RowGroup, Any]]:
        """Yield the keys of row groups, brought into order by a column of numbers if any."""
        if not groups:
            return
        file.check_unchanged()
        with open_file(file.path, texts=[self.column]) as opened:
            for group in groups:
                held = self.read.get(group)
                yield group, self._of_group(opened, group, numbers) if held is None else held

    def _of_group(self, opened: Any, group: RowGroup, numbers: str | None) -> Any:
        names = [self.column] if numbers is None else [self.column, numbers]
        table: Any = opened.read_row_group(group.number, names, use_threads=False)
        held = table[self.column].combine_chunks()
        order = None if numbers is None else order_of(table[numbers].to_numpy())
        return held if order is None else held.take(order)
