# mypy: disable-error-code="no-untyped-def"
"""Comparison of two cells in kernels, exactly as the language compares two values.

A cell is a kind and 64 bits: an integer, the bits of a float, the code of a string, or the
microseconds of a timestamp or a duration. Integers and floats compare exactly, as in Python.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tocsin.engine.columns.kinds import BOOLEAN, FLOAT, INTEGER, MISSING, STRING

TWO_63 = 9223372036854775808.0
INT_MAX = np.int64(9223372036854775807)
INT_MIN = np.int64(-9223372036854775808)
INCOMPARABLE = 2


@njit(cache=True, nogil=True)
def float_of(bits):
    """Return the float that 64 bits stand for."""
    return np.int64(bits).view(np.float64)


@njit(cache=True, nogil=True)
def bits_of(number):
    """Return the bits of a float."""
    return np.float64(number).view(np.int64)


@njit(cache=True, nogil=True)
def number_of(kind, bits):
    """Return a number as a float, rounded where an integer is too long for one."""
    return float_of(bits) if kind == FLOAT else np.float64(bits)


@njit(cache=True, nogil=True)
def canonical(kind, bits):
    """Return the cell that stands for all equal ones: a whole float becomes an integer."""
    if kind == FLOAT:
        number = float_of(bits)
        if -TWO_63 <= number < TWO_63 and math.floor(number) == number:
            return np.int64(INTEGER), np.int64(number)
    return np.int64(kind), np.int64(bits)


@njit(cache=True, nogil=True)
def canonical_bits(kinds, bits):
    """Return the bits of the cells that stand for all equal ones."""
    found = np.empty(bits.shape[0], np.int64)
    for i in range(bits.shape[0]):
        found[i] = canonical(kinds[i], bits[i])[1]
    return found


@njit(cache=True, nogil=True)
def compare_integer_float(whole, number):
    """Return -1, 0 or 1 without rounding the integer."""
    if number >= TWO_63:
        return -1
    if number < -TWO_63:
        return 1
    floor = math.floor(number)
    below = np.int64(floor)
    if whole < below:
        return -1
    if whole > below:
        return 1
    return -1 if number > floor else 0


@njit(cache=True, nogil=True)
def same_family(kind, other):
    """Say whether two present cells are of kinds that compare."""
    if kind == MISSING or other == MISSING:
        return False
    if kind == other:
        return True
    return (kind == INTEGER and other == FLOAT) or (kind == FLOAT and other == INTEGER)


@njit(cache=True, nogil=True)
def compare_texts(code, other, texts):
    """Return -1, 0 or 1 by the order of code points."""
    if code == other:
        return 0
    start, end = texts.first_byte[code], texts.end_byte[code]
    start2, end2 = texts.first_byte[other], texts.end_byte[other]
    for i in range(min(end - start, end2 - start2)):
        byte, byte2 = texts.utf8[start + i], texts.utf8[start2 + i]
        if byte != byte2:
            return -1 if byte < byte2 else 1
    return -1 if end - start < end2 - start2 else 1


@njit(cache=True, nogil=True)
def compare_cells(kind, bits, kind2, bits2, texts):
    """Return -1, 0 or 1, or INCOMPARABLE; booleans give 0 or 1, and only equality means anything.

    Strings are compared by their text, so both codes must be in `texts` unless they are equal.
    """
    if not same_family(kind, kind2):
        return INCOMPARABLE
    if kind == STRING:
        return compare_texts(bits, bits2, texts)
    if kind == FLOAT and kind2 == FLOAT:
        number, number2 = float_of(bits), float_of(bits2)
        return 0 if number == number2 else (-1 if number < number2 else 1)
    if kind == FLOAT:
        return -compare_integer_float(bits2, float_of(bits))
    if kind2 == FLOAT:
        return compare_integer_float(bits, float_of(bits2))
    if bits == bits2:
        return 0
    return 1 if kind == BOOLEAN or bits > bits2 else -1


@njit(cache=True, nogil=True)
def equal_cells(kind, bits, kind2, bits2):
    """Say whether `=` holds between two cells; it needs no texts."""
    if not same_family(kind, kind2):
        return False
    kind, bits = canonical(kind, bits)
    kind2, bits2 = canonical(kind2, bits2)
    return kind == kind2 and bits == bits2
