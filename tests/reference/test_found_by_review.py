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


def _silences(clauses: str) -> list[tuple[object, ...]]:
    rows = [{"ts": 0, "k": "q", "ip": ip} for ip in ("a", "b")] + [{"$clock": 60_000}]
    text = f"SUBSCRIBE s MATCH ![k = 'q' AND ip = $x] FOR 10 s {clauses}"
    return [tuple(n.variables.values()) for n in tocsin.match(rows, text)]


def test_where_and_the_order_of_values_hold_for_silences_too() -> None:
    """WHERE was looked at for matches alone, and equal deadlines had no order."""
    assert _silences("") == [("a",), ("b",)]
    assert _silences("WHERE $x = 'b'") == [("b",)]
    assert _silences("WHERE FALSE") == []


def test_derived_silences_with_one_deadline_are_two_events() -> None:
    rows: list[dict[str, Any]] = [{"ts": 0, "k": "q", "ip": ip} for ip in ("a", "b")]
    text = """
    SUBSCRIBE quiet FROM pings MATCH ![k = 'q' AND ip = $x] FOR 10 s EMIT $x AS ip INTO quiets;
    SUBSCRIBE each FROM quiets MATCH q:[ip IS PRESENT] PAIRS UNIQUE EMIT q.ip AS ip
    """
    found = tocsin.match([*rows, {"$clock": 60_000}], text)
    assert [n.emit for n in found if n.subscription == "each"] == [{"ip": "a"}, {"ip": "b"}]


def test_a_silence_ends_with_any_later_match_of_what_is_absent() -> None:
    rows = [{"ts": t * 1000, "k": k} for t, k in ((0, "a"), (1, "b"), (2, "b"))]
    text = "SUBSCRIBE s MATCH !(x:[k = 'a'] ; y:[k = 'b']) FOR 10 s"
    found = tocsin.match([*rows, {"$clock": 60_000}], text)
    assert [(n.begin, n.at) for n in found] == [(2_000_000, 12_000_000)]


def test_a_row_of_a_derived_stream_keeps_its_own_time() -> None:
    """The schema of a derived stream has no TIME, and was taken for a declaration."""
    text = """
    SUBSCRIBE one FROM a MATCH x:[v > 5] EMIT x.v AS v INTO d;
    SUBSCRIBE two FROM d MATCH x:[v > 0] EMIT t(x) AS at
    """
    (found,) = tocsin.match([{"$stream": "d", "ts": 9000, "v": 1}], text)
    assert found.at == 9_000_000


def test_subscriptions_of_one_row_are_made_together() -> None:
    """Each was a step of its own, so that the second missed what the first found in history."""
    made = """
    SUBSCRIBE p FROM a MATCH x:[v > 0] EMIT x.v AS v INTO d SINCE BEGINNING;
    SUBSCRIBE r FROM d MATCH x:[v > 0]
    """
    rows: list[dict[str, Any]] = [{"$stream": "a", "ts": 0, "v": 1}, {"$subscribe": made}]
    found = tocsin.match(rows, "SUBSCRIBE other FROM a MATCH [v < 0]")
    assert [n.subscription for n in found] == ["p", "r"]


def test_what_is_not_next_is_certain_among_simultaneous_events() -> None:
    """A q that arrived later, at the same time as r, took the notification back."""
    text = "SUBSCRIBE s MATCH p:[k = 'p'] , !q:[k = 'q'] -> r:[k = 'r']"
    rows = [{"ts": t, "k": k} for t, k in ((0, "p"), (5, "r"), (5, "q"))]
    early = tocsin.match(rows[:2], text, simultaneous="unordered")
    assert len(early) == 1
    assert list(tocsin.match(rows, text, simultaneous="unordered"))[:1] == list(early)


@pytest.mark.parametrize(("stream", "count"), [("q r", 0), ("r", 1), ("p q r", 0), ("p r", 2)])
def test_an_absence_behind_an_optional_part_stays_when_the_part_is_not_there(
    stream: str, count: int
) -> None:
    """Without p, `p? ; !q ; r` is `!q ; r`; it had forbidden nothing."""
    rows = [{"ts": i, "k": k} for i, k in enumerate(stream.split())]
    text = "SUBSCRIBE s MATCH p:[k = 'p']? ; !q:[k = 'q'] ; r:[k = 'r']"
    assert len(tocsin.match(rows, text)) == count


def test_the_very_next_event_is_the_next_even_before_a_deadline() -> None:
    text = "SUBSCRIBE s MATCH (p:[k = 'p'] ; !q:[k = 'q'] FOR 10 s) , r:[k = 'r']"
    rows = [{"ts": t * 1000, "k": k} for t, k in ((0, "p"), (5, "x"), (15, "r"))]
    assert len(tocsin.match(rows, text)) == 0
    assert len(tocsin.match([rows[0], rows[2]], text)) == 1


def test_a_bad_live_subscription_is_a_dead_letter_whatever_it_builds_on() -> None:
    """A vague definition made in one row and used in another stopped the run."""
    rows: list[dict[str, Any]] = [
        {"$subscribe": "FUZZY cheap ON k AS triangle(0, 1, 2); DEFINE v AS k IS cheap"},
        {"$subscribe": "SUBSCRIBE e MATCH [v]"},
        {"ts": 0, "k": 1},
    ]
    found = tocsin.match(rows, "SUBSCRIBE s MATCH [k = 1]")
    assert [n.subscription for n in found] == ["s"]
    assert [letter.row for letter in found.dead_letters] == [1]


def test_a_live_subscription_does_not_answer_for_others() -> None:
    """A reader whose producer was gone made every later subscription wrong."""
    program = """
    STREAM a (ts TIMESTAMP, v INTEGER) TIME ts;
    SUBSCRIBE p FROM a MATCH x:[v > 0] EMIT x.v AS v INTO d;
    SUBSCRIBE r FROM d MATCH x:[v > 0]
    """
    rows: list[dict[str, Any]] = [
        {"$unsubscribe": "p"},
        {"$subscribe": "SUBSCRIBE late MATCH x:[v > 1]"},
        {"$subscribe": "SUBSCRIBE wrong MATCH x:[w > 1]"},
        {"$subscribe": "SUBSCRIBE late MATCH x:[v > 1]"},
        {"ts": 0, "v": 2, "$stream": "a"},
    ]
    found = tocsin.match(rows, program)
    assert [n.subscription for n in found] == ["late"]
    wrong, again = found.dead_letters
    assert "unknown attribute 'w' in stream 'a' (line 1, column 26)" in wrong.reason
    assert "in force already" in again.reason


def test_a_match_over_very_many_events_is_refused_in_words() -> None:
    rows = [{"ts": i, "k": "a"} for i in range(1100)]
    with pytest.raises(tocsin.UnsupportedError, match="so many events"):
        tocsin.match(rows, "SUBSCRIBE s MATCH a:[k = 'a']{1000,} BY ,", engine="reference")


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_live_subscription_reads_what_another_live_one_derives(engine: Any) -> None:
    """Streams derived by live subscriptions were not known to the next one."""
    rows: list[dict[str, Any]] = [
        {"$subscribe": "SUBSCRIBE p FROM a MATCH x:[v > 0] EMIT x.v AS v INTO d"},
        {"$subscribe": "SUBSCRIBE r FROM d MATCH x:[v > 0]"},
        {"$stream": "a", "ts": 0, "v": 2},
    ]
    program = "STREAM a (ts TIMESTAMP, v INTEGER) TIME ts;"
    found = tocsin.match(rows, program, engine=engine)
    assert [n.subscription for n in found] == ["p", "r"]
    assert found.dead_letters == ()
