# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - kernels take up to ten arguments
"""Intervals of a whole column of rows at once: limits meet, and become literals.

The same rules as `simplify` and `limits_of` have for one filter; what they cannot say in one
literal is left to the road by rows.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.cells import INT_MAX, INT_MIN, canonical, compare_integer_float, float_of
from tocsin.engine.columns.kinds import BOOLEAN, FLOAT, INTEGER, MISSING, STRING
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.engine.index.kernels import kernel
from tocsin.engine.index.layout import (
    FAMILY_SHIFT,
    HIGH_OPEN,
    IN_FLOATS,
    LOW_OPEN,
    NO_HIGH,
    NO_LOW,
    OUTSIDE,
)
from tocsin.engine.index.verify import ordered_key

PLAIN, NEVER, BY_ROW = 0, 1, 2
"""What becomes of a row: one literal for each column, a filter that never holds, or its own way."""

EQUAL, LOW, HIGH, LOW_END, HIGH_END = 0, 1, 2, 3, 4
"""How a value limits an attribute: it equals it, or is its limit; an end belongs to it itself."""

_TWO_63: Final = 9223372036854775808.0


class Limits(NamedTuple):
    """The limits of one attribute, row by row; a kind of 0 is no limit."""

    low_kind: npt.NDArray[np.uint8]
    low_bits: Int64Array
    low_open: npt.NDArray[np.bool_]
    high_kind: npt.NDArray[np.uint8]
    high_bits: Int64Array
    high_open: npt.NDArray[np.bool_]


def no_limits(count: int) -> Limits:
    """Return the limits of an attribute that nothing limits yet."""
    kinds, bits, opens = (np.zeros((2, count), dtype) for dtype in (np.uint8, np.int64, np.bool_))
    return Limits(kinds[0], bits[0], opens[0], kinds[1], bits[1], opens[1])


@kernel
def family_of_kind(kind):
    """Return the kind that stands for all that compare with it."""
    return INTEGER if kind == FLOAT else kind


@kernel
def order_of(kind, bits, kind2, bits2):
    """Return -1, 0 or 1 for two canonical cells of one family that has an order."""
    if kind == FLOAT and kind2 == FLOAT:
        number, number2 = float_of(bits), float_of(bits2)
        return 0 if number == number2 else (-1 if number < number2 else 1)
    if kind == FLOAT:
        return -compare_integer_float(bits2, float_of(bits))
    if kind2 == FLOAT:
        return compare_integer_float(bits, float_of(bits2))
    return 0 if bits == bits2 else (-1 if bits < bits2 else 1)


@kernel
def _tighten(kinds, bits, opens, i, kind, bit, is_open, greater):
    """Let a limit of one row be the stricter of two."""
    order = 1 if greater else -1
    if kinds[i] != MISSING:
        order = order_of(kind, bit, kinds[i], bits[i])
        if order == 0:
            opens[i] |= is_open
    if kinds[i] == MISSING or (order != 0 and (order > 0) == greater):
        kinds[i] = kind
        bits[i] = bit
        opens[i] = is_open


@kernel
def meet(limits, how, kinds, bits, status):
    """Limit the attribute of each row further by a value.

    A missing value, and one that compares with nothing, let the row never hold.
    """
    is_low = how in (EQUAL, LOW, LOW_END)
    is_high = how in (EQUAL, HIGH, HIGH_END)
    is_open = how in (LOW, HIGH)
    for i in range(kinds.shape[0]):
        kind, bit = canonical(kinds[i], bits[i])
        known = limits.low_kind[i] if limits.low_kind[i] != MISSING else limits.high_kind[i]
        unlike = known != MISSING and family_of_kind(known) != family_of_kind(kind)
        if kind == STRING and how != EQUAL:  # a test of strings, which is no interval
            status[i] = NEVER if status[i] == NEVER else BY_ROW
        elif kind == MISSING or unlike or (kind == BOOLEAN and how != EQUAL):
            status[i] = NEVER
        elif kind in (STRING, BOOLEAN):
            if known != MISSING and limits.low_bits[i] != bit:
                status[i] = NEVER
            limits.low_kind[i] = limits.high_kind[i] = kind
            limits.low_bits[i] = limits.high_bits[i] = bit
        else:
            if is_low:
                _tighten(
                    limits.low_kind, limits.low_bits, limits.low_open, i, kind, bit, is_open, True
                )
            if is_high:
                _tighten(
                    limits.high_kind, limits.high_bits, limits.high_open, i, kind, bit, is_open,
                    False,
                )  # fmt: skip


@kernel
def is_empty(limits, i):
    """Say whether no value lies between the limits of a row."""
    if limits.low_kind[i] == MISSING or limits.high_kind[i] == MISSING:
        return False
    if limits.low_kind[i] == STRING or limits.low_kind[i] == BOOLEAN:
        return False
    order = order_of(
        limits.low_kind[i], limits.low_bits[i], limits.high_kind[i], limits.high_bits[i]
    )
    return order > 0 or (order == 0 and (limits.low_open[i] or limits.high_open[i]))


@kernel
def key_of_limit(kind, bits, is_open, greater):
    """Return a limit among the keys of floats, and whether that is exact."""
    if kind == MISSING:
        return ordered_key(-math.inf if greater else math.inf), True
    if kind != FLOAT and greater and is_open and bits == INT_MAX:
        return ordered_key(_TWO_63), True
    number = float_of(bits) if kind == FLOAT else np.float64(bits)
    if kind != FLOAT and (number >= _TWO_63 or np.int64(number) != bits):
        return np.int64(0), False
    if not is_open:
        return ordered_key(number), True
    if math.isinf(number) and (number > 0) == greater:
        return ordered_key(number) + (1 if greater else -1), True
    return ordered_key(np.nextafter(number, math.inf if greater else -math.inf)), True


@kernel
def is_whole(kind, bits, is_open, edge):
    """Say whether a limit lies among the integers; an open one at the edge would leave them."""
    return kind != FLOAT and not (is_open and kind != MISSING and bits == edge)


@kernel
def write_integers(limits, i, head, row):
    """Write a literal whose limits are whole."""
    no_low, no_high = limits.low_kind[i] == MISSING, limits.high_kind[i] == MISSING
    low_open, high_open = limits.low_open[i], limits.high_open[i]
    low = INT_MIN if no_low else limits.low_bits[i] + (1 if low_open else 0)
    high = INT_MAX if no_high else limits.high_bits[i] - (1 if high_open else 0)
    if low > high and not (low_open and high_open):
        low, high = 1, 0
    else:
        head |= NO_LOW if no_low else (LOW_OPEN if low_open else 0)
        head |= NO_HIGH if no_high else (HIGH_OPEN if high_open else 0)
    row[0], row[1], row[2] = head, low, high


@kernel
def write_literals(limits, head, rows, status):
    """Write one literal for each row that has not gone another way; `head` lacks the family."""
    for i in range(status.shape[0]):
        if status[i] != PLAIN:
            continue
        if head & OUTSIDE == 0 and is_empty(limits, i):
            status[i] = NEVER
            continue
        low_kind, high_kind = limits.low_kind[i], limits.high_kind[i]
        low_open, high_open = limits.low_open[i], limits.high_open[i]
        known = low_kind if low_kind != MISSING else high_kind
        own_head = head | (np.int64(family_of_kind(known)) << FAMILY_SHIFT)
        low_bits, high_bits = limits.low_bits[i], limits.high_bits[i]
        if is_whole(low_kind, low_bits, low_open, INT_MAX) and is_whole(
            high_kind, high_bits, high_open, INT_MIN
        ):
            write_integers(limits, i, own_head, rows[i])
            continue
        low, low_is_exact = key_of_limit(low_kind, low_bits, low_open, True)
        high, high_is_exact = key_of_limit(high_kind, high_bits, high_open, False)
        if not (low_is_exact and high_is_exact):
            status[i] = BY_ROW
            continue
        if low > high:
            low, high = 1, 0
        rows[i, 0], rows[i, 1], rows[i, 2] = own_head | IN_FLOATS, low, high
