"""Chains: what an event begins is seen to come to nothing before it is processed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import expected
from tests.engine_linear.test_equals_reference import lane_of
from tests.engine_linear.test_key_order import AT_ONCE, NEVER, let_room_run_short, program

import tocsin
from tocsin.engine import Engine, match_reading
from tocsin.engine.linear import key_order, lane, look_ahead
from tocsin.engine.options import Options

K = "{k = $x}"
CHAINS = [
    f"a:[k = $x] ->{K} b:[v < a.v AND k = $x]",
    f"a:[k = $x] ->{K} b:[v < a.v AND k = $x] ->{K} c:[v < b.v AND k = $x]",
    f"a:[v < 3 AND k = $x] ->{K} b:[v + a.v > 2 AND k = $x] ->{K} c:[v >= a.v AND k = $x]",
    f"a:[v > 1 AND k = $x]{{3}} BY ->{K}",
    f"a:[v > 0 AND k = $x]{{1,3}} BY ->{K}",
    f"a:[k = $x] ->{K} r:[v >= a.v AND k = $x]{{2}} BY ->{K} ->{K} c:[v > first(r.v) AND k = $x]",
    f"a:[k = $x] ->{K} r:[v > prev(r.v) OR v > 3]{{2}} BY ->{K} ->{K} c:[v < r[1].v]",
    f"a:[v < 4 AND k = $x] ->{K} b:[k = $x]? ->{K} c:[v = 2 AND k = $x]",
    f"(a:[k = $x] ->{K} b:[k = $x]) @ (a.v < b.v) ->{K} c:[v < 3]",
    f"a:[k = $x] ->{K} b:[w < a.w AND k = $x] ->{K} c:[v != b.v] WITHIN 3 s",
    f"a:[k = $x] ->{K} b:[v <= a.v AND k = $x] WITHIN 3 EVENTS",
    f"a:[k = $x] ->{K} b:[v < 4 AND k = $x]{{1}} UNTIL (v = 0)",
    f"a:[k = $x] ->{K} b:[t(b) - t(a) < 2 s AND k = $x] ->{K} c:[t(c) > t(a)] WHERE c.v > a.v",
    f"a:[k = $x] ->{K} b:[v > a.v AND k = $x] DUPLICATES LAST",
    f"a:[k = $x] ->{K} b:[v > a.v AND k = $x] LIMIT 3",
    "a:[v = 4]",
]
NO_CHAINS = [
    "a:[k = $x] ; b:[v < a.v AND k = $x]",
    "a:[k = $x] -> b:[v < a.v AND k = $x]",
    f"a:[v = 1 AND k = $x] ->{K} b:[v > 1 AND k = $x]+ BY ->{K}",
    f"a:[k = $x] ->{K} b:[duration() < 1 s AND k = $x]",
    f"a:[k = $x]{{2}} BY ->{K} ->{K} b:[sum(a.v) > 3 AND k = $x]",
    "a:[k = $x] ->{k = $x AND w > a.w} b:[v < a.v]",
    f"a:[k = $x] ->{K} b:[k = $x] ; c:[k = $x]",
    f"a:[k = $x] ->{K} b:[v < 4 AND k = $x]{{2}} BY ->{K} UNTIL (v = 0)",
]
KEYS_OF_ABSENT_EVENTS = [
    f"a:[k = $x] ->{K} b:[v > 1 AND k = $x]? ->{{k = b.k}} c:[v = 0 AND k = $x]",
    f"a:[k = $x] ->{K} b:[v > 1 AND k = $x]{{1,2}} BY ->{K} ->{{k = b[2].k}} c:[k = $x]",
    f"a:[k = $x] ->{K} b:[v > 1 AND k = $x]{{0,2}} BY ->{K} ->{{k = last(b.k)}} c:[k = $x]",
    f"a:[k = $x] ->{K} b:[v > 1 AND k = $x]{{0,2}} BY ->{K} ->{{k = first(b.k)}} c:[k = $x]",
]
"""Where the event that has the key is absent, nothing follows: matches without it were found."""
SOME_PASS = [
    "a:[k = $x] ->{k = $x AND v != 2} b:[v < a.v AND k = $x]",
    f"a:[k = $x] ->{{k = $x AND w = 1}} b:[v < 3 AND k = $x] ->{K} c:[v > b.v AND k = $x]",
]
FEW_KEYS = st.sampled_from(["1", "1", 1, 1.0, None])
STREAMS = st.lists(
    st.tuples(FEW_KEYS, st.integers(0, 4) | st.none(), st.sampled_from([0, 1, 1.5, "x", None])),
    min_size=5,
    max_size=25,
)


@pytest.fixture(autouse=True)
def always_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look ahead in every batch, also where that saves little."""
    monkeypatch.setattr(lane, "_PAUSE", 0)


def rows_of(stream: list[Any]) -> list[dict[str, Any]]:
    rows = [{"ts": 700 * n, "k": k, "v": v, "w": w} for n, (k, v, w) in enumerate(stream)]
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def let_keys_share_a_bucket(patch: pytest.MonkeyPatch) -> None:
    real = key_order._write_buckets

    def shared(*given: Any) -> None:
        real(*given)
        given[-1].fill(0)

    patch.setattr(key_order, "_write_buckets", shared)


def in_batches(text: str, rows: list[Any], cuts: set[int], options: Options) -> list[Any]:
    engine = Engine(text, options=options)
    ends = pairwise([0, *sorted(cut for cut in cuts if cut < len(rows)), len(rows)])
    return [one for begin, end in ends for one in engine.process(rows[begin:end])]


@given(
    patterns=st.lists(
        st.sampled_from([*CHAINS, *SOME_PASS, *KEYS_OF_ABSENT_EVENTS]), min_size=1, max_size=3
    ),
    stream=STREAMS,
    cuts=st.sets(st.integers(1, 24), min_size=1, max_size=4),
    is_short=st.booleans(),
    is_one_bucket=st.booleans(),
    few=st.sampled_from([0, match_reading.FEW]),
)
def test_what_is_found_is_what_the_reference_says(
    patterns: list[str],
    stream: list[Any],
    cuts: set[int],
    *,
    is_short: bool,
    is_one_bucket: bool,
    few: int,
) -> None:
    text, rows = program(patterns), rows_of(stream)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_reading, "FEW", few)
        if is_short:
            let_room_run_short(patch)
        if is_one_bucket:
            let_keys_share_a_bucket(patch)
        found = in_batches(text, rows, cuts, AT_ONCE)
    assert found == list(expected(text, rows))


@pytest.mark.parametrize("size", [2, 5, 17, 90])
def test_what_waits_from_batch_to_batch_is_completed(size: int) -> None:
    draw = np.random.default_rng(size)
    stream = zip(*(draw.integers(0, most, 600).tolist() for most in (4, 5, 2)), strict=True)
    rows, cuts = rows_of(list(stream)), set(range(0, 600, size))
    for pattern in CHAINS:
        found = in_batches(program([pattern]), rows, cuts, AT_ONCE)
        assert found == in_batches(program([pattern]), rows, cuts, NEVER), pattern
        assert found, pattern


@given(
    patterns=st.lists(st.sampled_from([*CHAINS, *SOME_PASS]), min_size=1, max_size=3),
    stream=STREAMS,
    names=st.lists(st.sampled_from("abc"), min_size=25, max_size=25),
    cuts=st.sets(st.integers(1, 24), min_size=1, max_size=4),
)
def test_texts_as_keys_are_found_by_their_codes(
    patterns: list[str], stream: list[Any], names: list[str], cuts: set[int]
) -> None:
    keyed = [(name, v, w) for name, (_, v, w) in zip(names, stream, strict=False)]
    text, rows = program(patterns), rows_of(keyed)
    assert in_batches(text, rows, cuts, AT_ONCE) == list(expected(text, rows))


def test_few_events_of_many_texts_are_linked_as_other_keys_are() -> None:
    """Codes grow with all texts that were ever seen; a list of them would be long."""
    text = program([f"a:[k = $x] ->{K} b:[v < a.v AND k = $x] ->{K} c:[v < b.v AND k = $x]"])
    others = [{"ts": 0, "k": f"other {n}", "v": 0, "w": 1} for n in range(9_000)]
    rows = [{**row, "ts": 1 + n, "k": f"k{row['k']}"} for n, row in enumerate(falling(600, 7))]
    found = in_batches(text, [*others, *rows], {9_000, 9_300}, AT_ONCE)
    assert found == in_batches(text, [*others, *rows], {9_000, 9_300}, NEVER)
    assert found


@given(patterns=st.lists(st.sampled_from(CHAINS), min_size=1, max_size=2), stream=STREAMS)
def test_what_waits_is_the_same_as_without(patterns: list[str], stream: list[Any]) -> None:
    """Nothing that was seen to come to nothing waits on, and nothing that waits was lost."""
    waiting = []
    for options in (AT_ONCE, NEVER):
        engine = Engine(program(patterns), options=options)
        engine.process(rows_of(stream))
        waiting.append(engine.stats().instances)
    assert waiting[0] == waiting[1]


@pytest.mark.parametrize("pattern", CHAINS[:-1])
def test_chains_are_known(pattern: str) -> None:
    own = lane_of(tocsin.parse(program([pattern])))
    own.refit()
    assert own.key() == own.vocabulary.attribute("k"), "whatever waits"


@pytest.mark.parametrize("pattern", KEYS_OF_ABSENT_EVENTS)
def test_nothing_follows_where_the_event_that_has_the_key_is_absent(pattern: str) -> None:
    rows = [{"ts": n, "k": "ab"[n % 3 == 0], "v": n % 4} for n in range(40)]
    rows += [{"ts": 40 + n, "k": f"k{n % 50}", "v": 0} for n in range(400)]
    assert in_batches(program([pattern]), rows, set(), AT_ONCE) == list(
        expected(program([pattern]), rows)
    )


@pytest.mark.parametrize("pattern", [*NO_CHAINS, *KEYS_OF_ABSENT_EVENTS])
def test_what_is_none_is_known_too(pattern: str) -> None:
    own = lane_of(tocsin.parse(program([pattern])))
    own.options = AT_ONCE
    own.refit()
    own.key()
    assert own._chains is None


def chosen(text: str, rows: list[Any], patch: pytest.MonkeyPatch) -> list[list[int]]:
    """Return the places of the events of each batch that were processed."""
    places = []
    real = look_ahead.look_ahead

    def spied(*given: Any) -> Any:
        found = real(*given)
        places.append(found[0].tolist())
        return found

    patch.setattr("tocsin.engine.linear.lane.look_ahead", spied)
    engine = Engine(text, options=AT_ONCE)
    for begin in range(0, len(rows), 500):
        engine.process(rows[begin : begin + 500])
    return places


def processed(text: str, rows: list[Any], patch: pytest.MonkeyPatch) -> list[int]:
    """Return how many events of each batch were processed."""
    return [len(places) for places in chosen(text, rows, patch)]


def falling(count: int, keys: int) -> list[dict[str, Any]]:
    draw = np.random.default_rng(7)
    values = draw.random(count).tolist()
    return [{"ts": 10 * n, "k": n % keys, "v": v, "w": 1} for n, v in enumerate(values)]


def test_few_events_are_processed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two of each key, and those near the last one."""
    text = program([f"a:[k = $x] ->{K} b:[v < a.v AND k = $x] ->{K} c:[v < b.v / 50 AND k = $x]"])
    sizes = processed(text, falling(1_000, keys=5), monkeypatch)
    assert len(sizes) == 2
    assert all(15 <= size < 60 for size in sizes), sizes


def test_matches_within_a_batch_are_found_without_being_processed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = program([f"a:[k = $x] ->{K} b:[v < a.v AND k = $x] ->{K} c:[v < b.v AND k = $x]"])
    rows = falling(1_000, keys=5)
    assert len(tocsin.match(rows, text)) == 150
    assert all(15 <= size < 60 for size in processed(text, rows, monkeypatch))
    with_condition = f"{text} WHERE c.v < a.v"  # of which only processing knows
    assert all(size > 200 for size in processed(with_condition, rows, monkeypatch))


def test_what_began_in_an_earlier_batch_marks_nothing_in_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first event of a key completes what waited; the way there does not lie in this batch."""
    text = program([f"a:[v > 0.5 AND k = $x] ->{K} b:[v < a.v] ->{K} c:[v < b.v]"])
    rows = [{**row, "v": 0.1} for row in falling(1_000, keys=5)]
    for place, v in ((498, 0.9), (499, 0.8), (500, 0.7)):
        rows[place] = {**rows[place], "k": "falls", "v": v}
    _, places = chosen(text, rows, monkeypatch)
    assert places == list(range(11))  # two of each key, for all that may wait from before
    assert [one.position for one in tocsin.match(rows, text)] == [500]


def test_all_are_processed_where_some_do_not_pass_a_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = falling(1_000, keys=5)
    rows[700]["w"] = 0
    pattern = "a:[k = $x] ->{k = $x AND w = 1} b:[v < a.v / 50 AND k = $x]"
    sizes = processed(program([pattern]), rows, monkeypatch)
    assert sizes[0] < 60
    assert sizes[1] == 500


def test_keys_that_nobody_expected_find_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many there are is guessed from the first events, which have one key here."""
    monkeypatch.setattr(look_ahead, "_SAMPLED", 10)
    draw = np.random.default_rng(7)
    keys = [0] * 10 + draw.integers(0, 60, 990).tolist()
    rows = [{**row, "k": key} for row, key in zip(falling(1_000, keys=1), keys, strict=True)]
    text = program([f"a:[k = $x] ->{K} b:[v < a.v AND k = $x] ->{K} c:[v < b.v AND k = $x]"])
    found = in_batches(text, rows, {500}, AT_ONCE)
    assert found == in_batches(text, rows, {500}, NEVER)
    assert found
    assert all(size < 450 for size in processed(text, rows, monkeypatch))


def test_a_match_that_is_complete_and_may_go_on_sees_what_follows() -> None:
    """What is complete after two events waits for a third one, which must end it."""
    text = program([f"a:[v < 3 AND k = $x] ->{K} b:[v > a.v AND k = $x]{{1,3}} BY ->{K}"])
    values = [0, 1, 2, 9, 2, 4, 2, 2, 1, 5, 6, 7, 8, 0, 0]
    rows = [{"ts": 10 * n, "k": 1, "v": v} for n, v in enumerate(values)]
    for cut in range(1, len(rows)):
        assert in_batches(text, rows, {cut}, AT_ONCE) == list(expected(text, rows)), cut


@pytest.mark.parametrize("never", ["UNTIL (FALSE)", "UNTIL (v > 3 AND v < 2)"])
def test_a_filter_that_no_event_satisfies_ends_nothing(never: str) -> None:
    """It has no bit among those of the others, and must not be taken for one of them."""
    pattern = f"a:[k = $x] ->{K} b:[v < a.v AND k = $x]{{1}} {never}"
    text, rows = program([pattern, f"a:[v > 0.5 AND k = $x] ->{K} b:[FALSE]"]), falling(60, keys=3)
    found = in_batches(text, rows, {20, 41}, AT_ONCE)
    assert found == list(expected(text, rows))
    assert found


def test_it_is_not_tried_for_a_while_where_it_saves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lane, "_PAUSE", 3)
    text = program([f"a:[k = $x] ->{K} b:[v >= 0 AND k = $x] WHERE b.v >= a.v - 9"])
    sizes = processed(text, falling(4_500, keys=5), monkeypatch)
    assert sizes == [500, 500, 500], "of nine batches"


@pytest.mark.parametrize("guard", ["k = $x", "v < 0.5 AND sum(a.v) > 0 AND k = $x"])
def test_an_aggregate_that_went_leaves_chains_as_they_are(guard: str) -> None:
    engine = Engine(program(CHAINS[1:2]), options=AT_ONCE)
    engine.subscribe(f"SUBSCRIBE other MATCH a:[k = $x] ->{K} b:[{guard}]")
    engine.process(falling(20, keys=2))
    engine.unsubscribe("other")
    engine.process(falling(40, keys=2)[20:])
    (unit,) = engine._feed.course.lanes.values()
    assert unit.lane._chains is not None


def test_what_is_restored_goes_on_with_the_next_event_of_its_key() -> None:
    text, rows = program(CHAINS[1:2]), falling(400, keys=7)
    engine = Engine(text, options=AT_ONCE)
    found = list(engine.process(rows[:150]))
    again = Engine(text, options=AT_ONCE)
    again.restore(engine.snapshot())
    found += again.process(rows[150:])
    assert found == list(expected(text, rows))


def test_a_subscription_that_comes_is_no_chain() -> None:
    rows = falling(300, keys=4)
    engine = Engine(program(CHAINS[1:2]), options=AT_ONCE)
    found = list(engine.process(rows[:100]))
    engine.subscribe("SUBSCRIBE other MATCH a:[v > 0.9 AND k = $x] ; b:[v < 0.1 AND k = $x]")
    found += engine.process(rows[100:200])
    engine.unsubscribe("other")
    found += engine.process(rows[200:])
    alone = list(expected(program(CHAINS[1:2]), rows))
    assert [one for one in found if one.subscription == "s0"] == alone
    assert any(one.subscription == "other" for one in found)
