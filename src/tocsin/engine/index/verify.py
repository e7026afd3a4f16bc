# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""Whether one literal holds for one event."""

from __future__ import annotations

import math

import numpy as np

from tocsin.engine.columns.cells import (
    INT_MAX,
    TWO_63,
    bits_of,
    canonical,
    compare_integer_float,
    float_of,
)
from tocsin.engine.columns.kinds import FLOAT, INTEGER, MISSING, STRING
from tocsin.engine.index.interpret import passes_test, run_program
from tocsin.engine.index.kernels import inlined, kernel
from tocsin.engine.index.layout import (
    ATTRIBUTE_SHIFT,
    CHOICE,
    FAMILY_SHIFT,
    HIGH_OPEN,
    IN_FLOATS,
    INTERVAL,
    LOW_OPEN,
    NEGATED,
    NO_HIGH,
    NO_LOW,
    OPERATION,
    OUTSIDE,
    PRESENT,
    TEXT,
)


@kernel
def ordered_key(number):
    """Return an integer that orders like the float; both zeros give 0."""
    bits = bits_of(number + 0.0)
    return bits ^ ((bits >> 63) & INT_MAX)


@kernel
def float_of_key(key):
    """Return the float of a key."""
    return float_of(key ^ ((key >> 63) & INT_MAX))


@kernel
def float_in_integers(head, low, high, number):
    """Between the integers n and n + 1 a float is above an open n and below an open n + 1."""
    if number >= TWO_63:
        return head & NO_HIGH != 0
    if number < -TWO_63:
        return head & NO_LOW != 0
    floor = np.int64(math.floor(number))
    above = floor if np.float64(floor) == number else floor + 1
    from_low = above if head & LOW_OPEN else floor
    to_high = floor if head & HIGH_OPEN else above
    return from_low >= low and to_high <= high


@kernel
def inside(head, low, high, kind, bits):
    """Say whether a cell of the right family lies between the limits."""
    if head & IN_FLOATS == 0:
        if kind != FLOAT:
            return low <= bits <= high
        return float_in_integers(head, low, high, float_of(bits))
    if kind == FLOAT:
        return low <= ordered_key(float_of(bits)) <= high
    if low > high:
        return False
    below = compare_integer_float(bits, float_of_key(low)) < 0
    return not below and compare_integer_float(bits, float_of_key(high)) <= 0


@kernel
def among(low, high, kind, bits, choices):
    """Say whether a cell is one of the choices in a sorted slice."""
    kind, bits = canonical(kind, bits)
    while low < high:
        middle = (low + high) // 2
        if choices[middle, 0] < kind or (choices[middle, 0] == kind and choices[middle, 1] < bits):
            low = middle + 1
        elif choices[middle, 0] == kind and choices[middle, 1] == bits:
            return True
        else:
            high = middle
    return False


@kernel
def is_of_family(head, kind):
    """Say whether a cell compares with the constants of a literal."""
    family = (head >> FAMILY_SHIFT) & OPERATION
    return kind == family or (kind == FLOAT and family == INTEGER)


@inlined
def is_usual(head, kind):
    """Say whether a literal is an interval whose limits are of the same sort as the cell."""
    return head & (OPERATION | NEGATED) == INTERVAL and (kind == FLOAT) == (head & IN_FLOATS != 0)


@inlined
def usual_holds(head, low, high, kind, bits):
    """Say whether a usual literal holds, without a branch on what holds.

    Floats have limits that are keys in their order; anything else is compared as it is.
    """
    key = ordered_key(float_of(bits)) if kind == FLOAT else bits
    is_inside = (low <= key) & (key <= high)
    return is_of_family(head, kind) & (is_inside == (head & OUTSIDE == 0))


@kernel
def computed(low, high, kind_row, bits_row, pools):
    """Run a program, once an event however many conjunctions ask."""
    if pools.asked[low] == pools.now[0]:
        return pools.answer[low] == 1
    found = run_program(low, high, kind_row, bits_row, pools)
    pools.asked[low] = pools.now[0]
    pools.answer[low] = 1 if found else 0
    return found


@kernel
def holds(head, low, high, kind_row, bits_row, pools):
    """Say whether a literal holds for the event of a row."""
    operation = head & OPERATION
    attribute = head >> ATTRIBUTE_SHIFT
    kind = kind_row[attribute]
    if operation == INTERVAL:
        found = is_of_family(head, kind) and (
            inside(head, low, high, kind, bits_row[attribute]) == (head & OUTSIDE == 0)
        )
    elif operation == CHOICE:
        if head & OUTSIDE:
            found = is_of_family(head, kind) and not among(
                low, high, kind, bits_row[attribute], pools.choices
            )
        else:
            found = kind != MISSING and among(low, high, kind, bits_row[attribute], pools.choices)
    elif operation == PRESENT:
        found = kind != MISSING
    elif operation == TEXT:
        found = kind == STRING and passes_test(low, high, bits_row[attribute], pools)
    else:
        found = computed(low, high, kind_row, bits_row, pools)
    return found == (head & NEGATED == 0)
