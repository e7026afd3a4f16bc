# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913, SIM109 - kernels take up to ten arguments and compare one by one
"""The interpreter: one kernel runs every program, so that none is compiled per subscription."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.cells import (
    INCOMPARABLE,
    compare_cells,
    equal_cells,
    float_of,
    same_family,
)
from tocsin.engine.columns.kinds import (
    BOOLEAN,
    DURATION,
    FLOAT,
    INTEGER,
    MISSING,
    STRING,
    TIMESTAMP,
)
from tocsin.engine.index.arithmetic import absolute, calculate, extreme, negative_of
from tocsin.engine.index.kernels import inlined, kernel

ATTRIBUTE = 0
CONSTANT = 1
NEGATIVE = 2
ABS = 3
LOWER = 4
UPPER = 5
LENGTH = 6
LEAST = 7
GREATEST = 8
# 10 to 14 are arithmetic.
EQUAL = 20
UNEQUAL = 21
LESS = 22
LESS_EQUAL = 23
GREATER = 24
GREATER_EQUAL = 25
BETWEEN = 26
NOT_BETWEEN = 27
PRESENT_STEP = 28
MISSING_STEP = 29
TEXT_STEP = 30
IS_TRUE = 31
NOT = 32
AND = 33
OR = 34

UNANSWERED = np.int64(-1)


@inlined
def in_order(operation, order):
    """Say whether a comparison holds of what stands in an order: -1, 0 or 1."""
    if operation == LESS:
        return order < 0
    if operation == LESS_EQUAL:
        return order <= 0
    if operation == GREATER:
        return order > 0
    return order >= 0


@kernel
def ordered(operation, kind, bits, kind2, bits2, texts):
    """Say whether a comparison holds; false across families and for missing values."""
    if operation == EQUAL:
        return equal_cells(kind, bits, kind2, bits2)
    if operation == UNEQUAL:
        return same_family(kind, kind2) and not equal_cells(kind, bits, kind2, bits2)
    if kind == BOOLEAN:
        return False
    order = compare_cells(kind, bits, kind2, bits2, texts)
    return order != INCOMPARABLE and in_order(operation, order)


@kernel
def between(operation, kinds, bits, top, texts):
    """Say whether the third value from the top lies between the upper two."""
    kind = kinds[top - 2]
    if kind == BOOLEAN or not same_family(kind, kinds[top - 1]):
        return False
    if not same_family(kind, kinds[top]):
        return False
    low = compare_cells(kinds[top - 1], bits[top - 1], kind, bits[top - 2], texts)
    high = compare_cells(kind, bits[top - 2], kinds[top], bits[top], texts)
    return (low <= 0 and high <= 0) == (operation == BETWEEN)


@kernel
def fold(operation, kind, code, texts):
    """Return what `lower`, `upper` or `length` make of a string."""
    if kind != STRING:
        return np.int64(MISSING), np.int64(0)
    if operation == LOWER:
        return np.int64(STRING), np.int64(texts.lower[code])
    if operation == UPPER:
        return np.int64(STRING), np.int64(texts.upper[code])
    return np.int64(INTEGER), np.int64(texts.length[code])


@kernel
def passes_test(test, lane, code, pools):
    """Say whether a string passes a test; `prepare` has asked all tests of the lane about it."""
    row = pools.row_of_code[lane, code]
    for i in range(pools.first_of_row[row], pools.first_of_row[row + 1]):
        if pools.test_of_row[i] == test:
            return True
    return False


@inlined
def order_alike(operation, kind, bits, kind2, bits2):
    """Answer a comparison that orders two cells of one kind, both numbers or times: 0 or 1.

    Of others nothing is said. No cell holds NaN, which is missing.
    """
    answer = UNANSWERED
    if kind == kind2 and LESS <= operation <= GREATER_EQUAL:
        if kind == FLOAT:
            number, number2 = float_of(bits), float_of(bits2)
            order = np.int64(number > number2) - np.int64(number < number2)
            answer = np.int64(in_order(operation, order))
        elif kind == INTEGER or kind == TIMESTAMP or kind == DURATION:
            order = np.int64(bits > bits2) - np.int64(bits < bits2)
            answer = np.int64(in_order(operation, order))
    return answer


@inlined
def compare_alike(start, end, kind_row, bits_row, steps):
    """Answer a program that orders two attributes of one kind, both numbers or times: 0 or 1.

    Most guards are such, and to see it takes a fraction of the time that the program takes; of
    others nothing is said.
    """
    answer = UNANSWERED
    if end - start == 3 and steps[start, 0] == ATTRIBUTE and steps[start + 1, 0] == ATTRIBUTE:
        left, right = steps[start, 1], steps[start + 1, 1]
        answer = order_alike(
            steps[start + 2, 0], kind_row[left], bits_row[left], kind_row[right], bits_row[right]
        )
    return answer


@kernel
def value_step(operation, argument, top, pools):
    """Run a step that leaves a value in place of its operands; return the new top."""
    kinds, bits = pools.stack_kind, pools.stack_bits
    if operation == LEAST or operation == GREATEST:
        start = top - argument + 1
        sign = 1 if operation == LEAST else -1
        best = extreme(sign, kinds, bits, start, top + 1, pools.texts)
        kinds[start] = MISSING if best < 0 else kinds[best]
        bits[start] = 0 if best < 0 else bits[best]
        return start
    if operation == NEGATIVE:
        kinds[top], bits[top] = negative_of(kinds[top], bits[top])
    elif operation == ABS:
        kinds[top], bits[top] = absolute(kinds[top], bits[top])
    elif operation <= LENGTH:
        kinds[top], bits[top] = fold(operation, kinds[top], bits[top], pools.texts)
    else:
        top -= 1
        kinds[top], bits[top] = calculate(
            operation, kinds[top], bits[top], kinds[top + 1], bits[top + 1]
        )
    return top


@kernel
def condition_step(operation, argument, top, pools):
    """Run a step that leaves a boolean; return the new top."""
    kinds, bits = pools.stack_kind, pools.stack_bits
    if operation == PRESENT_STEP or operation == MISSING_STEP:
        answer = (kinds[top] == MISSING) == (operation == MISSING_STEP)
    elif operation == TEXT_STEP:
        answer = kinds[top] == STRING and passes_test(argument, 0, bits[top], pools)
    elif operation == IS_TRUE:
        answer = kinds[top] == BOOLEAN and bits[top] == 1
    elif operation == NOT:
        answer = bits[top] == 0
    elif operation == BETWEEN or operation == NOT_BETWEEN:
        answer = between(operation, kinds, bits, top, pools.texts)
        top -= 2
    else:
        top -= 1
        if operation == AND:
            answer = bits[top] == 1 and bits[top + 1] == 1
        elif operation == OR:
            answer = bits[top] == 1 or bits[top + 1] == 1
        else:
            answer = ordered(
                operation, kinds[top], bits[top], kinds[top + 1], bits[top + 1], pools.texts
            )
    kinds[top] = BOOLEAN
    bits[top] = 1 if answer else 0
    return top


@kernel
def run_program(start, end, kind_row, bits_row, pools):
    """Run the steps from start to end; the result is at the bottom of the stack."""
    top = -1
    for i in range(start, end):
        operation = pools.steps[i, 0]
        if operation == ATTRIBUTE:
            top += 1
            pools.stack_kind[top] = kind_row[pools.steps[i, 1]]
            pools.stack_bits[top] = bits_row[pools.steps[i, 1]]
        elif operation == CONSTANT:
            top += 1
            pools.stack_kind[top] = pools.steps[i, 1]
            pools.stack_bits[top] = pools.steps[i, 2]
        elif operation < EQUAL:
            top = value_step(operation, pools.steps[i, 1], top, pools)
        else:
            top = condition_step(operation, pools.steps[i, 1], top, pools)
    return pools.stack_bits[0] == 1
