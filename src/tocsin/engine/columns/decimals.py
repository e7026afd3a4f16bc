"""Columns of decimals: integers where a value is whole, floats where one equals it, else nothing.

A decimal is a whole number `u` with `s` digits after the point. It is `u / 5**s / 2**s`, and floats
and integers know powers of two alone: so none equals it unless `5**s` divides `u`.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tocsin.engine.columns.column import BoolArray, CellColumn
from tocsin.engine.columns.kinds import FLOAT
from tocsin.errors import EventError

UInt64Array: TypeAlias = npt.NDArray[np.uint64]

_FIVES: Final = 13
"""So many powers of 5 are less than 2**31: a rest below them and 32 bits go into 63."""
_LOW: Final = np.uint64(2**32 - 1)
_HALF: Final = np.uint64(32)
_LEAST: Final = np.uint64(2**63)
"""The magnitude of the least integer."""
_MOST_EXACT: Final = np.uint64(2**64 - 2**11)
"""The last float below 2**64."""


def read_decimals(name: str, array: Any) -> CellColumn:
    """Return the cells of an Arrow array of decimals.

    Raises
    ------
    EventError
        They are wider than 128 bits, or have zeros that are not written down, or one of them is
        too large. Take the road by rows then.

    Examples
    --------
    >>> from decimal import Decimal
    >>> cells = pa.array([Decimal("2.00"), Decimal("1.50"), Decimal("0.10"), None])
    >>> column = read_decimals("price", cells)
    >>> column.kinds().tolist(), column.bits[:1].tolist(), column.bits[1:2].view(float).tolist()
    ([2, 3, 0, 0], [2], [1.5])
    >>> column.broken.tolist()
    [False, False, True, False]
    """
    scale = array.type.scale
    if scale < 0 or pa.types.is_decimal256(array.type):
        msg = f"attribute {name!r}: its type is {array.type}, which goes value by value"
        raise EventError(msg)
    high, low, is_negative, is_there = _magnitudes(array.cast(pa.decimal128(38, scale)))
    high, low, divides = _over_fives(high, low, scale)
    if (divides & is_there & (high > 0)).any():
        msg = f"attribute {name!r}: a decimal is outside 64 bits"
        raise EventError(msg)
    return _cells(low, scale, is_negative, is_there, divides)


def _cells(
    twos: UInt64Array, scale: int, is_negative: BoolArray, is_there: BoolArray, divides: BoolArray
) -> CellColumn:
    """Return decimals as cells, of which `twos` is how many of `2**-scale` they are."""
    magnitude = twos >> np.uint64(scale)
    whole = (magnitude << np.uint64(scale)) == twos
    whole &= np.where(is_negative, magnitude <= _LEAST, magnitude < _LEAST)
    integers = magnitude.view(np.int64)
    numbers = np.ldexp(twos.astype(np.float64), -scale)
    rounded = np.minimum(twos.astype(np.float64), float(_MOST_EXACT)).astype(np.uint64)
    present = is_there & divides & (whole | (rounded == twos))
    bits = np.where(
        whole,
        np.where(is_negative, -integers, integers),
        np.where(is_negative, -numbers, numbers).view(np.int64),
    )
    return CellColumn(
        FLOAT, present, np.where(present, bits, 0), whole=whole, broken=is_there & ~present
    )


def _magnitudes(array: Any) -> tuple[UInt64Array, UInt64Array, BoolArray, BoolArray]:
    """Return numbers of 128 bits without their signs, in halves; the signs, and which are there."""
    is_there = np.asarray(array.is_valid().to_numpy(zero_copy_only=False))
    halves = np.frombuffer(array.buffers()[1] or b"", "<u8")
    halves = halves[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)
    low, high = (np.where(is_there, half, np.uint64(0)) for half in halves.T)
    is_negative = high >= _LEAST
    turned = ~low + np.uint64(1)
    high = np.where(is_negative, ~high + (turned == 0), high)
    return high, np.where(is_negative, turned, low), is_negative, is_there


def _over_fives(
    high: UInt64Array, low: UInt64Array, times: int
) -> tuple[UInt64Array, UInt64Array, BoolArray]:
    """Return numbers over `5**times`, in halves, and which of them leave no rest."""
    divides = np.ones(len(low), np.bool_)
    for done in range(0, times, _FIVES):
        by = np.uint64(5 ** min(times - done, _FIVES))
        rest = np.zeros(len(low), np.uint64)
        digits = []
        for digit in (high >> _HALF, high & _LOW, low >> _HALF, low & _LOW):
            rest = (rest << _HALF) | digit
            digits.append(rest // by)
            rest = rest % by
        high, low = (digits[i] << _HALF | digits[i + 1] for i in (0, 2))
        divides &= rest == 0
    return high, low, divides
