# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: SIM109 - kernels take several arguments and compare one by one
"""Registers: aggregates of the repetitions so far, carried along from link to link."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.cells import compare_cells
from tocsin.engine.columns.kinds import BOOLEAN, INTEGER, MISSING, STRING
from tocsin.engine.index.arithmetic import DIVIDED, PLUS, calculate
from tocsin.engine.linear.arrays import (
    AVERAGE,
    COUNT,
    GREATEST,
    LEAST,
    NONE,
    REGISTER_BITS,
    REGISTER_COUNT,
    REGISTER_KIND,
    SUM,
)
from tocsin.engine.linear.kernels import kernel

EMPTY = 255
"""The kind of a register that has seen no value; MISSING is one that can have none any more."""


@kernel
def better(function, kind, bits, kind2, bits2, texts):
    """Return the least or greatest of what is there and a value; of equal ones the first."""
    if kind == EMPTY:
        if kind2 == BOOLEAN:
            return np.int64(MISSING), np.int64(0)
        return np.int64(kind2), np.int64(bits2)
    order = compare_cells(kind2, bits2, kind, bits, texts)
    if kind == MISSING or order == 2:
        return np.int64(MISSING), np.int64(0)
    if (order < 0 and function == LEAST) or (order > 0 and function == GREATEST):
        return np.int64(kind2), np.int64(bits2)
    return np.int64(kind), np.int64(bits)


@kernel
def carry_registers(link, parent, leaf, definitions, registers, row_kind, row_bits, texts):
    """Give a new link the registers of its parent, with the current event added."""
    for register in range(registers.shape[1]):
        kind, bits, count = np.int64(EMPTY), np.int64(0), np.int64(0)
        if parent != NONE:
            kind = registers[parent, register, REGISTER_KIND]
            bits = registers[parent, register, REGISTER_BITS]
            count = registers[parent, register, REGISTER_COUNT]
        if definitions[register, 1] == leaf:
            function = definitions[register, 0]
            attribute = definitions[register, 2]
            value, value_bits = np.int64(row_kind[attribute]), row_bits[attribute]
            if function == COUNT or value != MISSING:
                count += 1
                if function == SUM or function == AVERAGE:
                    if kind == EMPTY:
                        kind, bits = value, value_bits
                    else:
                        kind, bits = calculate(PLUS, kind, bits, value, value_bits)
                elif function != COUNT:
                    kind, bits = better(function, kind, bits, value, value_bits, texts)
        registers[link, register, REGISTER_KIND] = kind
        registers[link, register, REGISTER_BITS] = bits
        registers[link, register, REGISTER_COUNT] = count


@kernel
def read_register(register, link, definitions, registers):
    """Return the value of a register; the sum and count of none are 0, the others missing."""
    function = definitions[register, 0]
    kind, bits, count = np.int64(EMPTY), np.int64(0), np.int64(0)
    if link != NONE:
        kind = registers[link, register, REGISTER_KIND]
        bits = registers[link, register, REGISTER_BITS]
        count = registers[link, register, REGISTER_COUNT]
    if function == COUNT:
        return np.int64(INTEGER), count
    if kind == EMPTY:
        return np.int64(INTEGER if function == SUM else MISSING), np.int64(0)
    if (function == SUM or function == AVERAGE) and kind == STRING:
        return np.int64(MISSING), np.int64(0)
    if function == AVERAGE:
        return calculate(DIVIDED, kind, bits, np.int64(INTEGER), count)
    return kind, bits
