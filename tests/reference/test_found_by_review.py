"""Faults that readers found in the reference; each stays with its story."""

from __future__ import annotations

from typing import Any

import pytest

import tocsin


def test_streams_may_go_in_a_circle_that_is_never_closed_at_one_time() -> None:
    """The order of evaluation looked at all subscriptions at once and never ended."""
    rows: list[dict[str, Any]] = [
        {"$stream": "a", "ts": 0, "v": 1},
        {"$unsubscribe": "one"},
        {"$subscribe": "SUBSCRIBE two FROM b MATCH x:[v > 0] EMIT x.v AS v INTO a"},
        {"$stream": "b", "ts": 1, "v": 2},
    ]
    program = "SUBSCRIBE one FROM a MATCH x:[v > 0] EMIT x.v AS v INTO b"
    assert [n.subscription for n in tocsin.match(rows, program)] == ["one", "two"]


def test_a_silence_after_the_subscription_is_new() -> None:
    """A silence has no events, so none of them could be new."""
    rows = [
        {"ts": 0, "k": "b"},
        {"$subscribe": "SUBSCRIBE s MATCH !b:[k = 'b'] FOR 10 s SINCE BEGINNING ONLY NEW"},
        {"$clock": 30_000},
    ]
    found = tocsin.match(rows, "SUBSCRIBE other MATCH [k = 'z']")
    assert [(n.subscription, n.at) for n in found] == [("s", 10_000_000)]


@pytest.mark.parametrize("simultaneous", ["ordered", "unordered"])
def test_two_at_once_are_followed_by_one_silence(simultaneous: Any) -> None:
    rows: list[dict[str, Any]] = [{"ts": 4000, "k": "b"}] * 2 + [{"$clock": 20_000}]
    text = "SUBSCRIBE s MATCH !b:[k = 'b'] FOR 10 s"
    assert len(tocsin.match(rows, text, simultaneous=simultaneous)) == 1
