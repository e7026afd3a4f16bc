"""An idle engine is as good as a new one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tocsin.engine import Engine

IDLE_AT_TIMES = [
    "a:[k = 'x'] ; b:[k = 'y'] WITHIN 3 s",
    "a:[k = 'x' AND v = $i] ; b:[k = 'y' AND v = $i] WITHIN 4 s",
    "a:[k = 'x'] , b:[k = 'y']",
    "a:[k = 'x'] -> b:[k = 'y'] WITHIN 2 s",
    "a:[k = 'x'] ; !b:[k = 'y'] FOR 2 s",
    "a:[k = 'x'] ; !c:[k = 'z'] ; b:[k = 'y'] WITHIN 3 s",
    "a:[k = 'x'] & b:[k = 'y'] WITHIN 2 s",
    "a:[k = 'x'] | b:[k = 'y' AND v > 2]",
    "a:[k = 'x']{2,3} BY ; WITHIN 3 s",
    "a:[k = 'x'] ; b:[k = 'y' AND v > a.v]+ UNTIL (k = 'z') WITHIN 4 s",
]
NEVER_IDLE = [
    "nth(2, a:[k = 'x'])",
    "!b:[k = 'z'] ; a:[k = 'x']",
    "!b:[k = 'z'] FOR 2 s ; a:[k = 'x']",
    "!b:[k = 'z'] FOR 2 s",
    "a:[k = 'x'] ; b:[k = 'y'] WITHIN 2 s PAIRS UNIQUE",
    "a:[k = 'x'] LIMIT 3",
]


def rows(seed: int, count: int = 60) -> list[dict[str, Any]]:
    draw, moment, found = random.Random(seed), 0, []
    for _ in range(count):
        moment += draw.choice([500, 1000, 6000])
        found.append({"ts": moment, "k": draw.choice("xyzw"), "v": draw.randint(1, 4)})
    return found


def told(engine: Engine, row: dict[str, Any]) -> list[Any]:
    return [(one.at, one.begin, one.end, one.variables) for one in engine.publish(row)]


@pytest.mark.parametrize("pattern", IDLE_AT_TIMES)
def test_an_idle_engine_goes_on_like_a_new_one(pattern: str) -> None:
    program = f"SUBSCRIBE s MATCH {pattern}"
    engine, others, times = Engine(program), [], 0
    for row in rows(7):
        wanted = told(engine, row)
        assert [told(other, row) for other in others] == [wanted] * len(others)
        clock = engine.clock
        assert clock is not None
        engine.advance(clock)
        for other in others:
            other.advance(clock)
        if engine.is_idle() and len(others) < 4:
            times += 1
            others.append(Engine(program))
    assert times > 0


@pytest.mark.parametrize("pattern", NEVER_IDLE)
def test_what_counts_from_the_start_is_never_idle(pattern: str) -> None:
    engine = Engine(f"SUBSCRIBE s MATCH {pattern}")
    for row in rows(3, 20):
        engine.publish(row)
        assert not engine.is_idle()
        engine.advance(row["ts"] + 400)
        assert not engine.is_idle()
