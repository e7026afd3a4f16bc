"""Strings that nobody needs are forgotten, and nobody notices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import Rows, assert_equal, event_by_event, expected, in_batches
from tests.engine.programs import live_programs, live_rows

from tocsin.engine import Engine, lane_unit
from tocsin.engine.forgetting import Forgetting
from tocsin.testing.runnable import rows, runnable_programs

JOINED = "a:[k = 'a' AND id = $x] {} b:[k = 'b' AND id = $x] WITHIN 5 s"
TEXTS = {
    "joined": JOINED.format(";"),
    "compared": "a:[k = 'c'] ; b:[id > a.id AND upper(id) >= 'C'] EMIT a.id AS one, b.id AS other",
    "in registers": "a:[k = 'b' AND id >= 'b']{2,3} BY -> ; b:[id < max(a.id)] WITHIN 6 s",
    "tested": "a:[id STARTS WITH 'c'] -> b:[lower(id) ENDS WITH '1']",
    "listed": "a:[id IN ('c1', 'D0', 'e2')] , b:[id LIKE '%1'] EMIT a.id AS one, b.id AS other",
    "absent": "a:[id = 'c1'] ; !b:[id MATCHES '[ab].*'] FOR 2 s",
    "in any order": JOINED.format("&"),
}
PROGRAMS = {name: f"SUBSCRIBE s MATCH {pattern}" for name, pattern in TEXTS.items()}
PROGRAMS["all"] = "; ".join(f"SUBSCRIBE s{i} MATCH {p}" for i, p in enumerate(TEXTS.values()))
LATER = "SUBSCRIBE later_{} MATCH a:[id = '{}'] ; b:[id >= a.id OR id CONTAINS '{}']"
IDS = st.builds("{}{}".format, st.sampled_from("abcDEe"), st.integers(0, 2))
EVENTS = st.fixed_dictionaries({"k": st.sampled_from("abcc"), "id": IDS})
CHANGES = st.tuples(st.sampled_from(["$subscribe", "$unsubscribe"]), st.integers(0, 1), IDS)


@pytest.fixture(autouse=True, scope="module")
def _often() -> Iterator[None]:
    """Let strings be forgotten all the time, and let few events stay for those who ask why."""
    turns = cycle([True, True, False, False])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lane_unit, "TRACED", 2)
        patch.setattr(Forgetting, "is_due", lambda _: next(turns))
        yield


def stream_of(drawn: list[Any]) -> Rows:
    """Return events with times, and subscriptions that come and go between them."""
    stream: Rows = []
    for i, one in enumerate(drawn):
        if isinstance(one, dict):
            stream.append({"ts": 900 * i, **one})
        else:
            what, number, text = one
            name = f"later_{number}"
            made = LATER.format(number, text, text[0])
            stream.append({what: made if what == "$subscribe" else name})
    return stream


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@given(
    st.lists(EVENTS | EVENTS | CHANGES, min_size=10, max_size=24),
    st.lists(st.integers(1, 6), max_size=6),
)
def test_what_is_found_does_not_depend_on_it(text: str, drawn: list[Any], sizes: list[int]) -> None:
    stream = stream_of(drawn)
    wanted = expected(text, stream)
    assert_equal(event_by_event(text, stream), wanted)
    assert_equal(in_batches(text, stream, sizes), wanted)


@given(runnable_programs(), rows(max_size=11), st.lists(st.integers(1, 3), max_size=5))
def test_nor_with_random_programs(text: str, stream: Rows, sizes: list[int]) -> None:
    assert_equal(in_batches(text, stream, sizes), expected(text, stream))


@given(live_programs(), live_rows())
def test_nor_with_subscriptions_that_come_and_go(text: str, stream: Rows) -> None:
    assert_equal(event_by_event(text, stream), expected(text, stream))


def test_what_was_found_can_be_looked_at_later() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a' AND id = $x] EMIT a.id AS id")
    parts = [
        engine.process([{"ts": i, "k": "a", "id": f"session {i}"}, {"ts": i, "k": f"other {i}"}])
        for i in range(5)
    ]
    shown = [one.emit["id"] for part in parts for one in part]
    assert shown == [f"session {i}" for i in range(5)]


def test_the_last_events_can_still_be_traced() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b']", time="ts")
    for i in range(40):
        engine.publish({"ts": i, "k": "b", "id": f"session {i}"})
    assert "k = 'a'" in str(engine.trace("s"))
