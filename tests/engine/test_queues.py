"""Groups that wait for one filter share a queue, and leave it for a second filter."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import assert_equal, expected

from tocsin.engine import Engine
from tocsin.engine.linear import LinearLane

FIRST = "SUBSCRIBE one MATCH a:[k = 'a'] ; b:[k = 'b']"
SECOND = "SUBSCRIBE two MATCH a:[k = 'a'] ; c:[k = 'c']"
GATED = "SUBSCRIBE gated MATCH a:[k = 'a'] ->{k = 'b'} b:[v > 2]"
CHECKED = "SUBSCRIBE checked MATCH m:[k = 'b']+ BY ; @ (last(m.v) > 2)"


def lane_of(engine: Engine) -> LinearLane:
    (unit,) = engine._feed.course.lanes.values()
    return unit.lane


def row(second: int, k: str, v: int = 3) -> dict[str, Any]:
    return {"ts": second * 1000, "k": k, "v": v}


def test_what_waits_is_found_when_its_group_leaves_the_queue() -> None:
    engine = Engine(FIRST)
    engine.publish(row(0, "a"))
    engine.subscribe(SECOND)  # the same beginning now waits for two filters
    engine.publish(row(1, "a"))
    found = [*engine.publish(row(2, "b")), *engine.publish(row(3, "c"))]
    assert [(one.subscription, one.events) for one in found] == [
        ("one", {"a": (0,), "b": (2,)}),
        ("one", {"a": (1,), "b": (2,)}),
        ("two", {"a": (1,), "c": (3,)}),
    ]


def test_nothing_is_left_of_queues_and_filters() -> None:
    engine = Engine("")
    for text in (FIRST, SECOND, GATED, CHECKED):
        engine.subscribe(text)
    engine.publish(row(0, "a"))
    for name in ("two", "gated", "checked"):
        engine.unsubscribe(name)
    lane = lane_of(engine)
    waits = lane.store.waits_of_filter
    assert lane.index.filter_count == 2
    assert [rows for rows in (waits.of(i).tolist() for i in range(waits.size + 9)) if rows]
    engine.unsubscribe("one")
    assert (lane.index.filter_count, waits.size, lane.store.waits_of_filter.size) == (0, 0, 0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), max_size=10))
def test_many_groups_of_one_gate_are_served_like_one(stream: list[tuple[str, int]]) -> None:
    texts = [
        f"SUBSCRIBE s{v} MATCH a:[k = 'a' AND v = {v}] ->{{k = 'b'}} b:[v > {v}]" for v in range(5)
    ]
    rows = [row(i, k, v) for i, (k, v) in enumerate(stream)]
    program = ";\n".join(texts)
    assert_equal(Engine(program).process(rows), expected(program, rows))
