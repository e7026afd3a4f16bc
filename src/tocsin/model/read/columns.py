"""The cells of one Arrow column as values of events, and the cells that no event carries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.model.dead_letter import RowRefused
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Timestamp, show_value

# Microseconds in a unit, over what.
_US_OF_UNIT: Final = {"s": (1_000_000, 1), "ms": (1_000, 1), "us": (1, 1), "ns": (1, 1_000)}
_US_OF_DAY: Final = (86_400_000_000, 1)


@dataclass(frozen=True, slots=True)
class Column:
    """A name, its cells, and for some rows why the cell cannot be used."""

    name: str
    values: list[Any]
    faults: dict[int, RowRefused] = field(default_factory=dict)


def decode_column(name: str, array: Any) -> Column:
    """Return the cells of an Arrow array.

    Timestamps and dates become `Timestamp` (those without a zone are UTC), durations `Duration`;
    dictionary and run-end columns are decoded. A time finer than a microsecond, and anything in a
    column of decimals, lists, structs, bytes and the like, is a fault of its row.

    Examples
    --------
    >>> decode_column("x", pa.array(["a", None]).dictionary_encode()).values
    ['a', None]
    """
    kind = array.type
    if pa.types.is_dictionary(kind):
        return decode_column(name, array.dictionary_decode())
    if pa.types.is_run_end_encoded(kind):
        return decode_column(name, pc.call_function("run_end_decode", [array]))
    for holds, decode in _DECODERS:
        if holds(kind):
            return decode(name, array)
    return _refuse_cells(name, array)


def _plain(name: str, array: Any) -> Column:
    return Column(name, array.to_pylist())


def _text(name: str, array: Any) -> Column:
    try:
        return Column(name, array.to_pylist())
    except UnicodeDecodeError:  # Parquet files do not promise UTF-8
        return _text_by_cell(name, array)


def _text_by_cell(name: str, array: Any) -> Column:
    cells = array.cast(pa.large_binary()).to_pylist()
    column = Column(name, [])
    for index, cell in enumerate(cells):
        text = None if cell is None else cell.decode("utf-8", "backslashreplace")
        column.values.append(text)
        if text is not None and text.encode("utf-8") != cell:
            column.faults[index] = _fault(name, f"{show_value(text)} is not UTF-8", "bad_encoding")
    return column


def _timestamps(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int64()), _US_OF_UNIT[array.type.unit], Timestamp)


def _durations(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int64()), _US_OF_UNIT[array.type.unit], Duration)


def _days(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int32()), _US_OF_DAY, Timestamp)


def _day_milliseconds(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int64()), _US_OF_UNIT["ms"], Timestamp)


def _moments(
    name: str, counts: Any, us: tuple[int, int], make: type[Timestamp] | type[Duration]
) -> Column:
    times, over = us
    cells = counts.to_pylist()
    if times == over:
        return Column(name, [None if cell is None else make(cell) for cell in cells])
    column = Column(name, [])
    for index, cell in enumerate(cells):
        whole, rest = (None, 0) if cell is None else divmod(cell * times, over)
        column.values.append(None if whole is None else make(whole))
        if rest:
            column.faults[index] = _fault(name, "the time is finer than a microsecond", "bad_time")
        elif whole is not None and not INTEGER_MIN <= whole <= INTEGER_MAX:
            what = "the time is outside 64 bits of microseconds"
            column.faults[index] = _fault(name, what, "bad_time")
    return column


def _refuse_cells(name: str, array: Any) -> Column:
    kind = array.type
    if pa.types.is_struct(kind) and kind.get_field_index("fuzzy") >= 0:
        fault = _fault(name, "fuzzy values come later, send a plain one", "fuzzy")
    else:
        fault = _fault(name, f"its type is {kind}, which no event carries; {_hint(kind)}")
    present = array.is_valid().to_pylist()
    values = [f"<{kind}>" if there else None for there in present]
    return Column(name, values, {index: fault for index, there in enumerate(present) if there})


def _hint(kind: Any) -> str:
    if pa.types.is_decimal(kind):
        return "cast it to double or string"
    return "flatten it, or leave it out" if pa.types.is_nested(kind) else "cast it to string"


def _fault(name: str, what: str, kind: Any = "bad_type") -> RowRefused:
    return RowRefused(kind, f"attribute {show_value(name)}: {what}")


def _is_plain(kind: Any) -> bool:
    types = pa.types
    is_value = types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)
    return is_value or types.is_null(kind)


def _is_text(kind: Any) -> bool:
    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


_DECODERS: Final[tuple[tuple[Callable[[Any], bool], Callable[[str, Any], Column]], ...]] = (
    (_is_plain, _plain),
    (_is_text, _text),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_date32, _days),
    (pa.types.is_date64, _day_milliseconds),
    (pa.types.is_duration, _durations),
)
