"""An engine is used again only for the state it is in."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tocsin.language.parser import parse
from tocsin.spark.streaming.live_engines import LiveEngines
from tocsin.spark.streaming.task import Home, StreamTask

PROGRAM = parse("SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2]")
TASK = StreamTask("t", (Home(PROGRAM, 0, 2, ()),), "ts", None, "ordered", None, is_whole_ms=True)


def test_another_state_is_restored() -> None:
    live = LiveEngines()
    engine = live.take(TASK, 0, None, 0)
    early = engine.snapshot()
    engine.publish({"ts": 0, "v": 1})
    live.keep(TASK, 0, engine, engine.snapshot())
    other = live.take(TASK, 0, early, 0)
    assert other is not engine
    assert other.publish({"ts": 1, "v": 2}) == []


def test_an_idle_engine_serves_later_events_only() -> None:
    live = LiveEngines()
    engine = live.take(TASK, 0, None, 0)
    engine.advance(5)
    live.keep(TASK, 0, engine, None)
    assert live.take(TASK, 0, None, 6_000) is engine
    live.keep(TASK, 0, engine, None)
    assert live.take(TASK, 0, None, 5_000) is not engine


def test_the_layout_tells_programs_and_buckets_apart() -> None:
    other = StreamTask(
        "t", (Home(PROGRAM, 0, 3, ()),), "ts", None, "ordered", None, is_whole_ms=True
    )
    assert TASK.layout != other.layout
    assert replace(TASK, name="u").layout == TASK.layout


def test_only_so_many_engines_are_kept() -> None:
    live = LiveEngines(most=1)
    first, second = live.take(TASK, 0, None, 0), live.take(TASK, 1, None, 0)
    live.keep(TASK, 0, first, None)
    live.keep(TASK, 1, second, None)
    assert live.take(TASK, 0, None, 1) is not first
    assert live.take(TASK, 1, None, 1) is second
