"""Columns of cells as a schema declares them: what `normalise` does to values, by column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.columns.column import BoolArray, CellColumn, missing_column
from tocsin.engine.columns.kinds import (
    BOOLEAN,
    DURATION,
    FLOAT,
    INTEGER,
    STRING,
    TIMESTAMP,
)
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.errors import TimeError
from tocsin.model.durations import US_PER_MS
from tocsin.model.times import parse_time
from tocsin.model.values import INTEGER_MAX, Kind

_Converted: TypeAlias = tuple[Int64Array, BoolArray]

_CELL_OF_KIND: Final[dict[Kind, int]] = {
    Kind.BOOLEAN: BOOLEAN,
    Kind.INTEGER: INTEGER,
    Kind.FLOAT: FLOAT,
    Kind.STRING: STRING,
    Kind.TIMESTAMP: TIMESTAMP,
    Kind.DURATION: DURATION,
}
_MOST_MS: Final = INTEGER_MAX // US_PER_MS
_TWO_63: Final = 2.0**63
# What Arrow and Python read alike; all else is read by Python.
_PLAIN_ISO: Final = r"^(?:[1-9]\d{3}|\d{3}[1-9])-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$"


def declared_column(column: CellColumn, kind: Kind) -> tuple[CellColumn, BoolArray]:
    """Return a column as cells of the declared kind, and the cells that are refused.

    A refused cell is missing in the column that is returned; its row is no event.

    Examples
    --------
    >>> cells = CellColumn(INTEGER, np.array([True, True]), np.array([5, 2**60]))
    >>> moments, refused = declared_column(cells, Kind.TIMESTAMP)
    >>> moments.bits.tolist(), refused.tolist()
    ([5000, 0], [False, True])
    """
    if column.whole is not None or column.broken is not None:
        return _declared_apart(column, kind)
    wanted = _CELL_OF_KIND.get(kind, column.kind)
    if column.kind == wanted or not column.present.any():
        return column, np.zeros(column.size, np.bool_)
    convert = _CONVERSIONS.get((column.kind, wanted), _refuse_all)
    bits, fits = convert(column)
    present = column.present & fits
    return CellColumn(wanted, present, np.where(present, bits, 0)), column.present & ~fits


def _declared_apart(column: CellColumn, kind: Kind) -> tuple[CellColumn, BoolArray]:
    """Let the integers and the floats of a column become what they become each for itself."""
    nowhere = np.zeros(column.size, np.bool_)
    whole = nowhere if column.whole is None else column.whole
    broken = nowhere if column.broken is None else column.broken
    if kind not in _CELL_OF_KIND:
        return column, broken
    found, refused = nowhere, broken
    bits = np.zeros(column.size, np.int64)
    for of, chosen in ((INTEGER, column.present & whole), (column.kind, column.present & ~whole)):
        one, bad = declared_column(CellColumn(of, chosen, np.where(chosen, column.bits, 0)), kind)
        found, refused, bits = found | one.present, refused | bad, bits | one.bits
    return CellColumn(_CELL_OF_KIND[kind], found, bits), refused


def _refuse_all(column: CellColumn) -> _Converted:
    return column.bits, np.zeros(column.size, np.bool_)


def _integers_as_floats(column: CellColumn) -> _Converted:
    bits = column.bits.astype(np.float64).view(np.int64)
    return bits, np.ones(column.size, np.bool_)


def _floats_as_integers(column: CellColumn) -> _Converted:
    """Tables make floats of integers, so a whole float is one."""
    numbers = column.bits.view(np.float64)
    fits = (numbers >= -_TWO_63) & (numbers < _TWO_63)
    whole = np.where(fits, numbers, 0.0).astype(np.int64)
    return whole, fits & (np.floor(numbers) == numbers)


def _integers_as_moments(column: CellColumn) -> _Converted:
    fits = (column.bits >= -_MOST_MS) & (column.bits <= _MOST_MS)
    return np.where(fits, column.bits, 0) * US_PER_MS, fits


def _floats_as_moments(column: CellColumn) -> _Converted:
    whole, are_whole = _floats_as_integers(column)
    us, fits = _integers_as_moments(CellColumn(INTEGER, column.present, whole))
    return us, fits & are_whole


def _texts_as_moments(column: CellColumn) -> _Converted:
    us, fits = _moments_of_texts(column.texts)
    return us[column.bits], fits[column.bits]


def _moments_of_texts(texts: Sequence[str]) -> _Converted:
    """Read each text once: all together where they are written alike, else one by one."""
    array = pa.array(texts, pa.large_string())
    if pc.all(pc.match_substring_regex(array, _PLAIN_ISO)).as_py():
        try:
            moments = pc.utf8_rtrim(array, "Z").cast(pa.timestamp("us"))
        except pa.ArrowInvalid:
            return _moments_one_by_one(texts)
        return moments.cast(pa.int64()).to_numpy(), np.ones(len(texts), np.bool_)
    return _moments_one_by_one(texts)


def _moments_one_by_one(texts: Sequence[str]) -> _Converted:
    us, fits = np.zeros(len(texts), np.int64), np.ones(len(texts), np.bool_)
    for place, text in enumerate(texts):
        try:
            us[place] = parse_time(text)
        except TimeError:
            fits[place] = False
    return us, fits


_CONVERSIONS: Final[dict[tuple[int, int], Callable[[CellColumn], _Converted]]] = {
    (INTEGER, FLOAT): _integers_as_floats,
    (FLOAT, INTEGER): _floats_as_integers,
    (INTEGER, TIMESTAMP): _integers_as_moments,
    (FLOAT, TIMESTAMP): _floats_as_moments,
    (STRING, TIMESTAMP): _texts_as_moments,
}


class DeclaredColumns:
    """The columns of a table as any schema declares them, each made once.

    Examples
    --------
    >>> columns = DeclaredColumns({"n": CellColumn(INTEGER, np.array([True]), np.array([5]))})
    >>> columns.of("n", Kind.STRING)[1].tolist(), columns.of("m", Kind.STRING)[0].present.tolist()
    ([True], [False])
    """

    def __init__(self, columns: Mapping[str, CellColumn]) -> None:
        self._columns = columns
        self._size = next((column.size for column in columns.values()), 0)
        self._made: dict[tuple[str, Kind], tuple[CellColumn, BoolArray]] = {}

    def of(self, name: str, kind: Kind) -> tuple[CellColumn, BoolArray]:
        """Return a column as a kind, and its refused cells; all are missing where none is named."""
        found = self._made.get((name, kind))
        if found is None:
            column = self._columns.get(name) or missing_column(self._size)
            found = self._made[name, kind] = declared_column(column, kind)
        return found
