"""From Arrow columns to columns of cells, and from a record batch to a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.columns.arrow_texts import ArrowTexts
from tocsin.engine.columns.batch import Batch, batch_of_cells
from tocsin.engine.columns.column import BoolArray, CellColumn, missing_column
from tocsin.engine.columns.kinds import BOOLEAN, DURATION, FLOAT, INTEGER, STRING, TIMESTAMP
from tocsin.engine.columns.views import type_of_views
from tocsin.engine.columns.vocabulary import Int64Array, Vocabulary
from tocsin.errors import EventError

_Read: TypeAlias = Callable[[str, Any], CellColumn]
_IN_ARROW_FROM: Final = 1_024
"""Dictionaries with fewer texts become strings of Python right away, those of others stay there."""
_US_OF_UNIT: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}


def batch_of_arrow(
    table: pa.RecordBatch,
    vocabulary: Vocabulary,
    *,
    stream: str,
    begin_us: Int64Array,
    end_us: Int64Array | None = None,
) -> Batch:
    """Return an Arrow record batch as a batch; `begin_us` and `end_us` are the events' times.

    Raises
    ------
    EventError
        A column holds what no event carries, or a cell does not fit. Take the road by rows then,
        which tells the rows apart.

    Examples
    --------
    >>> table = pa.record_batch({"price": [1.5, None]})
    >>> times = np.array([5, 6])
    >>> batch_of_arrow(table, Vocabulary(), stream="ticks", begin_us=times).kind.tolist()
    [[4, 5, 5, 3], [4, 5, 5, 0]]
    """
    names = table.schema.names
    columns = [read_column(name, array) for name, array in zip(names, table.columns, strict=True)]
    places = [vocabulary.attribute(name) for name in names]
    shape = (table.num_rows, vocabulary.width)
    kind, bits = np.zeros(shape, np.uint8), np.zeros(shape, np.int64)
    kind[:, :3] = (STRING, TIMESTAMP, TIMESTAMP)
    bits[:, 0], bits[:, 1] = vocabulary.code(stream), begin_us
    bits[:, 2] = begin_us if end_us is None else end_us
    for place, column in zip(places, columns, strict=True):
        kind[:, place], bits[:, place] = column.kinds(), column.coded(vocabulary).bits
    return batch_of_cells(kind, bits)


def read_column(name: str, array: Any) -> CellColumn:
    """Return the cells of an Arrow array.

    Raises
    ------
    EventError
        It is of a type that no event carries, or a cell does not fit.

    Examples
    --------
    >>> read_column("price", pa.array([3, None])).bits.tolist()
    [3, 0]
    """
    kind = array.type
    plain = type_of_views(kind)
    if plain is not None:
        return read_column(name, array.cast(plain))
    if pa.types.is_run_end_encoded(kind):
        return read_column(name, pc.call_function("run_end_decode", [array]))
    if pa.types.is_null(kind):
        return missing_column(len(array))
    if pa.types.is_dictionary(kind) or _is_text(kind):
        return _texts(name, array)
    for holds, read in _READERS:
        if holds(kind):
            return read(name, array)
    msg = f"attribute {name!r}: its type is {kind}, which no event carries"
    raise EventError(msg)


def _is_text(kind: Any) -> bool:
    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind)


def _texts(name: str, array: Any) -> CellColumn:
    """Keep each distinct string once."""
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    if not _is_text(coded.dictionary.type):
        return read_column(name, coded.dictionary_decode())
    texts = _distinct(name, coded.dictionary)
    if not texts:
        return missing_column(len(array))
    index, present = _whole(coded.indices), _present(coded.indices)
    if coded.dictionary.null_count:
        present &= np.array([text is not None for text in texts])[index]
        texts = ["" if text is None else text for text in texts]
        index = np.where(present, index, 0)
    return CellColumn(STRING, present, index, texts)


def _distinct(name: str, dictionary: Any) -> Sequence[Any]:
    """Return the texts of a dictionary, which may be null."""
    try:
        if len(dictionary) < _IN_ARROW_FROM or dictionary.null_count:
            found: list[Any] = dictionary.to_pylist()
            return found
        dictionary.validate(full=True)
    except (UnicodeDecodeError, pa.ArrowInvalid) as error:
        msg = f"attribute {name!r}: a cell is not UTF-8"
        raise EventError(msg) from error
    return ArrowTexts(name, dictionary)


def _present(array: Any) -> BoolArray:
    if array.null_count == 0:
        return np.ones(len(array), np.bool_)
    return array.is_valid().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _whole(array: Any) -> Int64Array:
    filled = array.fill_null(0) if array.null_count else array
    found: Int64Array = filled.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return found


def _booleans(_name: str, array: Any) -> CellColumn:
    return CellColumn(BOOLEAN, _present(array), _whole(array.cast(pa.uint8())))


def _integers(name: str, array: Any) -> CellColumn:
    try:
        whole = _whole(array.cast(pa.int64()))
    except pa.ArrowInvalid as error:
        msg = f"attribute {name!r}: an integer is outside 64 bits"
        raise EventError(msg) from error
    return CellColumn(INTEGER, _present(array), whole)


def _floats(_name: str, array: Any) -> CellColumn:
    filled = array.cast(pa.float64())
    numbers = (filled.fill_null(np.nan) if array.null_count else filled).to_numpy()
    present = ~np.isnan(numbers)
    there = numbers if present.all() else np.where(present, numbers, 0.0)
    return CellColumn(FLOAT, present, there.view(np.int64))


def _timestamps(name: str, array: Any) -> CellColumn:
    return _moments(name, array, array.type.unit, TIMESTAMP)


def _durations(name: str, array: Any) -> CellColumn:
    return _moments(name, array, array.type.unit, DURATION)


def _days(name: str, array: Any) -> CellColumn:
    try:
        return _moments(name, array.cast(pa.timestamp("ms")), "ms", TIMESTAMP)
    except pa.ArrowInvalid as error:
        msg = f"attribute {name!r}: a date is outside 64 bits of microseconds"
        raise EventError(msg) from error


def _moments(name: str, array: Any, unit: str, kind: int) -> CellColumn:
    present, counts = _present(array), _whole(array.cast(pa.int64()))
    if unit == "ns":
        if (counts % 1_000).any():
            msg = f"attribute {name!r}: a time is finer than a microsecond"
            raise EventError(msg)
        return CellColumn(kind, present, counts // 1_000)
    factor = _US_OF_UNIT[unit]
    if len(counts) and max(abs(int(counts.min())), abs(int(counts.max()))) > (2**63 - 1) // factor:
        msg = f"attribute {name!r}: a time is outside 64 bits of microseconds"
        raise EventError(msg)
    return CellColumn(kind, present, counts if factor == 1 else counts * factor)


_READERS: Final[tuple[tuple[Callable[[Any], bool], _Read], ...]] = (
    (pa.types.is_boolean, _booleans),
    (pa.types.is_integer, _integers),
    (pa.types.is_floating, _floats),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_date, _days),
    (pa.types.is_duration, _durations),
)
