"""The cells of one Arrow column as values of events, and the cells that no event carries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.model.dead_letter import RowRefused
from tocsin.model.show import show_value
from tocsin.model.times import too_fine
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Duration, Timestamp

# Microseconds in a unit, over what.
_US_OF_UNIT: Final = {
    "days": (86_400_000_000, 1),
    "s": (1_000_000, 1),
    "ms": (1_000, 1),
    "us": (1, 1),
    "ns": (1, 1_000),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A name, its cells, and for some rows why the cell cannot be used."""

    name: str
    values: list[Any]
    faults: dict[int, RowRefused] = field(default_factory=dict)


def decode_column(name: str, array: Any) -> Column:
    """Return the cells of an Arrow array.

    Timestamps and dates become `Timestamp` (those without a zone are UTC), durations `Duration`;
    dictionary and run-end columns are decoded. Decimals, lists and structs become what Python has
    for them, for `Intake` to judge. A time finer than a microsecond, and anything in a column of
    bytes and the like, is a fault of its row.

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
    if isinstance(kind, pa.BaseExtensionType) and pa.types.is_nested(kind.storage_type):
        return decode_column(name, array.storage)
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


def _nested(name: str, array: Any) -> Column:
    try:
        return Column(name, array.to_pylist())
    except (ValueError, OverflowError, pa.ArrowException):  # a moment or a text Python cannot hold
        kind, present = array.type, array.is_valid().to_pylist()
        return Column(name, [[f"<{kind}>"] if there else None for there in present])


def _timestamps(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int64()), array.type.unit, Timestamp)


def _durations(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int64()), array.type.unit, Duration)


def _days(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int32()), "days", Timestamp)


def _day_milliseconds(name: str, array: Any) -> Column:
    return _moments(name, array.cast(pa.int64()), "ms", Timestamp)


def _moments(name: str, counts: Any, unit: str, make: type[Timestamp] | type[Duration]) -> Column:
    times, over = _US_OF_UNIT[unit]
    cells = counts.to_pylist()
    if times == over:
        return Column(name, [None if cell is None else make(cell) for cell in cells])
    column = Column(name, [])
    for index, cell in enumerate(cells):
        whole, rest = (None, 0) if cell is None else divmod(cell * times, over)
        column.values.append(None if whole is None else make(whole))
        if rest or (whole is not None and not INTEGER_MIN <= whole <= INTEGER_MAX):
            shown = _exact_text(cell, unit, make)
            what = too_fine(shown) if rest else f"{shown} is outside 64 bits of microseconds"
            column.faults[index] = _fault(name, what, "bad_time")
            column.values[index] = shown  # for people only: the row is a dead letter
    return column


def _exact_text(count: int, unit: str, make: type[Timestamp] | type[Duration]) -> str:
    """Return a time or a duration that `make` cannot hold, with all its digits."""
    if make is Timestamp and unit == "ns":
        whole, rest = divmod(count, 1_000_000_000)
        seconds = Timestamp(whole * 1_000_000).isoformat().removesuffix("Z")
        return f"{seconds}.{rest:09d}Z"
    return f"{count} {unit} since 1970" if make is Timestamp else f"{count} {unit}"


def _refuse_cells(name: str, array: Any) -> Column:
    kind = array.type
    fault = _fault(name, f"its type is {kind}, which no event carries; cast it to string")
    present = array.is_valid().to_pylist()
    values = [f"<{kind}>" if there else None for there in present]
    return Column(name, values, {index: fault for index, there in enumerate(present) if there})


def _fault(name: str, what: str, kind: Any = "bad_type") -> RowRefused:
    return RowRefused(kind, f"attribute {show_value(name)}: {what}")


def _is_plain(kind: Any) -> bool:
    types = pa.types
    is_value = types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)
    return is_value or types.is_null(kind) or types.is_decimal(kind)


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
    (pa.types.is_nested, _nested),
)
