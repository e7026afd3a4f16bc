"""The work of the workers, without Spark: parts together give what the whole gives."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st
from tests.plan.partition.chains import chain_cases
from tests.plan.partition.dense import dense_cases
from tests.plan.partition.lasting import DUE, NEIGHBOURS
from tests.plan.partition.programs import cases
from tests.plan.partition.splitting import (
    Course,
    Rows,
    course_of,
    in_one,
    split_chains,
    split_group,
    split_hot_keys,
    split_unit,
    units_of,
)
from tests.spark.tasks import by_task, told

from tocsin.errors import ConfigurationError
from tocsin.language.parser import parse
from tocsin.plan.partition import plan_subscriptions
from tocsin.spark import work
from tocsin.spark.schema import APART, ROW
from tocsin.spark.work import Part, Task

PARTS = (1, 2, 7)
CASES = st.one_of(cases(), dense_cases(), dense_cases())


def course_with_tasks(text: str, rows: Rows, batch_rows: int, *, unordered: bool) -> Course:
    """Return a course of rows whose columns have one type each, as those of a frame have."""
    floats = {name for row in rows for name, value in row.items() if isinstance(value, float)}
    alike = [{k: float(v) if k in floats else v for k, v in row.items()} for row in rows]
    course = course_of(text, alike, unordered=unordered)
    return replace(course, runner=by_task(parse(text), batch_rows))


@given(CASES, st.booleans(), st.integers(1, 4))
@example(case=NEIGHBOURS, unordered=True, batch_rows=1)
@example(case=DUE, unordered=False, batch_rows=1)
def test_every_allowed_strategy_equals_the_whole(
    case: tuple[str, Rows], unordered: bool, batch_rows: int
) -> None:
    course = course_with_tasks(*case, batch_rows, unordered=unordered)
    for unit in units_of(course):
        wanted = told(in_one(course, unit.subscriptions))
        for choice in unit.choices:
            event(f"{choice.strategy}, {'some' if wanted else 'no'} matches")
            for parts in PARTS:
                assert split_unit(course, unit, choice, parts) == wanted, (choice, parts)


@given(CASES, st.booleans(), st.integers(1, 4))
@example(case=NEIGHBOURS, unordered=True, batch_rows=1)
@example(case=DUE, unordered=False, batch_rows=1)
def test_the_groups_of_a_plan_equal_the_whole(
    case: tuple[str, Rows], unordered: bool, batch_rows: int
) -> None:
    course = course_with_tasks(*case, batch_rows, unordered=unordered)
    for group in plan_subscriptions(course.subscriptions, unordered=unordered).groups:
        wanted = told(in_one(course, group.subscriptions))
        for parts in PARTS:
            assert split_group(course, group, parts) == wanted, (group, parts)
            if group.slices is not None:
                found = split_hot_keys(course, group, group.slices, parts)
                assert found == wanted, (group, parts)


@given(chain_cases(), st.integers(1, 4))
def test_slices_of_chains_equal_the_whole(case: tuple[str, Rows], batch_rows: int) -> None:
    course = course_with_tasks(*case, batch_rows, unordered=False)
    for group in plan_subscriptions(course.subscriptions).groups:
        wanted = told(in_one(course, group.subscriptions))
        for parts in PARTS if group.chain is not None else ():
            found = split_chains(course, group, group.choice, parts)
            assert found == wanted, (group, parts)


@pytest.mark.parametrize("is_marked", [True, False])
def test_subscriptions_without_kernels_see_the_rows_that_are_marked(is_marked: bool) -> None:
    fast, slow = (
        parse(f"SUBSCRIBE {name} MATCH {pattern}")
        for name, pattern in (("fast", "a:[v = 1]"), ("slow", "a:[v = 1] ; !b:[v = 2] FOR 1 s"))
    )
    task = Task(
        (Part(fast, apart=slow),), time="ts", stream=None, simultaneous="ordered", clock_us=10**9
    )
    rows = pa.table({"ts": [0, 5], "v": [1, 3], ROW: [0, 1], APART: [is_marked, False]})
    told = [row for batch in task.run(iter(rows.to_batches())) for row in batch.to_pylist()]
    assert [row["subscription"] for row in told] == ["fast", "slow"][: 1 + is_marked]


def test_rows_that_are_refused_are_told_only_where_somebody_asks() -> None:
    program = parse("STREAM t (ts timestamp, v integer); SUBSCRIBE s FROM t MATCH a:[v = 1]")
    times = pa.array([1, 2], pa.timestamp("us", tz="UTC"))
    rows = pa.record_batch({"ts": times, "v": pa.array([1.5, 1.0]), ROW: pa.array([0, 1])})
    kinds = {}
    for tells in (True, False):
        task = Task((Part(program),), "ts", "t", "ordered", tells_refused=tells)
        kinds[tells] = [one["kind"] for b in task.run(iter([rows])) for one in b.to_pylist()]
    assert kinds == {True: ["match", "dead_letter"], False: ["match"]}


@pytest.mark.parametrize("tells", [True, False])
def test_a_late_row_is_an_error_whoever_asks(tells: bool) -> None:
    times = pa.array([2, 1], pa.timestamp("us", tz="UTC"))
    rows = pa.record_batch({"ts": times, "v": pa.array([1, 1]), ROW: pa.array([0, 1])})
    task = Task((Part(parse("SUBSCRIBE s MATCH a:[v = 1]")),), "ts", None, "ordered",
                tells_refused=tells)  # fmt: skip
    with pytest.raises(ConfigurationError, match="must grow with time"):
        list(task.run(iter([rows])))


@pytest.mark.parametrize(
    ("sizes", "gathered"),
    [
        ([4, 4, 2], [10]),
        ([4, 4, 3], [8, 3]),
        ([25, 1], [25, 1]),
        ([1, 25], [1, 25]),
        ([0, 10, 0], [10]),
        ([], []),
    ],
)
def test_as_many_rows_are_gathered_as_an_engine_takes_at_once(
    sizes: list[int], gathered: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "rows_at_once", lambda *_: 10)
    batches = [pa.record_batch({"n": pa.array(range(size), pa.int64())}) for size in sizes]
    assert [table.num_rows for table in work._gathered(iter(batches), cells=1)] == gathered
