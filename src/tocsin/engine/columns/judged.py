"""What a table's rows are, each for itself: their streams, times, and faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from tocsin.engine.columns.column import BoolArray, CellColumn
from tocsin.engine.columns.declared import DeclaredColumns
from tocsin.engine.columns.streams import StreamRows, streams_of
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.model.event import Schema
from tocsin.model.rows import Intake
from tocsin.model.values import Kind

Rows: TypeAlias = Int64Array | slice
"""Some rows of a table, or all of them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The rows of a table before the clock is asked.

    Attributes
    ----------
    names, columns
        The attributes, and their cells as any schema declares them.
    streams, groups
        The streams of the rows, and the rows that share a schema.
    begin_us, end_us
        Their times, where they have any.
    refused
        The rows that are no events.
    untimed
        The others that take the time of the clock; None where there are none.
    has_time
        The rows that can settle the form of times.
    new
        The streams that nobody has declared or settled before.
    """

    names: tuple[str, ...]
    columns: DeclaredColumns
    streams: StreamRows
    groups: tuple[tuple[Schema, Rows], ...]
    begin_us: Int64Array
    end_us: Int64Array
    refused: BoolArray
    untimed: BoolArray | None
    has_time: BoolArray
    new: frozenset[str]

    def schema_of(self, row: int) -> Schema:
        """Return the schema that holds for a row."""
        of_row = self.streams.of_row
        return self.streams.schemas[0 if of_row is None else int(of_row[row])]

    def new_schemas(self, accepted: BoolArray | None = None) -> dict[str, Schema]:
        """Return the schemas of new streams; where rows are given, of those with one among them."""
        of_row, count = self.streams.of_row, len(self.streams.names)
        used = set(range(count))
        if accepted is not None and of_row is not None:
            used = set(np.unique(of_row[accepted]).tolist())
        pairs = zip(self.streams.names, self.streams.schemas, range(count), strict=True)
        return {name: schema for name, schema, i in pairs if i in used and name in self.new}


def judge(table: pa.Table, columns: Mapping[str, CellColumn], intake: Intake) -> Judged | None:
    """Return what the rows of a table are, or None where only each row can tell."""
    streams = streams_of(table, columns, intake)
    if streams is None:
        return None
    declared = DeclaredColumns(columns)
    names = tuple(name for name in columns if not name.startswith("$"))
    groups = tuple(_groups(streams))
    refused = streams.refused.copy()
    refused[: streams.settled_at] = True
    begin_us = _begins(declared, groups, refused)
    end_us, has_end = _ends(declared, begin_us, refused)
    _refuse_values(names, declared, groups, refused)
    untimed = _untimed(groups, refused)
    if untimed is not None and has_end.any():
        return None  # begins then follow the ends before them, one by one
    has_time = _with_time(declared, groups, has_end)
    new = frozenset(name for name in streams.names if intake.schema(name) is None)
    return Judged(
        names, declared, streams, groups, begin_us, end_us, refused, untimed, has_time, new
    )


def _groups(streams: StreamRows) -> list[tuple[Schema, Rows]]:
    """Return the distinct schemas, each with its rows."""
    if streams.of_row is None:
        return [(streams.schemas[0], slice(None))]
    distinct: list[Schema] = []
    for schema in streams.schemas:
        if schema not in distinct:
            distinct.append(schema)
    group = np.array([distinct.index(schema) for schema in streams.schemas], np.int64)
    of_row = group[streams.of_row]
    return [(schema, np.flatnonzero(of_row == i)) for i, schema in enumerate(distinct)]


def _begins(
    columns: DeclaredColumns, groups: tuple[tuple[Schema, Rows], ...], refused: BoolArray
) -> Int64Array:
    begin_us = np.zeros(len(refused), np.int64)
    for schema, rows in groups:
        if schema.time is not None:
            moments = _moments(columns, schema, schema.time)
            begin_us[rows] = moments.bits[rows]
            refused[rows] |= ~moments.present[rows]
    return begin_us


def _moments(columns: DeclaredColumns, schema: Schema, time: str) -> CellColumn:
    kind = schema.kinds.get(time, Kind.UNKNOWN)
    if kind is Kind.TIMESTAMP:
        return columns.of(time, kind)[0]
    return DeclaredColumns({time: columns.of(time, kind)[0]}).of(time, Kind.TIMESTAMP)[0]


def _ends(
    columns: DeclaredColumns, begin_us: Int64Array, refused: BoolArray
) -> tuple[Int64Array, BoolArray]:
    """Return the ends, and which rows have a `$end`."""
    ends, bad = columns.of("$end", Kind.TIMESTAMP)
    has_end = ends.present | bad
    if not has_end.any():
        return begin_us, has_end
    end_us = np.where(ends.present, ends.bits, begin_us)
    refused |= bad | (end_us < begin_us)
    return end_us, has_end


def _refuse_values(
    names: tuple[str, ...],
    columns: DeclaredColumns,
    groups: tuple[tuple[Schema, Rows], ...],
    refused: BoolArray,
) -> None:
    for schema, rows in groups:
        for name in names:
            _, bad = columns.of(name, schema.kinds.get(name, Kind.UNKNOWN))
            refused[rows] |= bad[rows]


def _untimed(groups: tuple[tuple[Schema, Rows], ...], refused: BoolArray) -> BoolArray | None:
    if all(schema.time is not None for schema, _ in groups):
        return None
    untimed = np.zeros(len(refused), np.bool_)
    for schema, rows in groups:
        untimed[rows] = schema.time is None
    return untimed & ~refused


def _with_time(
    columns: DeclaredColumns, groups: tuple[tuple[Schema, Rows], ...], has_end: BoolArray
) -> BoolArray:
    has_time = has_end.copy()
    for schema, rows in groups:
        if schema.time is not None:
            has_time[rows] = True
        for name, kind in schema.kinds.items():
            if kind is Kind.TIMESTAMP:
                has_time[rows] |= columns.of(name, kind)[0].present[rows]
    return has_time
