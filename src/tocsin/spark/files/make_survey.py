"""Making a survey: at most times and numbers of all rows are read.

Where rows bring numbers, what a file tells of its row groups is enough: rows of different groups
lie in order if the groups do, and those of one group the workers can bring into order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import ByteType, IntegerType, LongType, ShortType, StructType

from tocsin.spark.files.columns import check_columns, microseconds, open_file
from tocsin.spark.files.ordering import MOST_AT_ONCE
from tocsin.spark.files.survey import File, Print, RowGroup, Survey
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.files.told import Told
from tocsin.spark.intake import MOST_MS, Events

_AT_ONCE: Final = 4
"""So many files are looked at together."""
_KEPT: Final = 4_096
"""So many files are remembered, with where their rows lie."""
_FIRST_US: Final = -2_208_988_800_000_000
"""1900: older times in Parquet may be those of another calendar, which Spark sees to."""
_WHOLE: Final = (ByteType, ShortType, IntegerType, LongType)

_Place = tuple[int, ...]
"""By what a row is ordered: its time, and its number where it brings one."""


@dataclass(frozen=True, slots=True)
class _Group:
    number: int
    rows: int
    first: _Place
    last: _Place
    is_ordered: bool


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    seen: Print
    groups: tuple[_Group, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of each file.

    Attributes
    ----------
    time, order, row
        The columns that order rows.
    read
        The columns that subscriptions read.
    schema
        That of the frame.
    """

    time: str
    order: str | None
    row: str | None
    read: tuple[str, ...]
    schema: StructType

    @property
    def ordering(self) -> tuple[str, ...]:
        """The columns by which rows are ordered, the time first."""
        return tuple(dict.fromkeys(filter(None, (self.time, self.row or self.order))))

    @property
    def brings_numbers(self) -> bool:
        """Whether rows bring numbers, in a column of their own."""
        return self.row not in (None, self.time)


def make_survey(paths: Sequence[str], events: Events, read: Sequence[str]) -> Survey:
    """Return where rows lie.

    Parameters
    ----------
    events
        What is known of them: the columns of time, order and row.
    read
        The columns that subscriptions read.

    Raises
    ------
    ThroughSpark
        Rows do not lie in the order of the stream, or a column may be read otherwise than by Spark.
    """
    _check_known(events)
    asked = _Asked(events.time, events.order, events.row, tuple(read), events.frame.schema)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = [file for file in pool.map(partial(_look, asked), paths) if file.groups]
    found.sort(key=lambda file: file.groups[0].first)
    for before, after in pairwise(group for file in found for group in file.groups):
        ends = zip(before.last, after.first, strict=True)
        _check_order(asked, [np.array(pair) for pair in ends])
    if not found:
        msg = "there are no rows"
        raise ThroughSpark(msg)
    files = tuple(_numbered(found, brings_numbers=asked.brings_numbers))
    return Survey(files, events.time, events.row)


def _check_known(events: Events) -> None:
    """See that the order of rows can be told from numbers alone."""
    if events.end is not None:
        msg = "events last"
        raise ThroughSpark(msg)
    order, schema = events.order, events.frame.schema
    if order is None or events.row is not None:
        return
    if not isinstance(schema[order].dataType, _WHOLE):
        msg = f"the column '{order}', which order= names, holds no integers"
        raise ThroughSpark(msg)


def _look(asked: _Asked, path: str) -> _File:
    try:
        return _looked(asked, path, Print.of(path))
    except (OSError, pa.ArrowException) as error:
        msg = f"workers cannot read a file: {error}"
        raise ThroughSpark(msg) from error


@lru_cache(maxsize=_KEPT)
def _looked(asked: _Asked, path: str, seen: Print) -> _File:
    """Look at a file; one that is as it was need not be looked at again."""
    with open_file(path) as file:
        check_columns(file, asked.schema, {*asked.read, *asked.ordering}, asked.time)
        _check_ordered(file, asked)
        return _File(path, seen, tuple(_groups(file, asked)))


def _groups(file: pq.ParquetFile, asked: _Asked) -> Iterator[_Group]:
    told = Told(file)
    for number in range(file.num_row_groups):
        rows = file.metadata.row_group(number).num_rows
        if rows:
            yield _told_group(told, number, rows, asked) or _read_group(file, number, asked)


def _told_group(told: Told, number: int, rows: int, asked: _Asked) -> _Group | None:
    """Return what a file tells of a row group; None where that does not do."""
    if not asked.brings_numbers or rows > MOST_AT_ONCE:
        return None
    ends = told.ends(number, asked.ordering)
    if ends is None:
        return None
    keys = [
        _numbers(column, name, asked) for column, name in zip(ends, asked.ordering, strict=True)
    ]
    if int(keys[1][1]) - int(keys[1][0]) < rows - 1:
        msg = f"numbers in '{asked.row}' come twice"
        raise ThroughSpark(msg)
    return _group(number, rows, keys, is_ordered=rows == 1)


def _read_group(file: pq.ParquetFile, number: int, asked: _Asked) -> _Group:
    table: Any = file.read_row_group(number, columns=list(asked.ordering))
    keys = [_numbers(table[one].combine_chunks(), one, asked) for one in asked.ordering]
    _check_order(asked, keys)
    return _group(number, table.num_rows, keys, is_ordered=True)


def _group(
    number: int, rows: int, keys: Sequence[npt.NDArray[np.int64]], *, is_ordered: bool
) -> _Group:
    first, last = (tuple(int(key[place]) for key in keys) for place in (0, -1))
    return _Group(number, rows, first, last, is_ordered)


def _check_ordered(file: pq.ParquetFile, asked: _Asked) -> None:
    """See that rows have what orders them, also where their numbers go before it."""
    name, told = asked.order, Told(file)
    if name is None or asked.row is None:
        return
    if name not in file.schema_arrow.names:
        msg = f"a file has no column '{name}'"
        raise ThroughSpark(msg)
    for number in range(file.num_row_groups):
        nulls = told.nulls(number, name)
        if nulls is None:
            nulls = file.read_row_group(number, columns=[name]).column(0).null_count
        if nulls:
            msg = f"rows are no events, since '{name}' is null"
            raise ThroughSpark(msg)


def _numbers(column: Any, name: str, asked: _Asked) -> npt.NDArray[np.int64]:
    if column.null_count:
        msg = f"rows are no events, since '{name}' is null"
        raise ThroughSpark(msg)
    found: npt.NDArray[np.int64]
    if name != asked.time:
        found = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
        return found
    if pa.types.is_int64(column.type):
        counts = column.to_numpy(zero_copy_only=False)
        if counts.min() < -MOST_MS or counts.max() > MOST_MS:
            msg = f"rows are no events, since '{name}' is outside what milliseconds can tell"
            raise ThroughSpark(msg)
    found = microseconds(column)
    if not pa.types.is_integer(column.type) and found.min() < _FIRST_US:
        msg = "there are times before 1900, of which only Spark knows the calendar"
        raise ThroughSpark(msg)
    return found


def _check_order(asked: _Asked, keys: Sequence[npt.NDArray[np.int64]]) -> None:
    """See that every row comes behind the one before it.

    Numbers that rows bring must grow on their own. Without them equal rows would be told apart by
    what they hold, so that no two may be equal.
    """
    times, *numbers = [(key[:-1], key[1:]) for key in keys]  # no difference may overflow
    (before, after), grows = times, times[0] < times[1]
    for one, next_one in numbers:
        if asked.row is not None:
            grows = (before <= after) & (one < next_one)
        else:
            grows |= (before == after) & (one < next_one)
    if grows.all():
        return
    if (after < before).any():
        msg = "rows do not lie in the order of time"
    elif asked.row is not None:
        msg = f"the numbers in '{asked.row}' do not grow with time"
    elif asked.order is not None:
        msg = f"rows have the same time, and '{asked.order}' does not grow among them"
    else:
        msg = "rows have the same time; row= or order= could tell them apart"
    raise ThroughSpark(msg)


def _numbered(found: Sequence[_File], *, brings_numbers: bool) -> Iterator[File]:
    """Number rows through all files."""
    first = 0
    for file in found:
        groups = []
        for one in file.groups:
            end = first + one.rows
            groups.append(
                RowGroup(one.number, first, end, one.first[0], one.last[0], one.is_ordered)
            )
            first = end
        yield File(
            file.path, file.seen, tuple(groups), _first_number(file) if brings_numbers else None
        )


def _first_number(file: _File) -> int | None:
    """Return the number of the first row where those of the others follow it one by one.

    They are known to grow where rows are known to lie in order, so that the last one tells it.
    """
    if not all(group.is_ordered for group in file.groups):
        return None
    first, last = file.groups[0].first[-1], file.groups[-1].last[-1]
    is_dense = last - first == sum(group.rows for group in file.groups) - 1
    return first if is_dense else None
