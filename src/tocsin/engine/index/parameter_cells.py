"""A column of parameters as cells, whatever it came in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tocsin.engine.columns import Vocabulary, cell_of
from tocsin.engine.columns.arrow import read_column
from tocsin.engine.columns.kinds import BOOLEAN, DURATION, FLOAT, INTEGER, STRING, TIMESTAMP
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.errors import EventError
from tocsin.language.parameter_table import fit_value
from tocsin.language.tree import Literal
from tocsin.model.values import Duration, Timestamp

Column: TypeAlias = "list[Any] | npt.NDArray[Any] | pa.Array[Any] | pa.ChunkedArray[Any]"
"""Values, or the constants of a tree; nulls and NaN are missing values."""


class Cells(NamedTuple):
    """The kinds and the bits of a column of values."""

    kind: npt.NDArray[np.uint8]
    bits: Int64Array


_WHOLE: Final[dict[type, int]] = {
    bool: BOOLEAN,
    int: INTEGER,
    Timestamp: TIMESTAMP,
    Duration: DURATION,
}
_KNOWN: Final = frozenset({*_WHOLE, float, str, type(None)})


def cells_of(name: str, column: Column, vocabulary: Vocabulary) -> Cells:
    """Return a column as cells; new strings join the vocabulary.

    Examples
    --------
    >>> cells_of("limit", [5, Literal(2.5), None], Vocabulary()).kind.tolist()
    [2, 3, 0]
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.Array):
        try:
            read = read_column(name, column)
        except EventError:  # decimals, for example: their values may still be constants
            column = column.to_pylist()
        else:
            return Cells(read.kinds(), read.coded(vocabulary).bits)
    if isinstance(column, np.ndarray):
        if column.dtype.kind in "bif":
            return _cells_of_numbers(column)
        column = column.tolist() if column.dtype.kind != "M" else list(column.astype("O"))
    return _cells_of_list(column, vocabulary)


def _cells_of_numbers(column: npt.NDArray[Any]) -> Cells:
    kind = {"b": BOOLEAN, "i": INTEGER, "f": FLOAT}[column.dtype.kind]
    kinds = np.full(len(column), kind, np.uint8)
    if kind != FLOAT:
        return Cells(kinds, column.astype(np.int64))
    numbers = column.astype(np.float64)
    missing = np.isnan(numbers)
    kinds[missing], numbers[missing] = 0, 0.0
    return Cells(kinds, numbers.view(np.int64))


def _cells_of_list(column: Sequence[Any], vocabulary: Vocabulary) -> Cells:
    """Go by the one type that most columns have, and value by value where there are several."""
    values: list[Any] = [value.value if type(value) is Literal else value for value in column]
    types = set(map(type, values))
    if not types <= _KNOWN:
        values = [value if type(value) in _KNOWN else fit_value(value).value for value in values]
        types = set(map(type, values))
    only = types.pop() if len(types) == 1 else None
    if only is str:
        return Cells(np.full(len(values), STRING, np.uint8), vocabulary.codes(values))
    if only is float:
        return _cells_of_numbers(np.array(values, np.float64))
    try:
        if only in _WHOLE:
            return Cells(np.full(len(values), _WHOLE[only], np.uint8), np.array(values, np.int64))
        pairs = np.array([cell_of(value, vocabulary) for value in values], np.int64)
    except OverflowError:
        for value in values:
            if type(value) is int:
                fit_value(value)  # says which integer is outside 64 bits
        raise
    pairs = pairs.reshape(-1, 2)
    return Cells(pairs[:, 0].astype(np.uint8), pairs[:, 1].copy())
