"""Snapshots of subscriptions that were loaded by column from a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import assert_equal
from tests.engine.test_tables import ROWS, TEMPLATES

import tocsin
from tocsin.engine import Engine, Limits, SnapshotError
from tocsin.engine.stats import SubscriptionStats
from tocsin.language.parser import parse
from tocsin.language.printer import to_text
from tocsin.language.template import fill
from tocsin.model.notification import Notifications

PATTERNS = TEMPLATES | {
    "iterated": "SUBSCRIBE s_{id} MATCH a:[k = {k}]{1,} BY -> ; b:[v > max(a.v)] WITHIN 4 s",
    "an absence between": "SUBSCRIBE s_{id} MATCH a:[k = {k}] ; !b:[v = {low}] ; c:[v > 1]",
    "pairs": "SUBSCRIBE s_{id} MATCH a:[k = {k}] ; b:[v > {low}] PAIRS UNIQUE",
    "derived": "SUBSCRIBE s_{id} MATCH a:[k = {k} AND v > {low}] EMIT a.v AS v INTO found",
}
OTHER = "SUBSCRIBE other MATCH a:[k = 'a'] ; b:[v > a.v]"
TABLE = [{"id": i, "k": "ab"[i % 2], "low": i} for i in range(5)]
ENDS = st.builds(lambda i: {"$unsubscribe": f"s_{i}"}, st.integers(0, 3))
VALUES = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=4)


def with_times(stream: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        row if "$unsubscribe" in row else {"ts": 500 * i, **row} for i, row in enumerate(stream)
    ]


@pytest.mark.parametrize("template", PATTERNS.values(), ids=PATTERNS)
@given(VALUES, st.builds(list.__add__, ROWS, st.lists(ENDS, max_size=2)), st.data())
def test_it_goes_on_as_if_it_had_never_stopped(
    template: str, values: list[tuple[str, int]], stream: list[dict[str, Any]], data: st.DataObject
) -> None:
    table = [{"id": i, "k": k, "low": low} for i, (k, low) in enumerate(values)]
    rows = with_times(data.draw(st.permutations(stream)))
    cuts = data.draw(st.sets(st.integers(0, len(rows))))
    begins = data.draw(st.integers(0, len(rows)))

    def fresh() -> Engine:
        engine = Engine(OTHER, time="ts")
        engine.subscribe(template, table)
        return engine

    engine, found, letters = Engine(OTHER, time="ts"), [], []
    filled = "\n".join(to_text(one) for one in fill(parse(template), table))
    wanted_rows = [*rows[:begins], {"$subscribe": filled}, *rows[begins:]]
    for index, row in enumerate(wanted_rows):
        if index == begins:
            engine.subscribe(template, table)
            engine._feed.rows += 1  # the row that the reference has instead
            continue
        if index in cuts:
            snapshot, engine = engine.snapshot(), fresh()
            engine.restore(snapshot)
        part = engine.process([row])
        found += list(part)
        letters += list(part.dead_letters)
    wanted = tocsin.match(wanted_rows, OTHER, engine="reference", time="ts")
    assert_equal(Notifications(found, dead_letters=letters, form=engine.time_form), wanted)


def _counts(engine: Engine, name: str) -> SubscriptionStats:
    """The numbers of a subscription; a plan made anew may have other room to spare."""
    return replace(engine.stats().subscriptions[name], bytes_estimate=0)


def test_counts_policies_and_finished_rows_survive() -> None:
    def engine_of() -> Engine:
        return Engine(PATTERNS["a limit"], table=TABLE, time="ts")

    engine = engine_of()
    engine.process([{"ts": i, "k": "a", "v": v} for i, v in enumerate((0, 1, 2, 3))])
    engine.unsubscribe("s_4")
    later = engine_of()
    later.restore(engine.snapshot())
    assert later.subscriptions == engine.subscriptions == ("s_0", "s_1", "s_2", "s_3")
    for name in engine.subscriptions:
        assert _counts(later, name) == _counts(engine, name)
    assert later.stats().subscriptions["s_2"].is_finished
    again = engine_of()
    again.restore(later.snapshot())
    assert [one.subscription for one in again.publish({"ts": 9, "k": "b", "v": 9})] == [
        "s_1",
        "s_3",
    ]


def test_what_limits_stopped_stays_stopped() -> None:
    def engine_of() -> Engine:
        limits = Limits(per_subscription=2, policy="stop")
        return Engine(PATTERNS["by column"], table=TABLE, time="ts", limits=limits)

    engine = engine_of()
    engine.process([{"ts": i, "k": "a", "v": 1} for i in range(4)])
    later = engine_of()
    later.restore(engine.snapshot())
    assert _counts(later, "s_0") == _counts(engine, "s_0")
    assert later.stats().subscriptions["s_0"].stopped is not None


@pytest.mark.parametrize(
    ("template", "table"),
    [
        (PATTERNS["by column"], TABLE[:4]),
        (PATTERNS["by column"], [*TABLE[:4], {"id": 4, "k": "a", "low": 9}]),
        (PATTERNS["by column"], [*TABLE[:4], {"id": 4, "k": "a", "low": 4.0}]),
        (PATTERNS["with a window"], TABLE),
    ],
)
def test_another_table_is_refused(template: str, table: list[dict[str, Any]]) -> None:
    engine = Engine(OTHER)
    engine.subscribe(PATTERNS["by column"], TABLE)
    other = Engine(OTHER)
    other.subscribe(template, table)
    with pytest.raises(SnapshotError, match=r"made from 's_\{id\}' and a table of 5 rows"):
        other.restore(engine.snapshot())
    assert len(other.subscriptions) == 1 + len(table)


def test_the_rows_are_not_in_it() -> None:
    sizes = []
    for count in (100, 20_000):
        table = [{"id": i, "k": f"key {i}", "low": 3} for i in range(count)]
        engine = Engine(PATTERNS["by column"], table=table, time="ts")
        engine.process([{"ts": i, "k": f"key {i}", "v": 4} for i in range(20)])
        sizes.append(len(engine.snapshot()))
    assert sizes[1] < sizes[0] + 200
