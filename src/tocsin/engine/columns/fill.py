"""Put the accepted rows of a table into a batch."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.columns.column import UInt8Array
from tocsin.engine.columns.judged import Judged, Rows
from tocsin.engine.columns.kinds import STRING, TIMESTAMP
from tocsin.engine.columns.lateness import Course
from tocsin.engine.columns.vocabulary import Int64Array, Vocabulary
from tocsin.model.event import Schema
from tocsin.model.values import Kind


def fill_batch(judged: Judged, course: Course, rows: Int64Array, vocabulary: Vocabulary) -> Batch:
    """Return the accepted rows as a batch; new names and strings join the vocabulary."""
    for name in judged.names:
        vocabulary.attribute(name)
    shape = (len(rows), vocabulary.width)
    kind, bits = np.zeros(shape, np.uint8), np.zeros(shape, np.int64)
    kind[:, :3] = (STRING, TIMESTAMP, TIMESTAMP)
    stream, (begin, end) = _streams(judged, rows, vocabulary), _times(judged, course, rows)
    bits[:, 0], bits[:, 1], bits[:, 2] = stream, begin, end
    for schema, of_schema in judged.groups:
        _fill(judged, schema, _places(rows, of_schema, course), vocabulary, (kind, bits))
    return Batch(kind, bits, begin, end, stream.astype(np.int32))


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


def _fill(
    judged: Judged,
    schema: Schema,
    places: tuple[Rows, Rows],
    vocabulary: Vocabulary,
    cells: tuple[UInt8Array, Int64Array],
) -> None:
    source, target = places
    kind, bits = cells
    for name in judged.names:
        column, _ = judged.columns.of(name, schema.kinds.get(name, Kind.UNKNOWN))
        if column.is_full or column.present.any():
            place = vocabulary.attribute(name)
            is_even = column.is_full and column.whole is None
            kind[target, place] = column.kind if is_even else column.kinds()[source]
            bits[target, place] = column.coded(vocabulary).bits[source]
