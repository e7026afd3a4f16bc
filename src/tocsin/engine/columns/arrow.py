"""From an Arrow record batch to a columnar batch, column by column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.columns.batch import Batch, UInt8Array, batch_of_cells
from tocsin.engine.columns.kinds import (
    BOOLEAN,
    DURATION,
    FLOAT,
    INTEGER,
    MISSING,
    STRING,
    TIMESTAMP,
)
from tocsin.engine.columns.vocabulary import Int64Array, Vocabulary
from tocsin.errors import EventError

_Decode: TypeAlias = Callable[[str, Any], tuple[UInt8Array, Int64Array]]
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
    columns = [vocabulary.attribute(name) for name in table.schema.names]
    shape = (table.num_rows, vocabulary.width)
    kind, bits = np.zeros(shape, np.uint8), np.zeros(shape, np.int64)
    kind[:, :3] = (STRING, TIMESTAMP, TIMESTAMP)
    bits[:, 0], bits[:, 1] = vocabulary.code(stream), begin_us
    bits[:, 2] = begin_us if end_us is None else end_us
    for column, name, array in zip(columns, table.schema.names, table.columns, strict=True):
        kind[:, column], bits[:, column] = _cells(name, array, vocabulary)
    return batch_of_cells(kind, bits)


def _cells(name: str, array: Any, vocabulary: Vocabulary) -> tuple[UInt8Array, Int64Array]:
    kind = array.type
    if pa.types.is_run_end_encoded(kind):
        return _cells(name, pc.call_function("run_end_decode", [array]), vocabulary)
    if pa.types.is_null(kind):
        return np.zeros(len(array), np.uint8), np.zeros(len(array), np.int64)
    if pa.types.is_dictionary(kind) or _is_text(kind):
        return _texts(name, array, vocabulary)
    for holds, decode in _DECODERS:
        if holds(kind):
            return decode(name, array)
    msg = f"attribute {name!r}: its type is {kind}, which no event carries"
    raise EventError(msg)


def _is_text(kind: Any) -> bool:
    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _texts(name: str, array: Any, vocabulary: Vocabulary) -> tuple[UInt8Array, Int64Array]:
    """Code each distinct string once."""
    if pa.types.is_string_view(array.type):
        array = array.cast(pa.large_string())
    coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    if not _is_text(coded.dictionary.type):
        return _cells(name, array.dictionary_decode(), vocabulary)
    try:
        texts = coded.dictionary.to_pylist()
    except UnicodeDecodeError as error:
        msg = f"attribute {name!r}: a cell is not UTF-8"
        raise EventError(msg) from error
    known = np.array([0 if text is None else vocabulary.code(text) for text in texts] or [0])
    there = np.array([text is not None for text in texts] or [False])
    index = coded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    present = _present(coded.indices) & there[index]
    return np.where(present, STRING, MISSING).astype(np.uint8), np.where(present, known[index], 0)


def _present(array: Any) -> Any:
    return array.is_valid().to_numpy(zero_copy_only=False)


def _whole(array: Any, kind: int) -> tuple[UInt8Array, Int64Array]:
    bits = array.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return np.where(_present(array), kind, MISSING).astype(np.uint8), bits


def _booleans(_name: str, array: Any) -> tuple[UInt8Array, Int64Array]:
    return _whole(array.cast(pa.uint8()), BOOLEAN)


def _integers(name: str, array: Any) -> tuple[UInt8Array, Int64Array]:
    try:
        return _whole(array.cast(pa.int64()), INTEGER)
    except pa.ArrowInvalid as error:
        msg = f"attribute {name!r}: an integer is outside 64 bits"
        raise EventError(msg) from error


def _floats(_name: str, array: Any) -> tuple[UInt8Array, Int64Array]:
    numbers = array.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    missing = np.isnan(numbers)
    bits = np.where(missing, 0.0, numbers).view(np.int64)
    return np.where(missing, MISSING, FLOAT).astype(np.uint8), bits


def _timestamps(name: str, array: Any) -> tuple[UInt8Array, Int64Array]:
    return _moments(name, array, array.type.unit, TIMESTAMP)


def _durations(name: str, array: Any) -> tuple[UInt8Array, Int64Array]:
    return _moments(name, array, array.type.unit, DURATION)


def _days(name: str, array: Any) -> tuple[UInt8Array, Int64Array]:
    return _moments(name, array.cast(pa.timestamp("s")), "s", TIMESTAMP)


def _moments(name: str, array: Any, unit: str, kind: int) -> tuple[UInt8Array, Int64Array]:
    cells, counts = _whole(array.cast(pa.int64()), kind)
    if unit == "ns":
        if (counts % 1_000).any():
            msg = f"attribute {name!r}: a time is finer than a microsecond"
            raise EventError(msg)
        return cells, counts // 1_000
    factor = _US_OF_UNIT[unit]
    if len(counts) and max(abs(int(counts.min())), abs(int(counts.max()))) > (2**63 - 1) // factor:
        msg = f"attribute {name!r}: a time is outside 64 bits of microseconds"
        raise EventError(msg)
    return cells, counts * factor


_DECODERS: Final[tuple[tuple[Callable[[Any], bool], _Decode], ...]] = (
    (pa.types.is_boolean, _booleans),
    (pa.types.is_integer, _integers),
    (pa.types.is_floating, _floats),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_date, _days),
    (pa.types.is_duration, _durations),
)
