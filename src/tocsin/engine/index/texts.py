"""Tests of strings, asked once per distinct string of a lane and remembered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tocsin.engine.columns import Vocabulary
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.text_sets import TextSet
from tocsin.plan.predicates import TextTest

PROGRAMS: Final = 0
"""The lane of the tests that programs ask, of any string."""

_UNKNOWN: Final = -1
_MOST_ROWS: Final = 1 << 16


class TextPool:
    """Which tests each string passes, lane by lane; a lane is an attribute with such tests.

    `row_of_code[lane, code]` is the row of the passed tests: equal rows are one.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._numbers: dict[TextTest, int] = {}
        self._tests: dict[int, TextTest] = {}
        self._uses: dict[tuple[int, int], int] = {}
        self._lanes_asking: dict[int, int] = {}
        self._free: list[int] = []
        self._program_uses = 0
        self._lanes: dict[int, int] = {}
        self._sets: list[TextSet] = [TextSet()]
        self.row_of_code: Int32Array = np.full((1, 1), _UNKNOWN, np.int32)
        self._known_rows: dict[tuple[int, ...], int] = {}
        self._first_of_row: list[int] = [0]
        self._test_of_row: list[int] = []
        self._rows: tuple[Int32Array, Int32Array] | None = None

    @property
    def asks_programs(self) -> bool:
        """Whether a program tests strings."""
        return self._program_uses > 0

    def lanes(self) -> Mapping[int, int]:
        """Return the lane of each attribute that has one."""
        return self._lanes

    def lane_of(self, attribute: int) -> int:
        """Return the lane of an attribute, a new one if need be."""
        lane = self._lanes.get(attribute)
        if lane is None:
            lane = self._lanes[attribute] = len(self._sets)
            self._sets.append(TextSet())
            unknown = np.full((1, self.row_of_code.shape[1]), _UNKNOWN, np.int32)
            self.row_of_code = np.concatenate([self.row_of_code, unknown])
        return lane

    def take(self, lane: int, test: TextTest) -> int:
        """Return the number of a test in a lane, and count one more use."""
        number = self._numbers.get(test)
        if number is None:
            number = self._free.pop() if self._free else len(self._numbers)
            self._numbers[test], self._tests[number] = number, test
        uses = self._uses.get((lane, number), 0)
        self._uses[lane, number] = uses + 1
        self._program_uses += lane == PROGRAMS
        if uses == 0:
            self._lanes_asking[number] = self._lanes_asking.get(number, 0) + 1
            self._sets[lane].add(number, test)
            self.row_of_code[lane] = _UNKNOWN
        return number

    def take_again(self, lane: int, number: int) -> None:
        """Count one more use of a test that a lane has."""
        self._uses[lane, number] += 1
        self._program_uses += lane == PROGRAMS

    def give_back(self, lane: int, number: int) -> None:
        """Count one use less; the last one lets the test go."""
        uses = self._uses[lane, number] - 1
        self._program_uses -= lane == PROGRAMS
        if uses:
            self._uses[lane, number] = uses
            return
        del self._uses[lane, number]
        test = self._tests[number]
        self._sets[lane].remove(number, test)
        self.row_of_code[lane] = _UNKNOWN
        self._lanes_asking[number] -= 1
        if self._lanes_asking[number] == 0:
            del self._numbers[test], self._tests[number], self._lanes_asking[number]
            self._free.append(number)
        if not self._uses:
            self._free.clear()
            self._forget_rows()

    def number_of(self, test: TextTest) -> int:
        """Return the number of a test that is in use."""
        return self._numbers[test]

    def ask(self, lane: int, codes: Int64Array) -> bool:
        """Make known which tests of a lane the strings pass; say whether anything was unknown."""
        if self.row_of_code.shape[1] < self._vocabulary.size:
            self._widen(2 * self._vocabulary.size)
        if len(self._first_of_row) > _MOST_ROWS:
            self.row_of_code[:] = _UNKNOWN
            self._forget_rows()
        rows, tests = self.row_of_code[lane], self._sets[lane]
        unknown = codes[rows[codes] == _UNKNOWN]
        for code in unknown.tolist():
            if rows[code] == _UNKNOWN:
                rows[code] = self._row(tuple(tests.passed(self._vocabulary.text(code))))
        return len(unknown) > 0

    def forget(self, codes: Int64Array) -> None:
        """Forget what is known of strings."""
        room = min(self.row_of_code.shape[1], max(2 * self._vocabulary.size, 1))
        self.row_of_code = self.row_of_code[:, :room].copy()
        self.row_of_code[:, codes[codes < room]] = _UNKNOWN

    def rows(self) -> tuple[Int32Array, Int32Array]:
        """Return the rows: where each starts, and the tests they hold."""
        if self._rows is None:
            first = np.array(self._first_of_row, np.int32)
            self._rows = (first, np.array(self._test_of_row or [0], np.int32))
        return self._rows

    def _row(self, passed: tuple[int, ...]) -> int:
        row = self._known_rows.get(passed)
        if row is None:
            row = self._known_rows[passed] = len(self._first_of_row) - 1
            self._test_of_row += passed
            self._first_of_row.append(len(self._test_of_row))
            self._rows = None
        return row

    def _forget_rows(self) -> None:
        self._known_rows, self._first_of_row, self._test_of_row = {}, [0], []
        self._rows = None

    def _widen(self, least: int) -> None:
        more = np.full((len(self._sets), least), _UNKNOWN, np.int32)
        more[:, : self.row_of_code.shape[1]] = self.row_of_code
        self.row_of_code = more
