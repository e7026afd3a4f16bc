"""The policies of lanes, decided on arrays: what the reference keeps, and nothing made for it."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import (
    Rows,
    assert_equal,
    event_by_event,
    expected,
    in_batches,
    in_one_go,
    with_snapshots,
)
from tests.engine.linear_programs import linear_programs, linear_subscriptions

from tocsin.engine import Engine, Limits, Options, lane_matches
from tocsin.testing.runnable import rows

SIZES = st.lists(st.integers(1, 5), max_size=5)


@given(linear_programs(), rows(max_size=14), SIZES, st.sets(st.integers(0, 13), max_size=3))
def test_batches_and_snapshots_change_nothing(
    text: str, stream: Rows, sizes: list[int], cuts: set[int]
) -> None:
    wanted = expected(text, stream)
    assert_equal(in_one_go(text, stream), wanted)
    assert_equal(event_by_event(text, stream), wanted)
    assert_equal(in_batches(text, stream, sizes), wanted)
    assert_equal(with_snapshots(text, stream, sorted(cuts)), wanted)


SOURCES = ("base", "other", "base, other")


@given(linear_programs(sources=SOURCES), rows(max_size=14, streams=("base", "other")), SIZES)
def test_lanes_of_several_streams_are_merged(text: str, stream: Rows, sizes: list[int]) -> None:
    assert_equal(in_batches(text, stream, sizes), expected(text, stream))


@given(
    linear_subscriptions(name="s", source="base, made"),
    rows(max_size=14, streams=("base",)),
    st.integers(0, 14),
    SIZES,
)
def test_a_lane_goes_on_when_nobody_feeds_it_any_more(
    text: str, stream: Rows, gone: int, sizes: list[int]
) -> None:
    maker = "SUBSCRIBE maker FROM base MATCH m:[k = 'a'] EMIT 'b' AS k, 3 AS v, 'x' AS g INTO made"
    live = [*stream[:gone], {"$unsubscribe": "maker"}, *stream[gone:]]
    program = f"{maker};\n{text}"
    assert_equal(in_batches(program, live, sizes), expected(program, live))


def table(kinds: str, **columns: list[Any]) -> pa.Table:
    return pa.table({"ts": [1000 * i for i in range(len(kinds))], "k": list(kinds), **columns})


@pytest.mark.parametrize(
    "policy", ["DUPLICATES FIRST", "PAIRS UNIQUE", "PAIRS SEPARATE", "LIMIT 3"]
)
def test_nothing_is_made_of_a_match_until_somebody_reads_it(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError(policy)

    monkeypatch.setattr(lane_matches.Decoded, "__init__", refuse)
    engine = Engine(f"SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b'] {policy}")
    found = engine.process(table("aabab" * 20))
    assert 0 < len(found) < 1000
    assert engine.stats().subscriptions["s"].notifications == len(found)


@pytest.mark.parametrize(
    ("which", "kept"), [("FIRST", [(0, 2), (1, 2)]), ("LAST", [(0, 2), (1, 2)])]
)
def test_whole_floats_and_integers_are_equal_variables(
    which: str, kept: list[tuple[int, int]]
) -> None:
    text = f"SUBSCRIBE s MATCH a:[v = $x] ; b:[k = 'b'] DUPLICATES {which}"
    mixed: Rows = [{"ts": 0, "v": 1}, {"ts": 1, "v": 2.5}, {"ts": 2, "k": "b"}]
    found = Engine(text).process(mixed)
    assert [(n.events["a"][0], n.events["b"][0]) for n in found] == kept
    same: Rows = [{"ts": 0, "v": 1}, {"ts": 1, "v": 1.0}, {"ts": 2, "k": "b"}]
    (only,) = Engine(text).process(same)
    assert only.events["a"] == ((0,) if which == "FIRST" else (1,))


def test_the_matches_of_a_subscription_that_is_stopped_in_the_same_batch_are_told() -> None:
    limits = Limits(per_subscription=3, policy="stop")
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b']", limits=limits)
    found = engine.process(table("abaaaaa"))
    assert [n.position for n in found] == [1]
    assert engine.stats().subscriptions["s"].stopped is not None


def test_what_is_exhausted_leaves_the_plan() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b'] LIMIT 1")
    assert len(engine.process(table("aab"))) == 1
    assert engine.stats().subscriptions["s"].is_finished
    assert engine.stats().states == 0


def test_used_events_that_no_match_can_hold_are_forgotten() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b'] PAIRS UNIQUE")
    short = len(engine.snapshot())
    engine.process(table("ab" * 50))
    middle = len(engine.snapshot())
    engine.process(pa.table({"ts": [10**6 + i for i in range(10_000)], "k": list("ab" * 5000)}))
    assert len(engine.snapshot()) < middle + 10 * (middle - short)


@given(linear_programs(), rows(max_size=14), SIZES)
def test_counts_do_not_depend_on_batches_and_roads(
    text: str, stream: Rows, sizes: list[int]
) -> None:
    whole, parts = Engine(text), Engine(text)
    general = Engine(text, options=Options(kernels=False))
    whole.process(stream)
    for begin, size in zip(accumulate(sizes, initial=0), [*sizes, len(stream)], strict=True):
        parts.process(stream[begin : begin + size])
    for row in stream:
        general.publish(row)
    assert _counts(whole) == _counts(parts) == _counts(general)


def _counts(engine: Engine) -> dict[str, tuple[int, int]]:
    found = engine.stats().subscriptions
    return {name: (one.matches, one.notifications) for name, one in found.items()}


def test_matches_behind_limit_do_not_count() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 1] ; b:[k = 2] LIMIT 2")
    engine.process([{"ts": i, "k": k} for i, k in enumerate([1, 1, 1, 2, 2, 2])])
    assert _counts(engine) == {"s": (3, 2)}  # one event completes three, and ends it


def test_matches_behind_limit_per_value_count() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = $x] LIMIT 1 PER $x")
    engine.process([{"ts": i, "k": 1} for i in range(3)])
    assert _counts(engine) == {"s": (3, 1)}
