"""Read all columns of a table at once, where none of them needs its rows to be told apart."""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa

from tocsin.engine.columns.arrow import read_column
from tocsin.engine.columns.column import CellColumn, missing_column
from tocsin.engine.columns.decimals import read_decimals
from tocsin.errors import EventError
from tocsin.model.row_values import TIME_NAMES
from tocsin.model.rows import Intake

_CONTROLS: Final = ("$stream", "$end")


def read_table(table: pa.Table, intake: Intake) -> dict[str, CellColumn] | None:
    """Return the columns of a table by name, or None where it must go row by row.

    That is so with commands, with no column or two of one name, and with cells that no event
    carries.

    Examples
    --------
    >>> table = pa.table({"price": [1, 2]})
    >>> read_table(table, Intake({}, default_stream="ticks"))["price"].bits.tolist()
    [1, 2]
    """
    names = table.schema.names
    if not names or len(set(names)) < len(names) or not all(map(_is_plain_name, names)):
        return None
    try:
        return {name: _column(name, table.column(name), intake) for name in names}
    except (EventError, pa.ArrowException):
        return None


def _is_plain_name(name: str) -> bool:
    return not name.startswith("$") or name in _CONTROLS


def _column(name: str, chunks: Any, intake: Intake) -> CellColumn:
    if _is_left_out(name, chunks.type, intake):
        return missing_column(len(chunks))
    if pa.types.is_decimal(chunks.type) and not _is_control(name, intake):
        return read_decimals(name, chunks.combine_chunks())
    return read_column(name, chunks.combine_chunks())


def _is_left_out(name: str, kind: Any, intake: Intake) -> bool:
    """Say whether a column holds nested values that events do without."""
    if not pa.types.is_nested(kind):
        return False
    if pa.types.is_struct(kind) and kind.get_field_index("fuzzy") >= 0:
        return False
    return not _is_control(name, intake) and not intake.declares(name)


def _is_control(name: str, intake: Intake) -> bool:
    """Say whether a column may tell the stream or the time of a row."""
    return name.startswith("$") or name in TIME_NAMES or name == intake.time
