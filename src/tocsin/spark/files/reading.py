"""How a worker reads its share of the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tocsin.spark import hashing
from tocsin.spark.files.columns import as_numbers, decoded, open_file
from tocsin.spark.files.last_rows import last_rows
from tocsin.spark.files.ordering import MOST_AT_ONCE, in_order, read_together, whole_groups
from tocsin.spark.files.shares import Before, Keys, Share
from tocsin.spark.files.survey import File, RowGroup, Survey
from tocsin.spark.schema import ROW, STREAM

_Begun: TypeAlias = dict[RowGroup, list[tuple[int, pa.RecordBatch]]]
"""Row groups that were read already: batches, each with the place of its first row."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What all workers read.

    Attributes
    ----------
    columns
        The columns that subscriptions read, and the time.
    row
        The column with the numbers that rows bring; without, they are counted.
    positions
        Columns that are wanted besides, with the places of rows among all.
    time_type
        The type that times are given, None where they stay as they are.
    stream
        The stream that rows are given as theirs, None where they need not name one.
    """

    survey: Survey
    columns: tuple[str, ...]
    row: str | None
    positions: tuple[str, ...] = ()
    time_type: Any = None
    stream: str | None = None

    def batches(self, share: Share) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a share in their order.

        Raises
        ------
        ConfigurationError
            A file was changed since it was surveyed.
        """
        begun: _Begun = {}
        if share.before is not None:
            begun = self._begun(share)
            yield from self._last_rows(share, share.before, begun)
        for file in self.survey.files:
            groups = [g for g in file.groups if g.first < share.end and share.first < g.end]
            if groups:
                yield from self._of_file(file, groups, share, begun)

    def _begun(self, share: Share) -> _Begun:
        """Read the row group in which a share begins, as rows before it are needed, too.

        One that is not read as a whole is read twice.
        """
        for file, group in self.survey.groups():
            is_cut = group.first < share.first < group.end
            if is_cut and group.end - group.first <= MOST_AT_ONCE:
                with self._open(file) as opened:
                    return {group: list(self._read(opened, file, [group]))}
        return {}

    def _last_rows(self, share: Share, before: Before, begun: _Begun) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the keys of a share that are needed from before it, as one batch."""
        keys = {group: _column(batches, before.column) for group, batches in begun.items()}
        found: list[pa.RecordBatch] = []
        for one in last_rows(self.survey, share, before, keys):
            with self._open(one.file) as opened:
                for group, rows in one.of_groups:
                    for at, batch in begun.get(group) or self._read(opened, one.file, [group]):
                        own = rows[slice(*np.searchsorted(rows, (at, at + batch.num_rows)))]
                        taken = batch.take(own - at)
                        found.append(_decoded(self._placed(taken, own, one.file)))
        if found:
            yield _merged(found)

    def _of_file(
        self, file: File, groups: list[RowGroup], share: Share, begun: _Begun
    ) -> Iterator[pa.RecordBatch]:
        with self._open(file) as opened:
            rest = [group for group in groups if group not in begun]
            for at, batch in chain(_taken(begun, groups[0]), self._read(opened, file, rest)):
                begin, end = max(share.first - at, 0), min(share.end - at, batch.num_rows)
                if begin < end:
                    taken, rows = batch.slice(begin, end - begin), np.arange(at + begin, at + end)
                    yield self._placed(taken, rows, file, share.keys)

    def _open(self, file: File) -> pq.ParquetFile:
        file.check_unchanged()
        return open_file(file.path, texts=self._names(file))

    def _names(self, file: File) -> list[str]:
        brought = [self.row] if self.row is not None and file.first_number is None else []
        return list(dict.fromkeys([*self.columns, *brought]))

    def _read(
        self, opened: Any, file: File, groups: Sequence[RowGroup]
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield rows of groups that follow one another in batches, each with its first place."""
        for some in read_together(groups):
            at = some[0].first
            for batch in self._together(opened, file, some):
                yield at, batch
                at += batch.num_rows

    def _together(
        self, opened: Any, file: File, groups: Sequence[RowGroup]
    ) -> Iterator[pa.RecordBatch]:
        numbers = [one.number for one in groups]
        found: Iterator[pa.RecordBatch] = opened.iter_batches(
            MOST_AT_ONCE, numbers, self._names(file), use_threads=False
        )
        if self.row is None or all(one.is_ordered for one in groups):
            return found
        whole = whole_groups(found, groups)
        return (in_order(one, time=self.survey.time, row=self.row) for one in whole)

    def _placed(
        self, batch: Any, rows: npt.NDArray[np.int64], file: File, keys: Keys | None = None
    ) -> pa.RecordBatch:
        """Return rows with their numbers and places, and of them those of the keys."""
        places = pa.array(rows)
        column: dict[str, Any] = {name: batch.column(name) for name in self.columns}
        column[ROW] = self._numbers(batch, places, file)
        column |= dict.fromkeys(self.positions, places)
        if self.time_type is not None:
            column[self.survey.time] = column[self.survey.time].cast(self.time_type)
        if self.stream is not None:
            codes: Any = pa.array(np.zeros(batch.num_rows, np.int32))
            column[STREAM] = pa.DictionaryArray.from_arrays(codes, pa.array([self.stream]))
        return pa.record_batch(column if keys is None else _of_keys(column, keys))

    def _numbers(self, batch: pa.RecordBatch, places: Any, file: File) -> Any:
        """Return the numbers of rows: those that they bring, or their places."""
        if self.row is None:
            return places
        if file.first_number is None:
            return batch.column(self.row).cast(pa.int64())
        return pc.add(places, file.first_number - file.groups[0].first)


def _taken(begun: _Begun, group: RowGroup) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield what was read of a row group, and let go of it."""
    batches = begun.pop(group, [])
    while batches:
        yield batches.pop(0)


def _column(batches: Sequence[tuple[int, Any]], name: str) -> Any:
    return pa.chunked_array([batch.column(name) for _, batch in batches]).combine_chunks()


def _decoded(batch: Any) -> pa.RecordBatch:
    """Return rows with texts instead of codes, so that they keep no texts of others."""
    return pa.record_batch([decoded(one) for one in batch.columns], names=batch.schema.names)


def _merged(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Return the rows of several batches as one; texts are coded, as where rows are read."""
    table: Any = pa.Table.from_batches(batches)
    columns = [one.combine_chunks() for one in table.columns]
    coded = [
        one.dictionary_encode()
        if pa.types.is_string(one.type) or pa.types.is_large_string(one.type)
        else one
        for one in columns
    ]
    return pa.record_batch(coded, names=table.column_names)


def _of_keys(column: dict[str, Any], keys: Keys) -> dict[str, Any]:
    """Return the rows of some keys; rows without a key are those of the first part."""
    held = column[keys.column]
    if not pa.types.is_dictionary(held.type):
        return _filtered(column, _is_own(held, keys))
    codes = held.indices.fill_null(0) if held.null_count else held.indices
    of_code = _is_own(held.dictionary, keys)
    taken = of_code[codes.to_numpy()] if len(of_code) else np.zeros(len(held), np.bool_)
    if held.null_count:
        taken = np.where(held.is_null().to_numpy(zero_copy_only=False), keys.number == 0, taken)
    found = _filtered(column, taken)
    found[keys.column] = _without_others(found[keys.column], of_code)
    return found


def _is_own(values: Any, keys: Keys) -> npt.NDArray[np.bool_]:
    """Return which values are among the keys; equal ones are together, 0.0 and -0.0 too."""
    if pa.types.is_date(values.type):
        values = values.cast(pa.int32())
    if pa.types.is_floating(values.type):
        numbers = as_numbers(values)
        is_missing = np.isnan(numbers)
        hashes = hashing.of_numbers(pa.array(numbers.view(np.int64)))
    else:
        is_missing = values.is_null().to_numpy(zero_copy_only=False)
        is_text = pa.types.is_string(values.type)
        hashes = hashing.of_texts(values) if is_text else hashing.of_numbers(values)
    found: npt.NDArray[np.bool_] = hashes[:, 0] % np.uint64(keys.of) == keys.number
    return np.where(is_missing, keys.number == 0, found)


def _filtered(column: dict[str, Any], taken: npt.NDArray[np.bool_]) -> dict[str, Any]:
    found = pa.record_batch(column).filter(pa.array(taken))  # faster than column by column
    return dict(zip(found.schema.names, found.columns, strict=True))


def _without_others(held: Any, of_code: npt.NDArray[np.bool_]) -> Any:
    """Leave out the texts of other parts' keys, which an engine would learn for nothing."""
    codes = pa.array(np.cumsum(of_code, dtype=np.int32) - np.int32(1)).take(held.indices)
    return pa.DictionaryArray.from_arrays(codes, held.dictionary.filter(pa.array(of_code)))
