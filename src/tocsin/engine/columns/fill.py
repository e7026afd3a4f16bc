"""Put the accepted rows of a table into a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.columns.column import UInt8Array
from tocsin.engine.columns.judged import Judged, Rows
from tocsin.engine.columns.kinds import MISSING, STRING, TIMESTAMP
from tocsin.engine.columns.lateness import Course
from tocsin.engine.columns.vocabulary import Int64Array, Vocabulary
from tocsin.model.event import Schema
from tocsin.model.values import Kind

_AT_ONCE: Final = 1 << 19
"""So many cells are put at a time: they stay in the processor's cache meanwhile."""


def fill_batch(judged: Judged, course: Course, rows: Int64Array, vocabulary: Vocabulary) -> Batch:
    """Return the accepted rows as a batch; new names and strings join the vocabulary."""
    for name in judged.names:
        vocabulary.attribute(name)
    shape = (len(rows), vocabulary.width)
    stream, (begin, end) = _streams(judged, rows, vocabulary), _times(judged, course, rows)
    cells = [_Cells(0, STRING, stream), _Cells(1, TIMESTAMP, begin), _Cells(2, TIMESTAMP, end)]
    parts = [(of_schema, schema) for schema, of_schema in judged.groups]
    if isinstance(parts[0][0], slice):  # all rows have one schema
        source, _ = _places(rows, parts[0][0], course)
        cells += _cells(judged, parts.pop()[1], source, vocabulary)
    kind, bits = _batch_of(cells, shape)
    for of_schema, schema in parts:
        source, target = _places(rows, of_schema, course)
        _put(list(_cells(judged, schema, source, vocabulary)), target, (kind, bits))
    return Batch(kind, bits, begin, end, stream.astype(np.int32))


class _Cells(NamedTuple):
    """What goes into a column of a batch: one kind for all, or one each; None: it is there."""

    place: int
    kind: int | UInt8Array | None
    bits: Int64Array


def _batch_of(cells: Sequence[_Cells], shape: tuple[int, int]) -> tuple[UInt8Array, Int64Array]:
    """Return rows with some cells, the others missing."""
    missing = {*range(shape[1])} - {one.place for one in cells}
    if len(missing) <= len(cells):
        # A few gaps cost less with the cells beside them than an array of zeros; many do not.
        nothing = np.broadcast_to(np.int64(0), shape[0])
        cells = [*cells, *(_Cells(place, MISSING, nothing) for place in missing)]
    all_are_put = len(cells) == shape[1]
    bits: Int64Array = (np.empty if all_are_put else np.zeros)(shape, np.int64)
    even = {one.place: one.kind for one in cells if isinstance(one.kind, int)}
    row = bytes(even.get(place, MISSING) for place in range(shape[1]))
    kind: UInt8Array = np.frombuffer(bytearray(row * shape[0]), np.uint8).reshape(shape)
    rest = [one._replace(kind=None) if one.place in even else one for one in cells]
    _put(rest, slice(None), (kind, bits))
    return kind, bits


def _put(cells: Sequence[_Cells], target: Rows, batch: tuple[UInt8Array, Int64Array]) -> None:
    """Put cells into rows, some rows at a time."""
    size = len(batch[0]) if isinstance(target, slice) else len(target)
    rows_at_once = _AT_ONCE // batch[0].shape[1] + 1
    for begin in range(0, size, rows_at_once):
        block = slice(begin, min(begin + rows_at_once, size))
        rows = block if isinstance(target, slice) else target[block]
        for place, kind, bits in cells:
            if kind is not None:
                batch[0][rows, place] = kind if isinstance(kind, int) else kind[block]
            batch[1][rows, place] = bits[block]


def _streams(judged: Judged, rows: Int64Array, vocabulary: Vocabulary) -> Int64Array:
    of_row = judged.streams.of_row
    if of_row is None:
        return np.full(len(rows), vocabulary.code(judged.streams.names[0]), np.int64)
    used, places = np.unique(of_row[rows], return_inverse=True)
    return vocabulary.codes(judged.streams.names[i] for i in used.tolist())[places]


def _times(judged: Judged, course: Course, rows: Int64Array) -> tuple[Int64Array, Int64Array]:
    if judged.untimed is None:
        everything = len(rows) == len(course.accepted)
        taken = slice(None) if everything else rows
        return judged.begin_us[taken], judged.end_us[taken]
    untimed, now = judged.untimed[rows], course.last_end[rows]
    begin = np.where(untimed, now, judged.begin_us[rows])
    return begin, np.where(untimed, now, judged.end_us[rows])


def _places(rows: Int64Array, of_schema: Rows, course: Course) -> tuple[Rows, Rows]:
    """Return the rows of a schema in the table and in the batch."""
    if isinstance(of_schema, slice):
        everything = len(rows) == len(course.accepted)
        return (of_schema if everything else rows), of_schema
    taken = of_schema[course.accepted[of_schema]]
    return taken, np.searchsorted(rows, taken)


def _cells(
    judged: Judged, schema: Schema, source: Rows, vocabulary: Vocabulary
) -> Iterator[_Cells]:
    """Yield the cells of some rows; a column that has none is left out."""
    for name in judged.names:
        column, _ = judged.columns.of(name, schema.kinds.get(name, Kind.UNKNOWN))
        if column.is_full or column.present.any():
            is_even = column.is_full and column.whole is None
            kind = column.kind if is_even else column.kinds()[source]
            yield _Cells(vocabulary.attribute(name), kind, column.coded(vocabulary).bits[source])
