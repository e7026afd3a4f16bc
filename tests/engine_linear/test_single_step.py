"""A filter that no partial match waits for is not evaluated, and the answers are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import Rows
from tests.engine.programs import live_programs, live_rows

from tocsin.engine import Engine, Limits, Options
from tocsin.engine.linear.arrays import Int32Array
from tocsin.engine.linear.awaited import count_awaited
from tocsin.engine.linear.machine import LinearMachine
from tocsin.testing.runnable import rows, runnable_programs

STEP = Options(single_step=True)


def row(second: int, k: str) -> dict[str, Any]:
    return {"ts": second * 1000, "k": k}


def evaluated(engine: Engine, second: int, k: str) -> int:
    """Return how many filters are evaluated for a row."""
    before = engine.stats().evaluated
    engine.publish(row(second, k))
    return engine.stats().evaluated - before


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("a:[k = 'a'] ; b:[k = 'b']", 1),
        ("a:[k = 'a'] -> b:[k = 'b']", 1),
        ("a:[k = 'a'] , b:[k = 'b']", 1),
        ("a:[k = 'a'] ->{k != 'c'} b:[k = 'b']", 2),
        ("a:[k = 'a'] ; ![k = 'c'] ; b:[k = 'b']", 2),
        ("a:[k = 'a'] ; b:[k = 'b']{1,2} UNTIL (k = 'c')", 2),
        ("a:[k = 'a'] ; b:[k = 'b']+ BY ; @ (last(b.k) > 'a')", 2),
    ],
)
def test_what_follows_is_evaluated_once_somebody_waits_for_it(pattern: str, needed: int) -> None:
    engine = Engine(f"SUBSCRIBE s MATCH {pattern}", options=STEP)
    assert [evaluated(engine, second, "b") for second in range(3)] == [1, 1, 1]
    assert engine.stats().skipped == 3 * needed
    assert evaluated(engine, 3, "a") == 1
    assert evaluated(engine, 4, "x") == 1 + needed


def test_what_ends_an_iteration_that_starts_a_match_is_always_evaluated() -> None:
    text = "SUBSCRIBE s MATCH a:[k = 'a']{1,2} UNTIL (k = 'c') ; b:[k = 'b']"
    engine = Engine(text, options=STEP)
    assert evaluated(engine, 0, "x") == 2


def test_a_filter_is_evaluated_no_more_when_nobody_waits_for_it_any_more() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] -> b:[k = 'b'] WITHIN 2 s", options=STEP)
    assert [evaluated(engine, second, k) for second, k in enumerate("abb")] == [1, 2, 1]
    engine.process([row(5, "a"), row(9, "x")])
    assert evaluated(engine, 10, "b") == 1  # `stats` has let go of what is outside its window


def test_the_very_next_event_is_waited_for_once() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b']", options=STEP)
    assert [evaluated(engine, second, k) for second, k in enumerate("axb")] == [1, 2, 1]


def test_without_the_option_everything_is_evaluated() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b']")
    assert evaluated(engine, 0, "b") == 2
    assert engine.stats().skipped == 0


def test_the_general_road_counts_what_it_evaluates() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] & b:[k = 'b']")
    assert evaluated(engine, 0, "b") == 2


def test_a_snapshot_tells_what_is_waited_for() -> None:
    text = "SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b']"
    engine, later = Engine(text, options=STEP), Engine(text, options=STEP)
    engine.publish(row(0, "a"))
    later.restore(engine.snapshot())
    assert len(later.publish(row(1, "b"))) == 1


@pytest.mark.parametrize(("policy", "last"), [("refuse", "z"), ("drop oldest", "z"), ("stop", "q")])
@given(stream=st.lists(st.sampled_from(["ax", "ay", "bx", "cz"]), max_size=25))
def test_limits_leave_the_same(policy: Any, last: str, stream: list[str]) -> None:
    text = f"""
        SUBSCRIBE s MATCH a:[k STARTS WITH 'a'] ; b:[k ENDS WITH 'x'] ; c:[k CONTAINS '{last}'];
        SUBSCRIBE t MATCH b:[k STARTS WITH 'b'] -> c:[k ENDS WITH 'z']
    """
    limits = Limits(per_subscription=4, policy=policy)
    engines = [Engine(text, limits=limits, options=one) for one in (Options(), STEP)]
    made = [row(second, k) for second, k in enumerate(stream)]
    assert list(engines[0].process(made)) == list(engines[1].process(made))
    assert engines[0].stats().subscriptions["s"] == engines[1].stats().subscriptions["s"]


def counted_anew(machine: LinearMachine) -> Int32Array:
    anew = np.zeros_like(machine.work.awaited)
    if machine.plan is not None:
        count_awaited(machine.plan, machine.instances.waiting, anew)
    return anew


def check_counts(text: str, stream: Rows, *, history: bool = False) -> None:
    engine = Engine(text, options=STEP, history=history)
    for one in stream:
        engine.publish(one)
        engine.stats()  # windows that have passed, and subscriptions that went
        for unit in engine._feed.course.lanes.values():
            machine = unit.lane.machine
            assert machine.work.awaited.tolist() == counted_anew(machine).tolist()


@given(runnable_programs(), rows(max_size=11))
def test_what_is_awaited_is_what_groups_with_instances_need(text: str, stream: Rows) -> None:
    check_counts(text, stream)


@given(live_programs(), live_rows())
def test_also_where_subscriptions_come_and_go(text: str, stream: Rows) -> None:
    check_counts(text, stream, history=True)
