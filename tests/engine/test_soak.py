"""Long runs: memory stays, nothing is left behind, and what explodes is held."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from tocsin.engine import Engine, Limits

TEXTS = (
    "SUBSCRIBE s{i} MATCH a:[kind = {k} AND g = $x] ; b:[kind = {m} AND g = $x AND v > a.v] "
    "WITHIN 20 s",
    "SUBSCRIBE s{i} MATCH a:[kind = {k}] , b:[kind = {m}]",
    "SUBSCRIBE s{i} MATCH a:[kind = {k} AND v > 0.9]{{2,3}} BY -> WITHIN 1 min",
    "SUBSCRIBE s{i} MATCH a:[kind = {k}] -> !c:[kind = {m}] -> b:[v < 0.1] WITHIN 30 s",
)


def events(begin: int, count: int, seed: int) -> pa.Table:
    draw = np.random.default_rng([seed, begin])
    return pa.table({
        "ts": np.arange(begin, begin + count, dtype=np.int64) * 250,
        "kind": draw.integers(0, 400, count),
        "g": draw.integers(0, 50, count),
        "v": draw.random(count),
    })  # fmt: skip


def churn(engine: Engine, number: int) -> None:
    """Let the oldest subscription go and a new one come."""
    text = TEXTS[number % len(TEXTS)]
    engine.subscribe(text.format(i=number, k=number * 7 % 400, m=number * 11 % 400))
    if number >= 1_000:
        engine.unsubscribe(f"s{number - 1_000}")


def soak(rows: int, *, batch: int, changes: int) -> None:
    tracemalloc.start()
    engine = Engine("SUBSCRIBE idle MATCH [kind = 401]", time="ts")
    made = 0
    for _ in range(1_000):
        churn(engine, made)
        made += 1
    sizes = []
    for begin in range(0, rows, batch):
        engine.process(events(begin, batch, seed=3))
        for _ in range(changes):
            churn(engine, made)
            made += 1
        sizes.append((engine.stats().bytes_estimate, tracemalloc.get_traced_memory()[0]))
    tracemalloc.stop()
    middle, end = sizes[len(sizes) // 2], sizes[-1]
    assert end[0] <= 1.05 * middle[0]
    assert end[1] <= 1.05 * middle[1]
    for name in engine.subscriptions:
        engine.unsubscribe(name)
    stats = engine.stats()
    assert (stats.instances, stats.states, stats.bytes_estimate) == (0, 0, 0)
    assert engine.process(events(rows, 100, seed=3)) == engine.process(events(rows + 100, 1, 3))


def test_memory_stays_while_subscriptions_come_and_go() -> None:
    soak(60_000, batch=2_000, changes=40)


@pytest.mark.slow
def test_memory_stays_over_a_million_events() -> None:
    soak(1_000_000, batch=10_000, changes=100)


def test_a_pattern_that_explodes_is_held_and_others_are_served() -> None:
    text = """
        SUBSCRIBE explodes MATCH a:[v >= 0] ; b:[v >= 0] ; c:[v >= 0] ; d:[v > 2];
        SUBSCRIBE served MATCH a:[kind = 7] -> b:[kind = 8]
    """
    engine = Engine(text, time="ts", limits=Limits(per_subscription=5_000, total=20_000))
    alone = Engine("SUBSCRIBE served MATCH a:[kind = 7] -> b:[kind = 8]", time="ts")
    stream = events(0, 5_000, seed=5)
    found = engine.process(stream)
    assert list(found) == list(alone.process(stream))
    assert len(found) > 0
    stats = engine.stats().subscriptions["explodes"]
    assert stats.instances <= 5_000
    assert stats.refused > 0
