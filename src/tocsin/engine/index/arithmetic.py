# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913, SIM109 - kernels take up to ten arguments and compare one by one
"""Arithmetic on cells: what has no result is missing. The same rules as for values, in kernels."""

from __future__ import annotations

import math

import numpy as np

from tocsin.engine.columns.cells import (
    INT_MAX,
    INT_MIN,
    TWO_63,
    bits_of,
    compare_cells,
    float_of,
    number_of,
)
from tocsin.engine.columns.kinds import (
    BOOLEAN,
    DURATION,
    FLOAT,
    INTEGER,
    MISSING,
    TIMESTAMP,
)
from tocsin.engine.index.kernels import kernel

PLUS = 10
MINUS = 11
TIMES = 12
DIVIDED = 13
MODULO = 14
_EXACT = 9007199254740992  # 2 ** 53
_ENOUGH = 36028797018963968  # 2 ** 55: a quotient with two bits to spare


@kernel
def is_number(kind):
    """Say whether a cell is an integer or a float."""
    return kind == INTEGER or kind == FLOAT


@kernel
def from_float(number):
    """Return a float as a cell; NaN is missing."""
    if math.isnan(number):
        return np.int64(MISSING), np.int64(0)
    return np.int64(FLOAT), bits_of(number)


@kernel
def sum_of(left, right, kind):
    """Return left + right as a cell of a kind, missing where it does not fit."""
    if (right > 0 and left > INT_MAX - right) or (right < 0 and left < INT_MIN - right):
        return np.int64(MISSING), np.int64(0)
    return np.int64(kind), left + right


@kernel
def difference_of(left, right, kind):
    """Return left - right as a cell of a kind, missing where it does not fit."""
    if (right < 0 and left > INT_MAX + right) or (right > 0 and left < INT_MIN + right):
        return np.int64(MISSING), np.int64(0)
    return np.int64(kind), left - right


@kernel
def product_of(left, right, kind):
    """Return left * right as a cell of a kind, missing where it does not fit."""
    if left == INT_MIN or right == INT_MIN:
        other = right if left == INT_MIN else left
        if other == 0 or other == 1:
            return np.int64(kind), left * right
        return np.int64(MISSING), np.int64(0)
    if left != 0 and right != 0:
        size, size2 = abs(left), abs(right)
        most = INT_MAX // size2
        if (left < 0) != (right < 0) and INT_MAX % size2 == size2 - 1:
            most += 1  # down to -2 ** 63
        if size > most:
            return np.int64(MISSING), np.int64(0)
    return np.int64(kind), left * right


@kernel
def quotient_of(left, right):
    """Return left / right for integers, rounded once, as Python does; right is not 0."""
    if -_EXACT <= left <= _EXACT and -_EXACT <= right <= _EXACT:
        return np.float64(left) / np.float64(right)
    if right == INT_MIN:
        return -math.ldexp(np.float64(left), -63)
    if left == INT_MIN:
        return (
            2.0
            * quotient_of_sizes(np.int64(4611686018427387904), abs(right))
            * (-1.0 if right > 0 else 1.0)
        )
    found = quotient_of_sizes(abs(left), abs(right))
    return -found if (left < 0) != (right < 0) else found


@kernel
def quotient_of_sizes(left, right):
    """Long division to two bits more than a float holds, then one rounding."""
    if left == 0:
        return 0.0
    whole = left // right
    rest = left - whole * right
    shift = 0
    while whole < _ENOUGH:
        whole = whole * 2
        if rest >= right - rest:
            rest = rest - (right - rest)
            whole += 1
        else:
            rest = rest * 2
        shift -= 1
    if rest != 0:
        whole |= 1
    return math.ldexp(np.float64(whole), shift)


@kernel
def remainder_of(kind, bits, kind2, bits2):
    """The remainder has the sign of the dividend, as in SQL; the divisor is not 0."""
    if kind == INTEGER and kind2 == INTEGER:
        if bits2 == -1:
            return np.int64(INTEGER), np.int64(0)
        rest = bits % bits2
        if rest != 0 and (bits < 0) != (bits2 < 0):
            rest -= bits2
        return np.int64(INTEGER), np.int64(rest)
    left = number_of(kind, bits)
    if math.isinf(left):
        return np.int64(MISSING), np.int64(0)
    return from_float(np.fmod(left, number_of(kind2, bits2)))


@kernel
def with_numbers(operation, kind, bits, kind2, bits2):
    """Return the result for two numbers."""
    whole = kind == INTEGER and kind2 == INTEGER
    if operation == PLUS:
        if whole:
            return sum_of(bits, bits2, INTEGER)
        return from_float(number_of(kind, bits) + number_of(kind2, bits2))
    if operation == MINUS:
        if whole:
            return difference_of(bits, bits2, INTEGER)
        return from_float(number_of(kind, bits) - number_of(kind2, bits2))
    if operation == TIMES:
        if whole:
            return product_of(bits, bits2, INTEGER)
        return from_float(number_of(kind, bits) * number_of(kind2, bits2))
    if number_of(kind2, bits2) == 0.0:
        return np.int64(MISSING), np.int64(0)
    if operation == MODULO:
        return remainder_of(kind, bits, kind2, bits2)
    if whole:
        return from_float(quotient_of(bits, bits2))
    return from_float(number_of(kind, bits) / number_of(kind2, bits2))


@kernel
def scaled(duration, factor):
    """Return a duration times a float, rounded half to even."""
    result = np.rint(np.float64(duration) * factor)
    if math.isfinite(factor) and -TWO_63 <= result < TWO_63:
        return np.int64(DURATION), np.int64(result)
    return np.int64(MISSING), np.int64(0)


@kernel
def duration_with_number(operation, duration, kind, bits):
    """Return duration * number or duration / number."""
    if operation == TIMES:
        if kind == INTEGER:
            return product_of(duration, bits, DURATION)
        return scaled(duration, float_of(bits))
    if number_of(kind, bits) == 0.0:
        return np.int64(MISSING), np.int64(0)
    if kind == INTEGER:
        return scaled(duration, quotient_of(np.int64(1), bits))
    return scaled(duration, 1.0 / float_of(bits))


@kernel
def with_times(operation, kind, bits, kind2, bits2):
    """Return the result where at least one side is a timestamp or a duration."""
    if kind == TIMESTAMP and kind2 == TIMESTAMP and operation == MINUS:
        return difference_of(bits, bits2, DURATION)
    if kind2 == DURATION and (kind == TIMESTAMP or kind == DURATION):
        if operation == PLUS:
            return sum_of(bits, bits2, kind)
        if operation == MINUS:
            return difference_of(bits, bits2, kind)
        if operation == DIVIDED and kind == DURATION and bits2 != 0:
            return from_float(quotient_of(bits, bits2))
    elif kind == DURATION and kind2 == TIMESTAMP and operation == PLUS:
        return sum_of(bits, bits2, TIMESTAMP)
    elif kind == DURATION and is_number(kind2) and (operation == TIMES or operation == DIVIDED):
        return duration_with_number(operation, bits, kind2, bits2)
    elif kind2 == DURATION and is_number(kind) and operation == TIMES:
        return duration_with_number(operation, bits2, kind, bits)
    return np.int64(MISSING), np.int64(0)


@kernel
def calculate(operation, kind, bits, kind2, bits2):
    """Return `left operation right`, missing where that has no value."""
    if is_number(kind) and is_number(kind2):
        return with_numbers(operation, kind, bits, kind2, bits2)
    if kind >= TIMESTAMP or kind2 >= TIMESTAMP:
        return with_times(operation, kind, bits, kind2, bits2)
    return np.int64(MISSING), np.int64(0)


@kernel
def negative_of(kind, bits):
    """Return 0 - x."""
    if kind == FLOAT:
        return from_float(0.0 - float_of(bits))
    if kind == INTEGER or kind == DURATION:
        return difference_of(np.int64(0), bits, kind)
    return np.int64(MISSING), np.int64(0)


@kernel
def absolute(kind, bits):
    """Return the size of a number or a duration."""
    if kind == FLOAT:
        return np.int64(FLOAT), bits_of(abs(float_of(bits)))
    if (kind == INTEGER or kind == DURATION) and bits != INT_MIN:
        return np.int64(kind), np.int64(abs(bits))
    return np.int64(MISSING), np.int64(0)


@kernel
def extreme(sign, kinds, bits, start, end, texts):
    """Return where the least (sign 1) or greatest (sign -1) is; -1 where there is none."""
    if kinds[start] == MISSING or kinds[start] == BOOLEAN:
        return -1
    best = start
    for i in range(start + 1, end):
        order = compare_cells(kinds[i], bits[i], kinds[best], bits[best], texts)
        if order == 2:
            return -1
        if order * sign < 0:
            best = i
    return best
