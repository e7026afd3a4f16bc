"""Events of a batch that are processed key by key, where all that waits is found by one key."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import expected
from tests.engine_linear.test_equals_reference import lane_of

import tocsin
from tocsin.engine import Engine
from tocsin.engine.columns import Vocabulary, batch_of_events
from tocsin.engine.linear import lane as lane_module
from tocsin.engine.linear import machine_state, rooms
from tocsin.engine.linear.arrays import NONE
from tocsin.engine.linear.key_order import arranged, key_order
from tocsin.engine.options import Options
from tocsin.model.event import Event
from tocsin.model.values import Timestamp

AT_ONCE, NEVER = Options(by_key_from=0), Options(by_key_from=2**62)

KEYED = [
    "a:[v < 3 AND k = $x] ; b:[v > 2 AND k = $x] WITHIN 4 s",
    "a:[v = 1 AND k = $x] -> b:[v = 2 AND k = $x]",
    "a:[v < 3 AND k = $x] ->{k = $x} b:[v < a.v AND k = $x] ->{k = $x} c:[v < b.v AND k = $x]",
    "a:[v = 1 AND k = $x] ; !d:[v = 0 AND k = $x] ; b:[v = 2 AND k = $x] WITHIN 9 s",
    "a:[v < 3 AND k = $x] ; b:[v > 1 AND k = $x] WITHIN 5 EVENTS",
    "a:[v < 2 AND k = $x] -> r:[v > 1 AND k = $x]{2,3} WITHIN 6 s",
    "a:[v < 4 AND k = $x] ; b:[v < 4 AND k = $x] WITHIN 3 s DUPLICATES FIRST",
    "a:[v < 4 AND k = $x] ; b:[v < 4 AND k = $x] LIMIT 3",
    "a:[v < 4 AND k = $x] ; b:[v < 4 AND k = $x] PAIRS UNIQUE",
    "a:[v = 4]",
]
NOT_KEYED = [
    "a:[v = 1] ; b:[v = 2] WITHIN 2 s",
    "a:[v = 1 AND k = $x] , b:[v = 2 AND k = $x]",
    "a:[v = 1 AND k = $x] ; b:[v = 2 AND w = $x]",
    "a:[v = 1 AND w = $x] ; b:[v = 2 AND w = $x]",
]
KEYS = st.sampled_from([1, 1.0, 2, "1", "2", "3", None, 0.5])


def program(patterns: list[str]) -> str:
    return ";\n".join(f"SUBSCRIBE s{n} MATCH {one}" for n, one in enumerate(patterns))


def logins(count: int, keys: int) -> list[dict[str, Any]]:
    """Return events whose partial matches need more room than there is at first."""
    draw = np.random.default_rng(count)
    columns = draw.integers(0, keys, count).tolist(), draw.integers(0, 5, count).tolist()
    rows = zip(range(count), *columns, strict=True)
    return [{"ts": 100 * n, "k": f"k{k}", "v": v} for n, k, v in rows]


def let_room_run_short(patch: pytest.MonkeyPatch) -> None:
    """Let what is over be looked for within batches of few events."""
    patch.setattr(machine_state, "ROOM", 2)
    for module in (machine_state, rooms):
        patch.setattr(module, "MUCH", 2)


@given(
    patterns=st.lists(st.sampled_from(KEYED), min_size=1, max_size=4),
    others=st.lists(st.sampled_from(NOT_KEYED), max_size=1),
    stream=st.lists(st.tuples(KEYS, st.integers(0, 4), st.integers(0, 2)), max_size=30),
    cuts=st.sets(st.integers(0, 30)),
)
def test_the_order_of_events_changes_no_notification(
    patterns: list[str], others: list[str], stream: list[Any], cuts: set[int]
) -> None:
    times = np.cumsum([gap for _, _, gap in stream]).tolist()
    made = [
        {"ts": 1000 * t, "k": k, "v": v, "w": v} for t, (k, v, _) in zip(times, stream, strict=True)
    ]
    text = program([*patterns, *others])
    parts = [made[begin:end] for begin, end in pairwise([0, *sorted(cuts), len(made)])]
    found = []
    with pytest.MonkeyPatch.context() as patch:
        let_room_run_short(patch)
        for options in (AT_ONCE, NEVER):
            engine = Engine(text, options=options)
            found.append([one for part in parts for one in engine.process(part)])
    assert found[0] == found[1]


@given(
    patterns=st.lists(st.sampled_from(KEYED), min_size=1, max_size=3),
    stream=st.lists(st.tuples(KEYS, st.integers(0, 4)), min_size=8, max_size=30),
    probed=st.integers(1, 8),
)
def test_a_batch_that_is_begun_as_it_comes_changes_no_notification(
    patterns: list[str], stream: list[Any], probed: int
) -> None:
    """Two lanes find what they find in the order of the events of the whole batch."""
    rows = [
        {"$stream": "o" if n % 3 else "p", "ts": 400 * n, "k": k, "v": v, "w": v}
        for n, (k, v) in enumerate(stream)
    ]
    texts = [f"SUBSCRIBE s{n} FROM o, p MATCH {one}" for n, one in enumerate(patterns)]
    texts += [f"SUBSCRIBE t{n} FROM o MATCH {one}" for n, one in enumerate(patterns)]
    text = ";\n".join(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lane_module, "_PROBED", probed)
        found = list(Engine(text, options=Options(by_key_from=4)).process(rows))
    assert found == list(expected(text, rows))


@pytest.mark.parametrize("size", [1_000, 7_000])
def test_room_that_runs_short_on_the_way_changes_no_notification(size: int) -> None:
    """Matches then leave in parts, each with events of all times of the batch."""
    rows = logins(14_000, keys=900)
    found = []
    for options in (AT_ONCE, NEVER):
        engine = Engine(program(KEYED), options=options)
        places = range(0, len(rows), size)
        found += [list(engine.process(rows[begin : begin + size])) for begin in places]
    half = len(found) // 2
    assert found[:half] == found[half:]
    assert sum(map(len, found[:half])) > 10_000


def test_windows_pass_with_the_stream_and_not_with_the_events_of_a_key() -> None:
    """The last events of the first keys come before the first events of the last ones."""
    text = program(["a:[v < 5 AND k = $x] ; b:[v < 5 AND k = $x] WITHIN 2 s"])
    engine = Engine(text, options=AT_ONCE)
    rows = [{"ts": 1000 * (n // 50), "k": n % 50, "v": 1} for n in range(20_000)]
    found = engine.process(rows)
    assert len(found) == 50 * (399 + 398)


def test_what_is_over_goes_on_the_way() -> None:
    """Nothing of the batch was let go before its end: 2,000 of 40,000 events can wait at once."""
    pattern = "a:[v < {0} AND k = $x] ; b:[v > {0} AND k = $x] WITHIN 10 s"
    text = program([pattern.format(value) for value in range(10, 20)])
    rows = pa.Table.from_pylist([{"ts": 5 * n, "k": n % 500, "v": 1} for n in range(40_000)])
    sizes = []
    for options in (AT_ONCE, NEVER):
        engine = Engine(text, time="ts", options=options)
        engine.process(rows)
        (unit,) = engine._feed.course.lanes.values()
        sizes.append(unit.lane.machine.nbytes)
    assert sizes[0] < 2 * sizes[1]


@pytest.mark.parametrize("pattern", KEYED[:-1])
def test_what_is_keyed_is_arranged(pattern: str) -> None:
    lane = lane_of(tocsin.parse(program([pattern])))
    lane.options = AT_ONCE
    lane.refit()
    assert lane.key() == lane.vocabulary.attribute("k")
    lane.options = Options()  # nothing waits yet, and chains are looked at ahead in any case
    assert (lane.key() == NONE) == ("->{" not in pattern)


@pytest.mark.parametrize("patterns", [*([one] for one in NOT_KEYED[:3]), [KEYED[0], NOT_KEYED[3]]])
def test_what_has_no_common_key_is_not(patterns: list[str]) -> None:
    lane = lane_of(tocsin.parse(program(patterns)))
    lane.options = AT_ONCE
    lane.refit()
    assert lane.key() == NONE


def test_a_subscription_without_the_key_puts_an_end_to_it() -> None:
    engine = Engine(program(KEYED[:1]), options=AT_ONCE)
    rows = logins(400, keys=20)
    found = list(engine.process(rows[:200]))
    engine.subscribe("SUBSCRIBE other MATCH a:[v = 1] , b:[v = 2]")
    found += engine.process(rows[200:300])
    engine.unsubscribe("other")
    found += engine.process(rows[300:])
    plain = Engine(program(KEYED[:1]), options=NEVER)
    assert [one for one in found if one.subscription == "s0"] == list(plain.process(rows))
    assert {one.subscription for one in found} == {"s0", "other"}


@given(st.lists(KEYS, min_size=1, max_size=40))
def test_events_of_a_key_keep_their_order(keys: list[Any]) -> None:
    words = Vocabulary()
    key = words.attribute("k")
    times = [Timestamp(n) for n in range(len(keys))]
    events = [
        Event("s", n, t, t, {} if k is None else {"k": k})
        for n, (t, k) in enumerate(zip(times, keys, strict=True))
    ]
    batch, places = batch_of_events(events, words), np.arange(len(keys))
    everyone = np.zeros(0, np.uint8)
    events = (batch.kind, batch.bits, places, places, places, everyone)
    keys_in_order = key_order(events, key, places)
    by_key = arranged(events, keys_in_order, everyone, now_us=0)
    assert (np.diff(by_key.bucket.astype(np.int64)) >= 0).all()
    assert (by_key.events[1] == batch.bits[by_key.order]).all()
    order = by_key.order.tolist()
    assert sorted(order) == list(range(len(keys)))
    for key in keys:
        own = [place for place in order if keys[place] == key]
        assert own == sorted(own)
        first = order.index(own[0])
        others = {keys[place] for place in order[first : order.index(own[-1])]}
        assert {key} == others | {key}
