"""Properties that hold whatever the subscription: they are what makes a live engine possible."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tocsin.testing.runnable import rows, runnable_programs, runnable_subscriptions

Rows = list[dict[str, Any]]


@given(runnable_programs(), rows(), st.data())
def test_what_was_notified_stays_whatever_comes_later(
    text: str, stream: Rows, data: st.DataObject
) -> None:
    whole = list(tocsin.match(stream, text))
    cut = data.draw(st.integers(0, len(stream)))
    early = list(tocsin.match(stream[:cut], text))
    assert whole[: len(early)] == early
    assert all(n.position is None or n.position >= cut for n in whole[len(early) :])


@given(runnable_programs(max_subscriptions=3), rows())
def test_subscriptions_do_not_disturb_one_another(text: str, stream: Rows) -> None:
    program = tocsin.parse(text)
    together = tocsin.match(stream, program)
    for subscription in program.subscriptions:
        alone = tocsin.match(stream, [*program.definitions, subscription])
        mine = [n for n in together if n.subscription == subscription.name]
        assert list(alone) == mine


@given(runnable_programs(), rows())
def test_the_checker_accepts_what_the_strategies_write(text: str, stream: Rows) -> None:
    tocsin.check(tocsin.parse(text))
    assert len(tocsin.match(stream, text).dead_letters) == 0


@given(runnable_subscriptions(), rows())
def test_printing_a_subscription_does_not_change_what_it_matches(text: str, stream: Rows) -> None:
    program = tocsin.parse("DEFINE big AS v > 2; DEFINE even AS v % 2 = 0;" + text)
    printed = tocsin.parse(tocsin.to_text(program))
    assert tocsin.match(stream, printed) == tocsin.match(stream, program)


@given(st.lists(st.sampled_from("aabbc"), max_size=8))
def test_the_next_is_the_first_and_the_first_is_any(kinds: list[str]) -> None:
    stream = [{"ts": i * 1000, "k": k} for i, k in enumerate(kinds)]
    found = {
        link: {tuple(n.events.items()) for n in _pairs(stream, link)} for link in (",", "->", ";")
    }
    assert found[","] <= found["->"] <= found[";"]


def _pairs(stream: Rows, link: str) -> tocsin.Notifications:
    return tocsin.match(stream, f"SUBSCRIBE s MATCH a:[k = 'a'] {link} b:[k = 'b']")


@given(runnable_subscriptions(), st.lists(st.integers(1, 3), max_size=7), st.data())
def test_where_no_two_events_are_simultaneous_their_order_is_no_question(
    text: str, gaps: list[int], data: st.DataObject
) -> None:
    moment, stream = 0, []
    for gap in gaps:
        moment += gap * 1000
        stream.append({"ts": moment, "k": data.draw(st.sampled_from("abc")), "v": moment % 5})
    text = "DEFINE big AS v > 2; DEFINE even AS v % 2 = 0;" + text
    ordered = tocsin.match(stream, text)
    assert tocsin.match(stream, text, simultaneous="unordered") == ordered
