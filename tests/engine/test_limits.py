"""Limits on instances: each policy keeps them in bounds, counts, and leaves the others alone."""

from __future__ import annotations

from typing import Any

import pytest

from tocsin.engine import Engine, Limits, Options
from tocsin.errors import ConfigurationError

EXPLODES = "SUBSCRIBE many MATCH a:[v > 0] ; b:[v > 0] ; c:[v > 0] ; d:[v < 0]"
OTHER = "SUBSCRIBE other MATCH x:[v = 3] , y:[v = 4]"


def rows(count: int) -> list[dict[str, Any]]:
    return [{"ts": i * 1000, "v": 1 + i % 5} for i in range(count)]


@pytest.mark.parametrize("single_step", [False, True])
@pytest.mark.parametrize("policy", ["refuse", "drop oldest", "stop"])
def test_instances_stay_within_the_limit_and_others_are_served(
    policy: Any, single_step: bool
) -> None:
    limits, options = Limits(per_subscription=50, policy=policy), Options(single_step=single_step)
    engine = Engine(f"{EXPLODES}; {OTHER}", limits=limits, options=options)
    found = engine.process(rows(60))
    stats = engine.stats()
    assert stats.subscriptions["many"].instances <= 50
    assert [n.position for n in found if n.subscription == "other"] == list(range(3, 60, 5))
    many = stats.subscriptions["many"]
    assert (many.refused > 0) == (policy == "refuse")
    assert (many.dropped > 0) == (policy != "refuse")
    assert (many.stopped is not None) == (policy == "stop")


def test_a_stopped_subscription_says_why() -> None:
    engine = Engine(EXPLODES, limits=Limits(per_subscription=5, policy="stop"))
    engine.process(rows(20))
    assert "and 5 are allowed" in str(engine.stats().subscriptions["many"].stopped)
    assert "and 5 are allowed" in str(engine.trace("many"))
    assert engine.publish({"ts": 90_000, "v": -1}) == []


def test_the_oldest_are_dropped_and_the_newest_still_match() -> None:
    engine = Engine(
        "SUBSCRIBE s MATCH a:[v > 0] ; b:[v < 0]",
        limits=Limits(per_subscription=2, policy="drop oldest"),
    )
    engine.process(rows(5))
    found = engine.publish({"ts": 9_000, "v": -1})
    assert [n.events["a"] for n in found] == [(3,), (4,)]
    assert engine.stats().subscriptions["s"].dropped == 3


def test_refused_instances_are_the_new_ones() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[v > 0] ; b:[v < 0]", limits=Limits(per_subscription=2))
    engine.process(rows(5))
    found = engine.publish({"ts": 9_000, "v": -1})
    assert [n.events["a"] for n in found] == [(0,), (1,)]
    assert engine.stats().subscriptions["s"].refused == 3


def test_a_total_limit_counts_all_subscriptions() -> None:
    second = EXPLODES.replace("many", "more")
    engine = Engine(f"{EXPLODES}; {second}", limits=Limits(total=40))
    engine.process(rows(40))
    assert engine.stats().instances <= 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "explode"}, "policy='explode' is unknown"),
        ({"per_subscription": 0}, "per_subscription=0 leaves no room"),
        ({"total": -1}, "total=-1 leaves no room"),
    ],
)
def test_a_wrong_limit_is_refused(options: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Limits(**options)
