"""What subscriptions take in memory once they are loaded."""

from __future__ import annotations

from tocsin.engine import Engine
from tocsin.engine.sizes import Sizes, sizes_of
from tocsin.language.live import LiveProgram
from tocsin.language.parser import parse

RULE = "SUBSCRIBE s{0} MATCH a:[k = {0}] ; b:[k = {0} AND v > a.v]"


def sizes(text: str) -> Sizes:
    program = parse(text)
    return sizes_of(LiveProgram(program).normal(program.subscriptions))


def test_a_lane_takes_what_a_running_engine_says() -> None:
    text = "; ".join(RULE.format(i) for i in range(50))
    (memory,) = sizes(text).of_lane.values()
    engine = Engine(text)
    engine.process([])
    unit = engine._feed.course.lanes["default",]
    unit.lane.refit()
    unit.lane.index.arrays()
    assert memory.total == engine.stats().bytes_estimate


def test_more_subscriptions_take_more() -> None:
    few, many = (
        sizes("; ".join(RULE.format(i) for i in range(n))).of_lane["default",] for n in (1, 300)
    )
    assert many.index > few.index
    assert many.plan > few.plan


def test_on_the_general_road_a_longer_pattern_takes_more() -> None:
    text = """
        SUBSCRIBE short MATCH a:[k = 1] & b:[k = 2];
        SUBSCRIBE long MATCH (a:[k = 1] & b:[k = 2]) & (c:[k = 3] & d:[k = 4])
    """
    found = sizes(text)
    assert found.of_lane == {}
    assert found.of_watch["long"].plan > 1.5 * found.of_watch["short"].plan
    assert found.of_watch["short"].plan < 200_000


def test_templates_have_no_size() -> None:
    assert sizes("SUBSCRIBE s_{n} MATCH a:[x = {n}]") == Sizes({}, {})
