"""What readers found in the reference (tests/reference/test_found_by_review.py), in the engine."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.comparing import Rows, assert_equal, event_by_event, expected, in_one_go

ORDERS = pytest.mark.parametrize("order", ["ordered", "unordered"])


def _rows(*events: tuple[int, str], clock: int | None = 60) -> Rows:
    found: Rows = [{"ts": second * 1000, "k": k} for second, k in events]
    return found if clock is None else [*found, {"$clock": clock * 1000}]


_BY_VALUE: Rows = [{"ts": 0, "k": "q", "ip": ip} for ip in ("b", "a")] + [{"$clock": 60_000}]
_QUIET = "SUBSCRIBE s MATCH ![k = 'q' AND ip = $x] FOR 10 s"
_OPTIONAL = "SUBSCRIBE s MATCH p:[k = 'p']? ; !q:[k = 'q'] {wait} ; r:[k = 'r']"
_VERY_NEXT = "SUBSCRIBE s MATCH (p:[k = 'p'] ; !q:[k = 'q'] FOR 10 s) , r:[k = 'r']"
_NOT_NEXT = "SUBSCRIBE s MATCH p:[k = 'p'] , !q:[k = 'q'] -> r:[k = 'r']"

CASES: dict[str, tuple[str, Rows, int]] = {
    "streams in a circle that is never closed": (
        "SUBSCRIBE one FROM a MATCH x:[v > 0] EMIT x.v AS v INTO b",
        [
            {"$stream": "a", "ts": 0, "v": 1},
            {"$unsubscribe": "one"},
            {"$subscribe": "SUBSCRIBE two FROM b MATCH x:[v > 0] EMIT x.v AS v INTO a"},
            {"$stream": "b", "ts": 1, "v": 2},
        ],
        2,
    ),
    "a new silence": (
        "SUBSCRIBE other MATCH [k = 'z']",
        [
            {"ts": 0, "k": "b"},
            {"$subscribe": "SUBSCRIBE s MATCH !b:[k = 'b'] FOR 10 s SINCE BEGINNING ONLY NEW"},
            {"$clock": 30_000},
        ],
        1,
    ),
    "one silence after two at once": (
        "SUBSCRIBE s MATCH !b:[k = 'b'] FOR 10 s",
        _rows((4, "b"), (4, "b")),
        1,
    ),
    "silences in the order of values": (_QUIET, _BY_VALUE, 2),
    "silences and WHERE": (f"{_QUIET} WHERE $x = 'b'", _BY_VALUE, 1),
    "silences and WHERE FALSE": (f"{_QUIET} WHERE FALSE", _BY_VALUE, 0),
    "derived silences are two events": (
        """
        SUBSCRIBE quiet FROM pings MATCH ![k = 'q' AND ip = $x] FOR 10 s EMIT $x AS ip INTO quiets;
        SUBSCRIBE each FROM quiets MATCH q:[ip IS PRESENT] PAIRS UNIQUE EMIT q.ip AS ip
        """,
        _BY_VALUE,
        4,
    ),
    "a silence ends with any later match": (
        "SUBSCRIBE s MATCH !(x:[k = 'a'] ; y:[k = 'b']) FOR 10 s",
        _rows((0, "a"), (1, "b"), (2, "b")),
        1,
    ),
    "one silence after two that complete together": (
        "SUBSCRIBE s MATCH !(x:[k = 'a'] ; y:[k = 'b']) FOR 10 s",
        _rows((0, "a"), (1, "a"), (2, "b")),
        1,
    ),
    "subscriptions of one row": (
        "SUBSCRIBE other FROM a MATCH [v < 0]",
        [
            {"$stream": "a", "ts": 0, "v": 1},
            {
                "$subscribe": """
                SUBSCRIBE p FROM a MATCH x:[v > 0] EMIT x.v AS v INTO d SINCE BEGINNING;
                SUBSCRIBE r FROM d MATCH x:[v > 0]
                """
            },
        ],
        2,
    ),
    "without p, a q before": (_OPTIONAL.format(wait=""), _rows((0, "q"), (1, "r")), 0),
    "without p, no q before": (_OPTIONAL.format(wait=""), _rows((0, "r")), 1),
    "with p, a q between": (_OPTIONAL.format(wait=""), _rows((0, "p"), (1, "q"), (2, "r")), 0),
    "with p, no q between": (_OPTIONAL.format(wait=""), _rows((0, "p"), (1, "r")), 2),
    "without p, a q not long before": (
        _OPTIONAL.format(wait="FOR 2 s"),
        _rows((0, "x"), (4, "q"), (5, "r"), (9, "r")),
        1,
    ),
    "the very next comes too early": (_VERY_NEXT, _rows((0, "p"), (5, "x"), (15, "r")), 0),
    "the very next comes in time": (_VERY_NEXT, _rows((0, "p"), (15, "r")), 1),
}


@ORDERS
@pytest.mark.parametrize("name", CASES)
def test_the_engine_agrees(name: str, order: Any) -> None:
    text, stream, count = CASES[name]
    wanted = expected(text, stream, simultaneous=order)
    assert len(wanted) == count
    assert_equal(in_one_go(text, stream, simultaneous=order), wanted)
    assert_equal(event_by_event(text, stream, simultaneous=order), wanted)


def test_what_is_not_next_is_certain_among_simultaneous_events() -> None:
    stream = _rows((0, "p"), (5, "r"), (5, "q"), (5, "r"), clock=None)
    found = in_one_go(_NOT_NEXT, stream, simultaneous="unordered")
    assert_equal(found, expected(_NOT_NEXT, stream, simultaneous="unordered"))
    assert [one.events["r"] for one in found] == [(1,)]
