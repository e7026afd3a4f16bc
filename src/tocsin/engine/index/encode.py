"""Filters as words: literals of the plan become rows that kernels check."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns import cell_of
from tocsin.engine.columns.kinds import BOOLEAN, FLOAT, INTEGER, STRING
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.engine.index.layout import (
    CHOICE,
    COMPUTED,
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
    head_of,
)
from tocsin.engine.index.limits import FAMILY_KINDS, key_of_float, limits_of
from tocsin.engine.index.pools import PoolStore
from tocsin.model.values import INTEGER_MAX, INTEGER_MIN, Value
from tocsin.plan.predicates import (
    Choice,
    Computed,
    Conjunction,
    Interval,
    Present,
    Program,
    SimpleLiteral,
    Step,
    Text,
)
from tocsin.plan.predicates.programs import Constant

Row = tuple[int, int, int]
_SORTS: Final = {CHOICE: "choices", COMPUTED: "program"}


def _flags(literal: SimpleLiteral) -> int:
    outside = OUTSIDE if getattr(literal, "outside", False) else 0
    return outside | (NEGATED if literal.negated else 0)


class Encoder:
    """Turns literals into rows; what they point to is counted in the pools until released."""

    def __init__(self, store: PoolStore) -> None:
        self._store = store
        self._vocabulary = store.vocabulary

    def rows(self, conjunction: Conjunction) -> list[Row]:
        """Return the rows of a conjunction."""
        return [row for literal in conjunction for row in self._literal(literal)]

    def release(self, row: Row) -> None:
        """Let go of what a row points to."""
        operation = row[0] & OPERATION
        if operation == TEXT:
            self._store.texts.give_back(row[2], row[1])
        elif operation in _SORTS:
            self._store.give_back(_SORTS[operation], row[1])

    def retain(self, row: Row) -> None:
        """Count one more use of what a row points to."""
        operation = row[0] & OPERATION
        if operation == TEXT:
            self._store.texts.take_again(row[2], row[1])
        elif operation in _SORTS:
            self._store.take_again(_SORTS[operation], row[1])

    def _literal(self, literal: SimpleLiteral) -> list[Row]:
        match literal:
            case Interval():
                return self._interval(literal)
            case Choice():
                return [self._choice(literal)]
            case Present(attribute):
                place = self._vocabulary.attribute(attribute)
                return [(head_of(PRESENT, place, flags=_flags(literal)), 0, 0)]
            case Text(attribute, test):
                place = self._vocabulary.attribute(attribute)
                lane = self._store.texts.lane_of(place)
                number = self._store.texts.take(lane, test)
                return [(head_of(TEXT, place, flags=_flags(literal)), number, lane)]
            case Computed(program):
                return [self._program(program, _flags(literal))]

    def _interval(self, literal: Interval) -> list[Row]:
        place = self._vocabulary.attribute(literal.attribute)
        family = FAMILY_KINDS[literal.family]
        if family in {BOOLEAN, STRING}:
            bits = cell_of(literal.low, self._vocabulary)[1]
            return [(head_of(INTERVAL, place, family=family, flags=_flags(literal)), bits, bits)]
        limits = limits_of(literal)
        if limits is not None:
            head = head_of(INTERVAL, place, family=family, flags=limits.flags)
            return [(head, limits.low, limits.high)]
        if literal.is_plain:  # a fraction and an integer too long for a float: one after the other
            low = replace(literal, high=None, high_open=False)
            high = replace(literal, low=None, low_open=False)
            return [*self._interval(low), *self._interval(high)]
        return [self._program(_program_of(literal), NEGATED if literal.negated else 0)]

    def _choice(self, literal: Choice) -> Row:
        place = self._vocabulary.attribute(literal.attribute)
        cells = sorted(self._canonical(value) for _, value in literal.choices)
        start, end = self._store.take_choices(tuple(cells))
        family = FAMILY_KINDS[next(iter(literal.choices))[0]]
        return (head_of(CHOICE, place, family=family, flags=_flags(literal)), start, end)

    def _canonical(self, value: Value) -> tuple[int, int]:
        is_whole = isinstance(value, float) and value.is_integer()
        if is_whole and INTEGER_MIN <= value <= INTEGER_MAX:  # type: ignore[operator]
            return INTEGER, int(value)  # type: ignore[arg-type]
        return cell_of(value, self._vocabulary)

    def _program(self, program: Program, flags: int) -> Row:
        start, end = self._store.take_program(program)
        return (head_of(COMPUTED, 0, flags=flags), start, end)


def _program_of(literal: Interval) -> Program:
    """Return BETWEEN as a program; only intervals with two closed limits come here."""
    low, high = Step("constant", Constant(literal.low)), Step("constant", Constant(literal.high))
    name = "not between" if literal.outside else "between"
    return Program((Step("attribute", literal.attribute), low, high, Step(name)))


_OPEN: Final = {"<": HIGH_OPEN, ">": LOW_OPEN}


def number_rows(attribute: int, operator: str, numbers: npt.ArrayLike) -> Int64Array:
    """Return `attribute operator number` for a whole column of numbers at once.

    Examples
    --------
    >>> number_rows(3, "=", [5, 6])[:, 1:].tolist()
    [[5, 5], [6, 6]]
    """
    column = np.asarray(numbers)
    rows = np.empty((len(column), 3), np.int64)
    if np.issubdtype(column.dtype, np.integer):
        edge = {"<": INTEGER_MIN, ">": INTEGER_MAX}.get(operator)
        if edge is None or not (column == edge).any():
            return _integer_rows(attribute, operator, column.astype(np.int64))
    for i, number in enumerate(column.tolist()):
        rows[i] = _number_row(attribute, operator, number)
    return rows


def _integer_rows(attribute: int, operator: str, column: Int64Array) -> Int64Array:
    flags = _OPEN.get(operator, 0) | (OUTSIDE if operator == "!=" else 0)
    flags |= (NO_LOW if "<" in operator else 0) | (NO_HIGH if ">" in operator else 0)
    rows = np.empty((len(column), 3), np.int64)
    rows[:, 0] = head_of(INTERVAL, attribute, family=INTEGER, flags=flags)
    rows[:, 1] = INTEGER_MIN if "<" in operator else column + (operator == ">")
    rows[:, 2] = INTEGER_MAX if ">" in operator else column - (operator == "<")
    return rows


def _number_row(attribute: int, operator: str, number: float) -> Row:
    low = None if "<" in operator else number
    high = None if ">" in operator else number
    is_low_open, is_high_open = operator == ">", operator == "<"
    literal = Interval("", "number", low, high, is_low_open, is_high_open, operator == "!=")
    limits = limits_of(literal)
    assert limits is not None, "one number is exact among the integers or among the floats"
    head = head_of(INTERVAL, attribute, family=INTEGER, flags=limits.flags)
    return head, limits.low, limits.high


def text_rows(attribute: int, operator: str, codes: npt.ArrayLike) -> Int64Array:
    """Return `attribute = text` or `attribute != text` for a whole column of string codes."""
    column = np.asarray(codes, np.int64)
    flags = OUTSIDE if operator == "!=" else 0
    head = np.full(len(column), head_of(INTERVAL, attribute, family=STRING, flags=flags))
    return np.column_stack([head, column, column]).astype(np.int64)


def equality_key(row: Row) -> tuple[int, int]:
    """Return the canonical cell that an equality asks for."""
    if row[0] & IN_FLOATS:
        bits = row[1] ^ (row[1] >> 63 & INTEGER_MAX)
        return FLOAT, bits
    return row[0] >> 12 & OPERATION, row[1]


__all__ = ["Encoder", "Row", "equality_key", "key_of_float", "number_rows", "text_rows"]
