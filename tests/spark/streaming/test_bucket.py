"""Buckets in micro-batches give what the reference gives; late rows are told; idle ones leave."""

from __future__ import annotations

import random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tests.plan.partition.dense import dense_cases
from tests.spark.streaming.simulation import Rows, Simulation, by_reference, cut, in_order, prepared

from tocsin.spark.schema import END, ROW, STREAM

QUIET = """
SUBSCRIBE quiet FROM one MATCH a:[k = 'a' AND g = $g] ; !b:[k = 'b' AND g = $g] FOR 5 s
"""
PAIR = "SUBSCRIBE pair FROM one MATCH a:[k = 'a' AND g = $g] ; b:[k = 'b' AND g = $g] WITHIN 5 s"


def row(number: int, ts: int, k: str, g: float = 1.0) -> dict[str, object]:
    return {ROW: number, "ts": ts, END: ts, "k": k, "v": 1, "g": g, "h": None, STREAM: "one"}


@given(
    dense_cases(),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.sampled_from([0, 0, 1000, 4000]),
    st.booleans(),
    st.integers(0, 1000),
)
def test_micro_batches_in_any_order_equal_the_reference(
    case: tuple[str, Rows], sizes: list[int], delay_ms: int, forgetful: bool, seed: int
) -> None:
    text, given_rows = case
    rows = prepared(given_rows)
    draw = random.Random(seed)
    arrival = sorted(rows, key=lambda one: one[END] + draw.random() * delay_ms)
    if delay_ms == 0:  # then events with equal ends must come together, or the last are late
        arrival, sizes = rows, [len(rows)]
    query = Simulation(text, delay_ms=delay_ms, forgetful=forgetful)
    for batch in cut(arrival, sizes):
        query.micro_batch(batch)
    query.micro_batch([])
    query.micro_batch([])
    wanted = by_reference(text, rows, query.watermark_ms)
    event("some matches" if wanted.num_rows else "no matches")
    assert in_order(query.found()) == in_order(wanted)


def test_an_absence_completes_with_no_event_of_its_key() -> None:
    query = Simulation(QUIET, delay_ms=1000, buckets=7)
    query.micro_batch([row(0, 10_000, "a", 1.0)])
    query.micro_batch([row(1, 20_000, "b", 2.0)])
    assert query.found().num_rows == 0
    query.micro_batch([])
    assert query.found()["events"].to_pylist() == [[("a", [0])]]


def test_a_late_event_is_told_once_and_changes_nothing() -> None:
    query = Simulation(f"{PAIR};{QUIET}", delay_ms=1000)
    query.micro_batch([row(0, 10_000, "a")])
    query.micro_batch([row(1, 9_000, "a"), row(2, 12_000, "b")])
    query.micro_batch([row(3, 20_000, "z")])
    query.micro_batch([])
    found = query.found().to_pylist()
    (late,) = [one for one in found if one["kind"] == "late"]
    assert late["position"] == 1
    assert late["emit"] == [("reason", '"late: the event ends at 9000, not after $clock 9000"')]
    assert [one["events"] for one in found if one["kind"] == "match"] == [[("a", [0]), ("b", [2])]]


def test_idle_buckets_leave_no_state() -> None:
    query = Simulation(f"{PAIR};{QUIET}", delay_ms=1000)
    query.micro_batch([row(0, 10_000, "a", 1.0), row(1, 10_500, "a", 2.0)])
    query.micro_batch([row(2, 13_000, "b", 1.0)])
    assert query.states
    query.micro_batch([row(3, 60_000, "a", 1.0)])
    query.micro_batch([row(4, 120_000, "z", 1.0)])
    query.micro_batch([])
    query.micro_batch([])
    assert all(state.snapshot is None for state in query.states.values())


def test_derived_events_may_have_attributes_that_no_row_has() -> None:
    program = """
    SUBSCRIBE p FROM one MATCH a:[k = 'a' AND g = $g]{2} BY ; WITHIN 9 s
    EMIT $g AS g, count(a) AS times INTO bursts;
    SUBSCRIBE r FROM bursts MATCH b:[times > 1 AND g = $g]
    """
    query = Simulation(program, delay_ms=0)
    query.micro_batch([row(0, 10_000, "a"), row(1, 11_000, "a")])
    query.micro_batch([])
    assert sorted(query.found()["subscription"].to_pylist()) == ["p", "r"]


def test_an_event_at_the_moment_0_is_called_for_like_others() -> None:
    query = Simulation(PAIR, delay_ms=0, buckets=7)
    query.micro_batch([row(0, 0, "a", 1.0), row(1, 0, "b", 1.0)])
    query.micro_batch([row(2, 5_000, "a", 2.0)])
    query.micro_batch([])
    assert query.found()["events"].to_pylist() == [[("a", [0]), ("b", [1])]]


def test_a_worker_that_has_the_engine_restores_nothing() -> None:
    query = Simulation("SUBSCRIBE s FROM one MATCH a:[k = 'a'] ; b:[k = 'b']", delay_ms=1000)
    for number in range(6):
        query.micro_batch([row(number, 10_000 + 2000 * number, "a")])
    assert (query.live.made, query.live.restored) == (1, 0)


def test_a_stream_that_began_before_1970_says_so_and_is_run() -> None:
    begin = -1_000_000_000
    query = Simulation(f"{PAIR};{QUIET}", delay_ms=1000, start_ms=begin)
    rows = [
        row(0, begin, "a"), row(1, begin + 2_000, "b"), row(2, begin + 4_000, "a", 2.0),
        row(3, begin + 60_000, "z"),
    ]  # fmt: skip
    for one in rows:
        query.micro_batch([one])
    query.micro_batch([])
    clock = begin + 59_000
    assert query.task.watermark_ms(query.watermark_ms) == clock
    wanted = by_reference(f"{PAIR};{QUIET}", rows, clock)
    assert in_order(query.found()) == in_order(wanted)
    assert set(wanted["subscription"].to_pylist()) == {"pair", "quiet"}


def test_an_event_that_no_watermark_can_pass_is_told_once_and_does_not_wait() -> None:
    query = Simulation(f"{PAIR};{QUIET}", delay_ms=1000)
    query.micro_batch([row(0, -5_000, "a"), row(1, 0, "a")])
    (told,) = query.found().to_pylist()
    assert (told["kind"], told["position"]) == ("bad_time", 0)
    ((_, reason),) = told["emit"]
    assert "at -5000, before 0, where Spark's watermark begins; say with start=" in reason
    query.micro_batch([row(2, 2_000, "b")])
    query.micro_batch([row(3, -4_000, "a"), row(4, 9_000, "z")])
    query.micro_batch([])
    found = query.found().to_pylist()
    assert [one["position"] for one in found if one["kind"] == "late"] == [3]
    assert [one["events"] for one in found if one["kind"] == "match"] == [[("a", [1]), ("b", [2])]]
