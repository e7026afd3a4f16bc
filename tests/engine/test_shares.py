"""The memory of a lane is divided among its subscriptions."""

from __future__ import annotations

import pytest

from tocsin.engine import Engine, Options

SHORT = "SUBSCRIBE short MATCH a:[k = 1] ; b:[k = 2]"
LONG = "SUBSCRIBE long MATCH a:[k = 3] ; b:[k = 4] ; c:[k = 5]+ BY ; ; d:[k = 6 AND v > a.v]"
SAME = "SUBSCRIBE same MATCH a:[k = 1] ; b:[k = 2]"


def bytes_of(engine: Engine) -> dict[str, int]:
    return {name: one.bytes_estimate for name, one in engine.stats().subscriptions.items()}


def fixed(engine: Engine) -> int:
    """Return the memory of a lane without its partial matches."""
    (unit,) = engine._feed.course.lanes.values()
    return unit.lane.nbytes - unit.lane.machine.nbytes


@pytest.mark.parametrize("options", [Options(), Options(sharing=False)], ids=["shared", "alone"])
def test_the_shares_of_plan_and_index_make_the_whole(options: Options) -> None:
    engine = Engine(f"{SHORT}; {LONG}; {SAME}", options=options)
    shares = bytes_of(engine)
    assert sum(shares.values()) == pytest.approx(fixed(engine), abs=len(shares))
    assert shares["long"] > shares["short"] == shares["same"] > 0


def test_what_two_share_counts_half_for_each() -> None:
    alone, together = (
        bytes_of(Engine(f"{SHORT}; {SAME}; {LONG}", options=Options(sharing=sharing)))
        for sharing in (False, True)
    )
    assert together["short"] / together["long"] < alone["short"] / alone["long"]


def test_live_partial_matches_count() -> None:
    engine = Engine(f"{SHORT}; {LONG}")
    before = bytes_of(engine)
    engine.process([{"ts": i, "k": 1} for i in range(500)])
    after = bytes_of(engine)
    grown = {name: after[name] - before[name] for name in after}
    assert grown["short"] > 500 * 24
    assert grown["long"] < 1_000  # the index has seen values, and no partial match of it lives
    assert sum(after.values()) <= engine.stats().bytes_estimate


def test_partial_matches_of_a_loop_are_divided_too() -> None:
    loop = "MATCH a:[k = 1]+ BY ; ; b:[k = 2]"
    one, two = Engine(f"SUBSCRIBE s {loop}"), Engine(f"SUBSCRIBE s {loop}; SUBSCRIBE t {loop}")
    for engine in (one, two):
        engine.process([{"ts": i, "k": 1} for i in range(10)])
    (whole,), halves = bytes_of(one).values(), bytes_of(two)
    assert halves["s"] == halves["t"]
    assert 2 * halves["s"] == pytest.approx(whole, rel=0.1)


def test_what_is_finished_takes_nothing() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 1] LIMIT 1; SUBSCRIBE t MATCH a:[k = 1]")
    engine.process([{"ts": 0, "k": 1}])
    found = bytes_of(engine)
    assert (found["s"], found["t"] > 0) == (0, True)


def test_rows_of_a_table_have_shares() -> None:
    table = [{"n": n} for n in range(50)]
    engine = Engine("SUBSCRIBE s_{n} MATCH a:[k = {n}] ; b:[k = 2]", table=table)
    shares = bytes_of(engine)
    assert len(shares) == 50
    assert sum(shares.values()) == pytest.approx(fixed(engine), abs=len(shares))
