"""What literals point to: programs, choices and tests of strings, each stored once."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns import TextArrays, Vocabulary, cell_of
from tocsin.engine.columns.kinds import STRING
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index import arithmetic as sums
from tocsin.engine.index import interpret as steps
from tocsin.engine.index.slices import Slices
from tocsin.engine.index.texts import PROGRAMS, TextPool
from tocsin.plan.predicates import PairTest, Program, Step, TextTest
from tocsin.plan.predicates.programs import Constant

_OPERATIONS: Final = {
    "negative": steps.NEGATIVE, "abs": steps.ABS, "lower": steps.LOWER, "upper": steps.UPPER,
    "length": steps.LENGTH, "min": steps.LEAST, "max": steps.GREATEST,
    "+": sums.PLUS, "-": sums.MINUS, "*": sums.TIMES, "/": sums.DIVIDED, "%": sums.MODULO,
    "=": steps.EQUAL, "!=": steps.UNEQUAL, "<": steps.LESS, "<=": steps.LESS_EQUAL,
    ">": steps.GREATER, ">=": steps.GREATER_EQUAL, "between": steps.BETWEEN,
    "not between": steps.NOT_BETWEEN, "present": steps.PRESENT_STEP,
    "missing": steps.MISSING_STEP, "is true": steps.IS_TRUE, "not": steps.NOT, "and": steps.AND,
    "or": steps.OR,
}  # fmt: skip
_FOLDS: Final = frozenset({"lower", "upper", "length"})


class Pools(NamedTuple):
    """What kernels read besides the literals, and the room they work in."""

    steps: Int64Array
    choices: Int64Array
    row_of_code: Int32Array
    first_of_row: Int32Array
    test_of_row: Int32Array
    texts: TextArrays
    stack_kind: Int64Array
    stack_bits: Int64Array
    asked: Int64Array
    answer: npt.NDArray[np.uint8]
    now: Int64Array


class PoolStore:
    """Takes programs, choices and tests in, counts their uses, and lets them go."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.texts = TextPool(vocabulary)
        self.pairs: dict[PairTest, tuple[int, tuple[int, int], tuple[int, int]]] = {}
        self._pair_uses: dict[PairTest, int] = {}
        self.folds = 0
        self._steps = Slices(3, np.int64)
        self._choices = Slices(2, np.int64)
        self._known: dict[Any, tuple[int, int]] = {}
        self._what: dict[tuple[str, int], Any] = {}
        self._uses: dict[Any, int] = {}
        self._stack = np.zeros(16, np.int64), np.zeros(16, np.int64)
        self._memo = np.zeros(0, np.int64), np.zeros(0, np.uint8)
        self.now = np.zeros(1, np.int64)
        self._constants: set[int] | None = None
        self._strings_given = vocabulary.given
        self._texts = vocabulary.text_arrays()

    def take_program(self, program: Program) -> tuple[int, int]:
        """Return the slice of a program and count one more use."""
        return self._take("program", program)

    def take_choices(self, choices: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Return the slice of sorted cells and count one more use."""
        return self._take("choices", choices)

    def choice_rows(self) -> Int64Array:
        """Return the cells of all choices."""
        return self._choices.rows

    @property
    def asks_strings(self) -> bool:
        """Whether programs test strings or ask for another form of them."""
        return self.folds > 0 or self.texts.asks_programs

    @property
    def is_behind(self) -> bool:
        """Whether programs compare strings, and there are some that `pools` did not give yet."""
        return self._steps.used > 0 and self._strings_given < self.vocabulary.given

    def knows_forms(self, codes: Int64Array) -> bool:
        """Say whether the arrays that `pools` gave have lower and upper forms of the strings."""
        length = self._texts.length
        return bool(len(codes) == 0 or (codes.max() < len(length) and (length[codes] >= 0).all()))

    def constant_codes(self) -> set[int]:
        """Return the codes of the strings that stand in programs."""
        if self._constants is None:
            rows = self._steps.rows
            chosen = (rows[:, 0] == steps.CONSTANT) & (rows[:, 1] == STRING)
            self._constants = set(rows[chosen, 2].tolist())
        return self._constants

    def codes(self) -> Int64Array:
        """Return the codes of the strings in programs and choices."""
        rows = self._choices.rows
        chosen = rows[rows[:, 0] == STRING, 1]
        return np.concatenate([chosen, np.fromiter(self.constant_codes(), np.int64)])

    def forget(self, free: Int64Array) -> None:
        """Forget what is known of strings whose codes will be given to others."""
        self.texts.forget(free)
        self._texts = self.vocabulary.text_arrays()

    def take_again(self, sort: str, start: int) -> None:
        """Count one more use of the program or the choices that start there."""
        self._uses[self._what[sort, start]] += 1

    def give_back(self, sort: str, start: int) -> None:
        """Count one use less of the program or the choices that start there."""
        what = self._what[sort, start]
        self._uses[what] -= 1
        if self._uses[what]:
            return
        start, end = self._known.pop(what)
        del self._uses[what], self._what[sort, start]
        if sort == "choices":
            self._choices.give_back(start, end - start)
        else:
            self._steps.give_back(start, end - start)
            self._constants = None
            for step in what.steps:
                self._forget(step)

    def pools(self) -> Pools:
        """Return the arrays as they are now."""
        size = len(self._steps.rows)
        if len(self._memo[0]) < size:
            self._memo = np.full(size, -1, np.int64), np.zeros(size, np.uint8)
        first, tests = self.texts.rows()
        self._strings_given = self.vocabulary.given
        self._texts = self.vocabulary.text_arrays()
        return Pools(
            self._steps.rows, self._choices.rows, self.texts.row_of_code, first, tests,
            self._texts, *self._stack, *self._memo, self.now,
        )  # fmt: skip

    def _take(self, sort: str, what: Any) -> tuple[int, int]:
        self._uses[what] = self._uses.get(what, 0) + 1
        if what not in self._known:
            if sort == "choices":
                rows, pool = np.array(what, np.int64), self._choices
            else:
                rows = np.array([self._row(step) for step in what.steps], np.int64)
                pool, self._constants = self._steps, None
                self._deepen(what.depth)
            start = pool.take(rows)
            self._known[what] = (start, start + len(rows))
            self._what[sort, start] = what
            self._memo[0][start : start + 1] = -1
        return self._known[what]

    def _deepen(self, depth: int) -> None:
        if depth > len(self._stack[0]):
            self._stack = np.zeros(2 * depth, np.int64), np.zeros(2 * depth, np.int64)

    def _row(self, step: Step) -> tuple[int, int, int]:
        argument = step.argument
        match argument:
            case Constant(value):
                return (steps.CONSTANT, *cell_of(value, self.vocabulary))
            case str():
                return (steps.ATTRIBUTE, self.vocabulary.attribute(argument), 0)
            case TextTest():
                return (steps.TEXT_STEP, self.texts.take(PROGRAMS, argument), 0)
            case PairTest():
                return (steps.ATTRIBUTE, self._pair(argument), 0)
        self.folds += step.operation in _FOLDS
        return (_OPERATIONS[step.operation], argument or 0, 0)

    def _pair(self, test: PairTest) -> int:
        """Return the attribute that holds the answer of a test of two strings."""
        column = self.vocabulary.attribute(f"$pair {test!r}")
        slices = self.take_program(test.text), self.take_program(test.pattern)
        self.pairs[test] = (column, *slices)
        self._pair_uses[test] = self._pair_uses.get(test, 0) + 1
        return column

    def _forget(self, step: Step) -> None:
        self.folds -= step.operation in _FOLDS
        if isinstance(step.argument, TextTest):
            number = self.texts.number_of(step.argument)
            self.texts.give_back(PROGRAMS, number)
        elif isinstance(step.argument, PairTest):
            _, text, pattern = self.pairs[step.argument]
            self.give_back("program", text[0])
            self.give_back("program", pattern[0])
            self._pair_uses[step.argument] -= 1
            if self._pair_uses[step.argument] == 0:
                del self.pairs[step.argument], self._pair_uses[step.argument]
