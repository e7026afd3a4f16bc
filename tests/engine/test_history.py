"""What SINCE looks back at is kept in few pieces, and only where somebody may look back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tocsin.engine import Engine

TEXT = """
    SUBSCRIBE both MATCH a:[k = 'a'] & b:[k = 'b'];
    SUBSCRIBE quiet MATCH a:[k = 'a'] ; !b:[k = 'b'] FOR 2 s;
    SUBSCRIBE told MATCH a:[k = 'd'] EMIT a.v AS v INTO tellings
"""
LATE = """
    SUBSCRIBE late FROM default SINCE BEGINNING MATCH a:[k = 'c'] , b:[k = 'c' OR k = 'd'];
    SUBSCRIBE told_late FROM tellings SINCE BEGINNING MATCH a:[v > 1]
"""
ROWS = st.lists(
    st.fixed_dictionaries({"k": st.sampled_from("abcccd"), "v": st.integers(0, 3)}), max_size=12
)


@given(ROWS, st.integers(1, 12))
def test_a_late_subscription_finds_all_of_it(drawn: list[dict[str, Any]], size: int) -> None:
    rows = [{"ts": 800 * i, **row} for i, row in enumerate(drawn)]
    engine = Engine(TEXT, history=True, stream="default", time="ts")
    for begin in range(0, len(rows), size):
        engine.process(pa.Table.from_pylist(rows[begin : begin + size]))
    found = engine.subscribe(LATE)
    wanted = tocsin.match(
        [*rows, {"$subscribe": LATE}], TEXT, engine="reference", stream="default", time="ts"
    )
    assert found == [one for one in wanted if "late" in one.subscription]


def test_events_that_concern_nobody_are_kept_together() -> None:
    engine = Engine(TEXT, history=True, stream="default", time="ts")
    rows = [{"ts": 400 * i, "k": "ab"[i % 2] if i % 50 < 2 else "c"} for i in range(500)]
    engine.process(pa.Table.from_pylist(rows))
    history = engine._feed.course.history
    assert history is not None
    assert len(history.steps) < 60


@pytest.mark.parametrize("late", [[], [{"$subscribe": LATE}]])
def test_events_are_kept_only_where_a_subscription_may_come(
    late: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = []

    class Spied(Engine):
        def __init__(self, *given: Any, history: bool, **options: Any) -> None:
            kept.append(history)
            super().__init__(*given, history=history, **options)

    monkeypatch.setattr("tocsin.engine.Engine", Spied)
    tocsin.match([{"ts": 0, "k": "a"}, *late], TEXT, stream="default")
    assert kept == [bool(late)]
