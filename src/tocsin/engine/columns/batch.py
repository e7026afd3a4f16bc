"""A columnar batch of events: what kernels read."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import (
    BOOLEAN,
    DURATION,
    FLOAT,
    INTEGER,
    MISSING,
    STRING,
    TIMESTAMP,
)
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array, Vocabulary
from tocsin.model.event import Event
from tocsin.model.values import Duration, Timestamp, Value

UInt8Array = npt.NDArray[np.uint8]

_KIND_OF_TYPE: Final[dict[type, int]] = {
    bool: BOOLEAN,
    int: INTEGER,
    Timestamp: TIMESTAMP,
    Duration: DURATION,
}
_OWN_KINDS: Final = bytes((STRING, TIMESTAMP, TIMESTAMP))
_INTEGER: Final = struct.Struct("<q")
_FLOAT: Final = struct.Struct("<d")


@dataclass(frozen=True, slots=True)
class Batch:
    """Events as arrays, one row each.

    Attributes
    ----------
    kind, bits
        The cells, row by row: see `tocsin.engine.columns.kinds`. Attributes 0, 1 and 2 are the
        stream, the begin and the end of the event.
    begin_us, end_us, stream
        The same three once more as columns; a stream is the code of its name.
    """

    kind: UInt8Array
    bits: Int64Array
    begin_us: Int64Array
    end_us: Int64Array
    stream: Int32Array

    @property
    def size(self) -> int:
        """How many events there are."""
        return len(self.kind)

    def widened(self, width: int) -> Batch:
        """Return a batch with at least so many attributes; the further ones are missing."""
        more = width - self.kind.shape[1]
        if more <= 0:
            return self
        kind = np.pad(self.kind, ((0, 0), (0, more)))
        return replace(self, kind=kind, bits=np.pad(self.bits, ((0, 0), (0, more))))


def cell_of(value: Value, vocabulary: Vocabulary) -> tuple[int, int]:
    """Return the kind and the bits of a value; null and NaN are missing.

    Examples
    --------
    >>> cell_of(7, Vocabulary()), cell_of(None, Vocabulary()), cell_of("a", Vocabulary())
    ((2, 7), (0, 0), (4, 0))
    """
    if isinstance(value, str):
        return STRING, vocabulary.code(value)
    if isinstance(value, float):
        missing = math.isnan(value)
        return (MISSING, 0) if missing else (FLOAT, _bits_of_float(value))
    if value is None:
        return MISSING, 0
    return _KIND_OF_TYPE[type(value)], int(value)


def value_of(kind: int, bits: int, vocabulary: Vocabulary) -> Value:
    """Return the value of a cell; the inverse of `cell_of`."""
    match kind:
        case 1:
            return bool(bits)
        case 2:
            return int(bits)
        case 3:
            return float(_FLOAT.unpack(_INTEGER.pack(int(bits)))[0])
        case 4:
            return vocabulary.text(int(bits))
        case 5:
            return Timestamp(bits)
        case 6:
            return Duration(bits)
    return None


def batch_of_events(events: Sequence[Event], vocabulary: Vocabulary) -> Batch:
    """Return events as a batch; new names and strings join the vocabulary.

    Examples
    --------
    >>> event = Event("ticks", 0, Timestamp(5), Timestamp(5), {"price": 1.5})
    >>> batch_of_events([event], Vocabulary()).kind.tolist()
    [[4, 5, 5, 3]]
    """
    for event in events:
        vocabulary.add_attributes(event.values)
    width = vocabulary.width
    cells = _RowCells(len(events) * width)
    for row, event in enumerate(events):
        cells.put(row * width, event, vocabulary)
    shape = (len(events), width)
    kind: UInt8Array = np.ndarray(shape, np.uint8, cells.kind)
    return batch_of_cells(kind, np.ndarray(shape, np.int64, cells.bits))


def _bits_of_float(number: float) -> int:
    return int(_INTEGER.unpack(_FLOAT.pack(number))[0])


class _RowCells:
    """Cells that are put in one by one, which NumPy's arrays are slow at."""

    def __init__(self, size: int) -> None:
        self.kind = bytearray(size)
        self.bits = array("q", bytes(8 * size))

    def put(self, at: int, event: Event, vocabulary: Vocabulary) -> None:
        """Put an event into the row that starts at a place."""
        kind, bits = self.kind, self.bits
        id_of, code_of = vocabulary.id_of_attribute, vocabulary.code_of_string
        kind[at : at + 3] = _OWN_KINDS
        bits[at], bits[at + 1], bits[at + 2] = code_of[event.stream], event.begin, event.end
        for name, value in event.values.items():
            place = at + id_of[name]
            if type(value) is str:
                kind[place], bits[place] = STRING, code_of[value]
            elif type(value) is float:
                if value == value:  # noqa: PLR0124 - NaN is missing
                    kind[place], bits[place] = FLOAT, _bits_of_float(value)
            elif value is not None:
                kind[place], bits[place] = _KIND_OF_TYPE[type(value)], value  # type: ignore[assignment]


def batch_of_cells(kind: UInt8Array, bits: Int64Array) -> Batch:
    """Return the batch of cells whose first three columns are filled in."""
    begin, end = bits[:, 1].copy(), bits[:, 2].copy()
    return Batch(kind, bits, begin, end, bits[:, 0].astype(np.int32))
