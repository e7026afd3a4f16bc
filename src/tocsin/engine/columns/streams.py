"""Which stream each row of a table belongs to, and what schema holds for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa

from tocsin.engine.columns.column import BoolArray, CellColumn
from tocsin.engine.columns.kinds import MISSING, STRING
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.model.event import Event, Schema
from tocsin.model.read.arrow import rows_of_batches
from tocsin.model.row_values import TIME_NAMES
from tocsin.model.rows import Intake
from tocsin.model.values import Kind

_HEAD_ROWS: Final = 64  # among so many rows the first event of a stream is looked for


@dataclass(frozen=True, slots=True)
class StreamRows:
    """The streams of a table.

    Attributes
    ----------
    names
        The streams that there are rows of; one may stand there twice.
    schemas
        For each of them.
    of_row
        The place of each row's stream in `names`; None where there is but one.
    refused
        The rows whose `$stream` names none.
    settled_at
        The row that settled the schema of an undeclared stream; those before it are no events.
    """

    names: tuple[str, ...]
    schemas: tuple[Schema, ...]
    of_row: Int64Array | None
    refused: BoolArray
    settled_at: int = 0


def streams_of(
    table: pa.Table, columns: Mapping[str, CellColumn], intake: Intake
) -> StreamRows | None:
    """Return the streams of a table's rows, or None where only the rows themselves can tell."""
    named = columns.get("$stream")
    if named is not None and named.kind not in (STRING, MISSING):
        return None
    found = _named(named, intake.default_stream, table.num_rows)
    guess = _guess(columns, intake)
    known = [intake.schema(name) for name in found.names]
    if guess is not None or None not in known:
        return replace(found, schemas=tuple(one or guess or Schema({}) for one in known))
    return _settled_by_head(table, intake, found) if len(known) == 1 else None


def _named(named: CellColumn | None, default: str, size: int) -> StreamRows:
    if named is None or named.kind == MISSING:
        return StreamRows((default,), (), None, np.zeros(size, np.bool_))
    used, of_row = np.unique(np.where(named.present, named.bits, -1), return_inverse=True)
    names = [default if place < 0 else named.texts[place] for place in used.tolist()]
    blank = np.array([not name.strip() for name in names], np.bool_)
    return StreamRows(tuple(names), (), of_row, blank[of_row])


def _guess(columns: Mapping[str, CellColumn], intake: Intake) -> Schema | None:
    """Return the schema that every row suggests for a new stream; None where they disagree."""
    if intake.time is not None:
        return Schema({intake.time: Kind.TIMESTAMP}, intake.time)
    for name in TIME_NAMES:
        column = columns.get(name)
        if column is not None and column.present.any():
            whole = bool(column.present.all())
            return Schema({name: Kind.TIMESTAMP}, name) if whole else None
    return Schema({})


def _settled_by_head(table: pa.Table, intake: Intake, found: StreamRows) -> StreamRows | None:
    """Let the first rows settle the schema of the one stream there is."""
    trial = intake.copy()
    for row, raw in rows_of_batches(table.slice(0, _HEAD_ROWS).to_batches()):
        if isinstance(trial.accept(row, raw), Event):
            schema = trial.schema(found.names[0])
            assert schema is not None
            return replace(found, schemas=(schema,), settled_at=row)
    return None
