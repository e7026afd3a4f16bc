"""Subscriptions from parameter tables: by column or by row, they are what the filled texts are."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tocsin.engine import Engine
from tocsin.errors import ConfigurationError, LanguageError

TEMPLATES = {
    "by column": "SUBSCRIBE s_{id} MATCH a:[k = {k} AND v > {low}] ; b:[v <= {low}]",
    "with a window": "SUBSCRIBE s_{id} MATCH a:[k = {k}] -> b:[v > {low}] WITHIN 2 s",
    "contiguous": "SUBSCRIBE s_{id} MATCH a:[k = {k}] , b:[v BETWEEN {low} AND 3]",
    "a guard": "SUBSCRIBE s_{id} MATCH a:[k = {k}] ; b:[v > a.v + {low}]",
    "what it emits": "SUBSCRIBE s_{id} MATCH a:[k = {k}] EMIT a.v + {low} AS v",
    "a limit": "SUBSCRIBE s_{id} MATCH a:[k = {k} AND v > {low}] LIMIT 1",
    "an absence": "SUBSCRIBE s_{id} MATCH a:[k = {k}] ; !b:[v > {low}] FOR 1 s",
    "alternatives": "SUBSCRIBE s_{id} MATCH a:[k = {k} OR v = {low}]",
}
ROWS = st.lists(
    st.fixed_dictionaries(
        {"k": st.sampled_from("ab"), "v": st.integers(0, 4) | st.just(None)}
    ),
    max_size=10,
)  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=4),
    ROWS,
)
def test_a_table_gives_what_its_rows_give(
    template: str, values: list[tuple[str, int]], stream: list[dict[str, Any]]
) -> None:
    table = [{"id": i, "k": k, "low": low} for i, (k, low) in enumerate(values)]
    rows = [{"ts": 500 * i, **row} for i, row in enumerate(stream)]
    wanted = tocsin.match(rows, template, engine="reference", table=table)
    assert Engine(template, table=table).process(rows) == wanted
    assert Engine(template, table=pa.Table.from_pylist(table)).process(rows) == wanted


def test_rows_come_and_go_while_events_flow() -> None:
    engine = Engine("SUBSCRIBE other MATCH [k = 'z']", time="ts")
    table = [{"id": i, "k": "a", "low": i} for i in range(5)]
    engine.process([{"ts": 0, "k": "a", "v": 9}])
    engine.subscribe(TEMPLATES["by column"], table)
    assert engine.subscriptions == ("other", *(f"s_{i}" for i in range(5)))
    assert (
        engine.process([{"ts": 1, "k": "a", "v": 2}, {"ts": 2, "k": "b", "v": 1}])[0].subscription
        == "s_1"
    )
    engine.unsubscribe("s_1")
    found = engine.process([{"ts": 3, "k": "a", "v": 3}, {"ts": 4, "k": "b", "v": 0}])
    assert {one.subscription for one in found} == {"s_0", "s_2"}
    for i in (0, 2, 3, 4):
        engine.unsubscribe(f"s_{i}")
    engine.unsubscribe("other")
    stats = engine.stats()
    assert (stats.instances, stats.states, stats.subscriptions) == (0, 0, {})


def test_a_row_with_a_limit_is_finished_on_its_own() -> None:
    engine = Engine(TEMPLATES["a limit"], table=[{"id": i, "k": "a", "low": i} for i in (0, 5)])
    rows = [{"ts": i, "k": "a", "v": v} for i, v in enumerate((1, 2, 9))]
    assert [one.subscription for one in engine.process(rows)] == ["s_0", "s_5"]
    assert engine.stats().subscriptions["s_0"].is_finished
    engine.unsubscribe("s_0")
    assert engine.subscriptions == ("s_5",)


def test_what_is_wrong_with_a_table_is_said() -> None:
    template = TEMPLATES["by column"]
    with pytest.raises(ConfigurationError, match="no parameters"):
        Engine("SUBSCRIBE s MATCH [v > 1]", table=[{"v": 1}])
    with pytest.raises(ConfigurationError, match="row 2 gives the name 's_1'"):
        Engine(template, table=[{"id": 1, "k": "a", "low": i} for i in range(2)])
    engine = Engine(template, table=[{"id": 1, "k": "a", "low": 1}])
    with pytest.raises(LanguageError, match="in force already"):
        engine.subscribe(template, [{"id": 1, "k": "b", "low": 2}])
    with pytest.raises(LanguageError, match="in force already"):
        engine.subscribe("SUBSCRIBE s_1 MATCH [v > 1]")
    assert engine.subscriptions == ("s_1",)


def test_a_row_can_be_traced() -> None:
    engine = Engine(TEMPLATES["by column"], table=[{"id": 1, "k": "a", "low": 1}], time="ts")
    engine.process([{"ts": 0, "k": "a", "v": 2}, {"ts": 1, "k": "b", "v": 3}])
    shown = str(engine.trace("s_1"))
    assert "k = 'a'" in shown
    assert "waits for b" in shown
