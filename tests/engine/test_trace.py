"""`Engine.trace` tells why a subscription did or did not match."""

from __future__ import annotations

import pytest

from tocsin.engine import Engine
from tocsin.errors import ConfigurationError

TEXT = "SUBSCRIBE s MATCH a:[k = 'a' AND g = $x] ; b:[k = 'b' AND g = $x AND v > a.v]"


def test_it_names_the_condition_that_refused_an_event() -> None:
    engine = Engine(TEXT)
    engine.process(
        [
            {"ts": 0, "k": "a", "g": 1, "v": 5},
            {"ts": 1, "k": "c"},
            {"ts": 2, "k": "b", "g": 2, "v": 9},
            {"ts": 3, "k": "b", "g": 1, "v": 3},
            {"ts": 4, "k": "b", "g": 1, "v": 7},
        ]
    )
    (partial,) = engine.trace("s").partials
    assert (partial.events, partial.waits_for) == ({"a": (0,)}, "b")
    assert [(one.row, one.refused_by) for one in partial.outcomes] == [
        (1, "k = 'b'"),
        (2, "g = $x"),
        (3, "v > a.v"),
        (4, None),
    ]


def test_it_tells_what_became_of_events_as_the_first_of_a_match() -> None:
    engine = Engine(TEXT)
    engine.process([{"ts": 0, "k": "a"}, {"ts": 1, "k": "a", "g": 1}])
    (first,) = engine.trace("s").first
    assert [(one.row, one.refused_by) for one in first.outcomes] == [(0, "g = $x"), (1, None)]


def test_it_tells_what_waits_for_the_clock() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; ![k = 'b'] FOR 5 s")
    engine.publish({"ts": 1000, "k": "a"})
    (partial,) = engine.trace("s").partials
    assert partial.waits_for == "the clock to pass 6000 without what is absent"


def test_it_tells_how_long_a_silence_has_to_last() -> None:
    engine = Engine("SUBSCRIBE s MATCH ![k = 'b'] FOR 5 s")
    engine.publish({"ts": 1000, "k": "a"})
    assert "6000" in str(engine.trace("s"))


def test_it_tells_that_an_event_was_of_another_stream() -> None:
    engine = Engine("SUBSCRIBE s FROM asks, bids MATCH a:asks[v > 0]")
    engine.publish({"ts": 0, "v": 1, "$stream": "bids"})
    assert "of stream asks does not hold" in str(engine.trace("s"))


def test_it_tells_that_a_limit_is_reached() -> None:
    engine = Engine("SUBSCRIBE s MATCH [v > 0] LIMIT 1")
    engine.publish({"ts": 0, "v": 1})
    assert str(engine.trace("s")) == "subscription s: LIMIT is reached"


@pytest.mark.parametrize(
    "pattern",
    [
        "(a:[v > 0] & b:[v > 1]) ; c:[v > 2]",
        "a:[v > 0] -> (b:[v > 1] | c:[v > 2])",
        "nth(3, a:[v > 0])",
        "repeat(a:[v > 0], 2, v, 1) BY &",
        "(a:[v > 0] , b:[v > 1]) @ (duration() > 1 s)",
    ],
)
def test_every_operator_says_what_it_waits_for(pattern: str) -> None:
    engine = Engine(f"SUBSCRIBE s MATCH {pattern}")
    engine.process([{"ts": 0, "v": 1}, {"ts": 1, "v": 1}])
    assert "waits for" in str(engine.trace("s"))


def test_an_unknown_subscription_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no subscription is called 'nobody'"):
        Engine(TEXT).trace("nobody")


def test_a_partial_match_whose_window_is_over_is_not_told_though_another_waits_on() -> None:
    pattern = "MATCH a:[k = 1] -> b:[k = 2] WITHIN"
    engine = Engine(f"SUBSCRIBE fast {pattern} 1 min; SUBSCRIBE slow {pattern} 1 day")
    engine.publish({"ts": 0, "k": 1})
    engine.advance(3_600_000)
    assert [len(engine.trace(name).partials) for name in ("fast", "slow")] == [0, 1]
