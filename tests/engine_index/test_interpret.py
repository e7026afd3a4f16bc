"""A comparison of two attributes is answered at once where that is the same as to run it."""

from __future__ import annotations

from itertools import product

import pytest

from tocsin.engine.columns import Vocabulary, cell_of
from tocsin.engine.columns.batch import batch_of_events
from tocsin.engine.index.interpret import UNANSWERED, compare_alike, run_program
from tocsin.engine.index.pools import PoolStore
from tocsin.language.parser import parse_expression
from tocsin.model.event import Event
from tocsin.model.values import Duration, Timestamp, Value
from tocsin.plan.predicates.programs import compile_condition

ORDERED: tuple[Value, ...] = (
    -5, 0, 1, 2**62, 1.5, -0.0, 0.0, float("inf"), Timestamp(-1), Timestamp(7), Duration(0),
    Duration(9),
)  # fmt: skip
OTHERS: tuple[Value, ...] = (None, True, False, "", "a", "b")


def answers(condition: str, left: Value, right: Value) -> tuple[int, bool]:
    """Return what is answered at once, and what the program says."""
    words = Vocabulary()
    store = PoolStore(words)
    start, end = store.take_program(compile_condition(parse_expression(condition)))
    values = {"x": left, "y": right}
    for value in values.values():
        cell_of(value, words)
    moment = Timestamp(0)
    batch = batch_of_events([Event("s", 0, moment, moment, values)], words)
    pools, row = store.pools(), (batch.kind[0], batch.bits[0])
    quick = compare_alike(start, end, *row, pools.steps)
    return int(quick), bool(run_program(start, end, *row, pools))


@pytest.mark.parametrize("operation", ["<", "<=", ">", ">=", "=", "!="])
def test_what_is_answered_at_once_is_what_the_program_says(operation: str) -> None:
    for left, right in product(ORDERED + OTHERS, repeat=2):
        quick, slow = answers(f"x {operation} y", left, right)
        is_alike = type(left) is type(right) and type(left) in {int, float, Timestamp, Duration}
        is_plain = is_alike and operation not in {"=", "!="}
        assert (quick != UNANSWERED) == is_plain, (left, right)
        if is_plain:
            assert quick == slow, (left, right)


@pytest.mark.parametrize("condition", ["x < 7", "x + 1 < y", "NOT x < y", "x < y AND y < x"])
def test_nothing_is_said_of_other_programs(condition: str) -> None:
    assert answers(condition, 1, 2)[0] == UNANSWERED
