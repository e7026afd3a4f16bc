"""`Engine.trace` tells how partial matches ended, the same on both roads."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.linear_programs import linear_programs
from tests.engine.programs import wild_programs

from tocsin.engine import Engine, Limits, Options
from tocsin.engine.endings import Ended
from tocsin.engine.trace import Trace
from tocsin.testing.runnable import rows as rows_of_any_kind
from tocsin.testing.runnable import runnable_programs

KERNELS = Options()
GENERAL = Options(kernels=False)
ROADS = pytest.mark.parametrize("options", [KERNELS, GENERAL], ids=["lane", "general"])


def rows(*kinds: str, apart: int = 1000) -> list[dict[str, object]]:
    """Events one after the other: a kind and a value, such as `a5`."""
    return [{"ts": at * apart, "k": one[0], "v": int(one[1:] or 0)} for at, one in enumerate(kinds)]


def ended(
    pattern: str, events: list[dict[str, object]], options: Options = GENERAL, **more: object
) -> list[str]:
    """Return how partial matches of a pattern ended."""
    engine = Engine(f"SUBSCRIBE s MATCH {pattern}", options=options, **more)  # type: ignore[arg-type]
    engine.follow("s")
    engine.process(events)
    return [str(one) for one in engine.trace("s").ended]


LINEAR = [
    (
        "a:[k = 'a'] ; b:[k = 'b'] WITHIN 1500 ms",
        rows("a", "c", "c", "b"),
        ["a=(0,); waited for b; its window of 1500 ms was over at 1500"],
    ),
    (
        "a:[k = 'a'] ; b:[k = 'b'] WITHIN 2 EVENTS",
        rows("a", "c", "c"),
        ["a=(0,); waited for b; its window of 2 events was over"],
    ),
    (
        "a:[k = 'a'] ; b:[k = 'b'] @ (b.v > a.v + 1) ; c:[k = 'c']",
        rows("a2", "b3"),
        ["a=(0,), b=(1,); @ (b.v > a.v + 1) does not hold (b.v = 3, a.v = 2)"],
    ),
    (
        "a:[k = 'a'] -> b:[k = 'b'] @ (t(b) - t(a) < 1 s)",
        rows("a", "b"),
        [
            "a=(0,), b=(1,); @ (t(b) - t(a) < 1 s) does not hold (t(b) = 1000, t(a) = 0)",
            "a=(0,); waited for b; row 1 came first, and what it completed was refused",
        ],
    ),
    (
        "a:[k = 'a'] ; b:[k = 'b' AND v = $x] WHERE $x > 3 AND a.v = 1",
        rows("a1", "b2"),
        ["a=(0,), b=(1,); WHERE $x > 3 AND a.v = 1 does not hold ($x = 2, a.v = 1)"],
    ),
    (
        "a:[k = 'a'] , b:[k = 'b' AND v > a.v]",
        rows("a2", "b1", "b9"),
        [
            "a=(0,); waited for b; row 1 came next; b refused it, "
            "v > a.v does not hold (v = 1, a.v = 2)"
        ],
    ),
    (
        "a:[k = 'a'] ->{v > 3} b:[k = 'b']",
        rows("a", "c1", "c5", "b9"),
        [
            "a=(0,); waited for b; row 2 came first; b refused it, "
            "k = 'b' does not hold (k = 'c')"
        ],
    ),
    (
        "a:[k = 'a']{1,5} BY ; UNTIL (v > 3) ; b:[k = 'b']",
        rows("a1", "c7"),
        ["a=(0,); waited for a; row 1 ended it, UNTIL (v > 3) holds"],
    ),
    (
        "a:[k = 'a'] ; !q:[k = 'q'] ; b:[k = 'b']",
        rows("a", "q", "b"),
        ["a=(0,); waited for b; row 1 came, which must be absent"],
    ),
]  # fmt: skip


@ROADS
@pytest.mark.parametrize(("pattern", "events", "expected"), LINEAR, ids=[one[0] for one in LINEAR])
def test_how_a_linear_pattern_ended(
    options: Options, pattern: str, events: list[dict[str, object]], expected: list[str]
) -> None:
    assert ended(pattern, events, options) == expected


@pytest.mark.parametrize(
    ("pattern", "events", "expected"),
    [
        (
            "a:[k = 'a'] , !q:[k = 'q'] -> b:[k = 'b']",
            rows("a", "q", "b"),
            ["a=(0,); waited for b; row 1 came, which must be absent"],
        ),
        (
            "a:[k = 'a'] ; !q:[k = 'q'] FOR 5 s",
            rows("a", "q"),
            [
                "a=(0,); waited for the clock to pass 5000 without what is absent; "
                "row 1 came, which must be absent"
            ],
        ),
        (
            "a:[k = 'a'] ; !q:[k = 'q'] FOR 5 s ; b:[k = 'b']",
            rows("a", "q", "b"),
            ["a=(0,); waited for b; row 1 came, which must be absent"],
        ),
        (
            "!q:[k = 'q'] ; b:[k = 'b']",
            rows("q", "b"),
            [
                "b=(1,); what must be absent before it had come, "
                "or nobody had watched for long enough"
            ],
        ),
        (
            "!q:[k = 'q'] FOR 5 s",
            rows("c", "q"),
            [
                "silence; waited for the clock to pass 5000 without what is absent; "
                "it began at 0, and row 1 ended it"
            ],
        ),
        (
            "(a:[k = 'a'] & b:[k = 'b']) WITHIN 1 s",
            rows("a", "c", "b"),
            ["a=(0,); waited for b; its window of 1 s was over at 1000"],
        ),
        (
            "a:[k = 'a'] ; (b:[k = 'b'] ; c:[k = 'c'] WITHIN 1 s)",
            rows("a", "b", "b", "d", "c"),
            [
                "a=(0,), b=(1,); waited for c; its window of 1 s was over at 2000",
                "a=(0,), b=(2,); waited for c; its window of 1 s was over at 3000",
            ],
        ),
        (
            "repeat(a:[k = 'a'], 2, v, 2)",
            rows("a1", "a2"),
            ["a=(0, 1); v did not grow by 2"],
        ),
        (
            "repeat(a:[k = 'a'], 2, v, 2) BY & WITHIN 1 s",
            rows("a1", "c", "a3"),
            ["a=(0,); waited for a; its window of 1 s was over at 1000"],
        ),
    ],
)  # fmt: skip
def test_how_others_ended(
    pattern: str, events: list[dict[str, object]], expected: list[str]
) -> None:
    assert ended(pattern, events) == expected


def test_partial_matches_of_what_is_absent_are_not_told() -> None:
    found = ended("a:[k = 'a'] ; !(x:[k = 'x'] , y:[k = 'y']) ; b:[k = 'b']", rows("a", "x", "c"))
    assert found == []


def test_what_went_on_is_not_told() -> None:
    assert ended("a:[k = 'a'] -> b:[k = 'b'] -> c:[k = 'c']", rows("a", "b"), KERNELS) == []
    assert ended("a:[k = 'a'] -> (b:[k = 'b'] , c:[k = 'c'])", rows("a", "b")) == []


def test_behind_a_group_that_began_nobody_waits_for_another_begin() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] -> (b:[k = 'b'] ; c:[k = 'c'])")
    engine.process(rows("a", "b"))
    waiting = [(one.events, one.waits_for) for one in engine.trace("s").partials]
    assert waiting == [({"a": (0,), "b": (1,)}, "c")]


@ROADS
def test_a_next_event_that_nobody_wants_ends_it_before_another_comes(options: Options) -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b']", options=options)
    engine.process(rows("a", "c"))
    trace = engine.trace("s")
    assert (trace.partials, trace.endings) == ((), {"next": 1})
    assert engine.stats().instances == 0


@pytest.mark.parametrize("policy", ["refuse", "drop oldest"])
@ROADS
def test_limits_are_told(options: Options, policy: str) -> None:
    limits = Limits(per_subscription=1, policy=policy)  # type: ignore[arg-type]
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b']", options=options, limits=limits)
    engine.follow("s")
    engine.process(rows("a", "a"))
    trace = engine.trace("s")
    lost = {"refuse": 1, "drop oldest": 0}[policy]
    assert trace.endings == {"limit": 1}
    assert [str(one) for one in trace.ended] == [
        f"a=({lost},); waited for b; limits on instances left no room for it"
    ]
    assert [one.events for one in trace.partials] == [{"a": (1 - lost,)}]


def test_who_is_not_followed_is_told_of_recent_events() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b']")
    engine.process(rows("a", "c", *("a", "a") * 16))
    trace = engine.trace("s")
    assert trace.told == "of those that began in the last 32 events"
    assert trace.endings == {"next": 31}
    assert trace.ended[0].events == {"a": (2,)}


def test_who_is_followed_is_told_of_all() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b']")
    engine.follow("s")
    for row in rows("a", "c", *("a", "a") * 40):
        engine.publish(row)
    trace = engine.trace("s")
    assert (trace.told, trace.endings) == ("", {"next": 80})


def test_events_before_it_was_made_are_not_told() -> None:
    engine = Engine("SUBSCRIBE t MATCH a:[k = 'a'] , b:[k = 'b']")
    engine.process(rows("a", "c"))
    engine.subscribe("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b']")
    engine.publish({"ts": 2000, "k": "a"})
    trace = engine.trace("s")
    assert trace.ended == ()
    assert [one.row for one in trace.first[0].outcomes] == [2]


def test_very_many_at_once_are_not_all_followed() -> None:
    limits = Limits(per_subscription=100)
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a']+ BY ; ; b:[k = 'b']", limits=limits)
    engine.process(rows(*("a",) * 40))
    assert "of the first 1,000 at once" in engine.trace("s").told


def test_following_changes_no_answer() -> None:
    text = "SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b'] PAIRS UNIQUE LIMIT 2"
    plain, followed = Engine(text), Engine(text)
    followed.follow("s")
    events = rows("a", "a", "b", "b", "a", "b")
    assert list(plain.process(events)) == list(followed.process(events))
    followed.follow("s")  # it is finished, so that there is nothing to note
    assert str(followed.trace("s")) == "subscription s: LIMIT is reached"


def test_a_restored_engine_tells_the_same() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b'] @ (b.v > 3)", options=GENERAL)
    engine.process(rows("a", "b", "a", "c"))
    other = Engine("SUBSCRIBE s MATCH a:[k = 'a'] , b:[k = 'b'] @ (b.v > 3)", options=GENERAL)
    other.restore(engine.snapshot())
    assert str(other.trace("s")) == str(engine.trace("s"))


def test_the_whole_text() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b' AND v > a.v] WITHIN 2 s")
    engine.follow("s")
    engine.process(rows("a5", "b3", "c", "c", "a1", "b0", "b1"))
    assert str(engine.trace("s").shortened(1)) == (
        "subscription s\n"
        "nothing yet; waits for a\n"
        "  row 0: a took it\n"
        "  rows 1 to 3, 3 events: a refused them, k = 'a' does not hold\n"
        "  row 4: a took it\n"
        "  rows 5 to 6, 2 events: a refused them, k = 'a' does not hold\n"
        "a=(4,); waits for b\n"
        "  rows 5 to 6, 2 events: b refused them, v > a.v does not hold\n"
        "1 partial match has ended (window over: 1)\n"
        "  a=(0,); waited for b; its window of 2 s was over at 2000"
    )


@given(linear_programs() | runnable_programs(), rows_of_any_kind(max_size=11))
def test_both_roads_tell_the_same(text: str, stream: list[dict[str, object]]) -> None:
    lanes, general = Engine(text, options=KERNELS), Engine(text, options=GENERAL)
    for name in lanes.subscriptions:
        lanes.follow(name)
    lanes.process(stream)
    general.process(stream)
    for name in lanes.subscriptions:
        told, wanted = lanes.trace(name), general.trace(name)
        assert told.note == wanted.note
        assert sum(told.endings.values()) == sum(wanted.endings.values())
        assert _known(told.ended) == _known(wanted.ended)
        assert _live(told) == _live(wanted)


def _known(found: tuple[Ended, ...]) -> Counter[object]:
    # A next event that comes after the window is both; on the general road it may go unseen.
    both = {"next": "next or window", "window": "next or window"}
    return Counter(
        (both.get(one.why, one.why), tuple(one.events.items()), one.waited_for) for one in found
    )


def _live(trace: Trace) -> Counter[object]:
    return Counter((tuple(one.events.items()), one.waits_for) for one in trace.partials)


@given(wild_programs(), rows_of_any_kind(max_size=7), st.sampled_from(["ordered", "unordered"]))
def test_whatever_ended_can_be_told(
    text: str, stream: list[dict[str, object]], order: Literal["ordered", "unordered"]
) -> None:
    engine = Engine(text, simultaneous=order)
    engine.process(stream)
    assert str(engine.trace("s")).startswith("subscription s")
