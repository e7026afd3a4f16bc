"""Tables and notifications made by column say what those made one by one say."""

from __future__ import annotations

from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import Rows, assert_equal, expected, in_one_go
from tests.engine.linear_programs import linear_programs

import tocsin
from tocsin.engine import Engine, lane_matches, match_emits, match_reading
from tocsin.model.notification import Notifications
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.testing.runnable import rows, runnable_programs

SOURCES = ("base", "other", "base, other")


def by_row(found: Notifications) -> pa.Table:
    return Notifications(list(found), form=found.form).to_arrow()


def assert_same_table(found: Notifications) -> None:
    table = found.to_arrow()
    assert table.schema == NOTIFICATION_SCHEMA
    assert table.equals(by_row(found))


@given(linear_programs(sources=SOURCES), rows(max_size=14, streams=("base", "other")))
def test_a_table_by_column_is_the_table_by_row(text: str, stream: Rows) -> None:
    assert_same_table(Engine(text).process(stream))


@given(runnable_programs(max_subscriptions=3), rows(max_size=11))
def test_a_table_of_any_program_is_the_table_by_row(text: str, stream: Rows) -> None:
    assert_same_table(Engine(text).process(stream))


@given(linear_programs(), rows(max_size=14), st.sampled_from([0, 1000]))
def test_it_does_not_matter_how_many_are_read_at_once(text: str, stream: Rows, few: int) -> None:
    with patch.object(match_reading, "FEW", few):
        assert_equal(in_one_go(text, stream), expected(text, stream))


QUIET = "SUBSCRIBE quiet FROM base MATCH a:[k = 'a'] ; !b:[k = 'b'] FOR 1 s EMIT 'q' AS k INTO calm"
READER = "SUBSCRIBE reader FROM calm, base MATCH q:[k = 'q'] ; c:[k = 'c'] EMIT q.k AS k"
OTHER = "SUBSCRIBE other FROM base MATCH a:[k = 'a'] ; c:[k = 'c']"


@pytest.mark.parametrize("few", [0, 1000])
def test_events_of_the_clock_have_no_row_and_keep_their_places(few: int) -> None:
    """Once nobody feeds the lane, it tells by column of derived events that came before."""
    kinds = [(0, "a"), (5000, "d"), (6000, "a"), (6500, "c")]
    stream: Rows = [{"$stream": "base", "ts": at, "k": k} for at, k in kinds]
    live = [*stream[:2], {"$unsubscribe": "quiet"}, *stream[2:]]
    program = f"{QUIET};{READER};{OTHER}"
    with patch.object(match_reading, "FEW", few):
        found = tocsin.match(live, program)
        assert_equal(found, expected(program, live))
    assert [(n.subscription, n.events) for n in found[1:]] == [
        ("other", {"a": (0,), "c": (4,)}),
        ("reader", {"q": (None,), "c": (4,)}),
        ("other", {"a": (3,), "c": (4,)}),
    ]
    assert_same_table(found)


def test_the_first_of_equal_values_is_shown() -> None:
    """1 and 1.0 are equal, but they do not look alike."""
    text = "SUBSCRIBE s MATCH a:[v = $x] ; b:[v = $x] EMIT $x AS x"
    found = Engine(text).process([{"ts": 0, "v": 1}, {"ts": 1, "v": 1.0}])
    assert found.to_arrow()["variables"].to_pylist() == [[("x", "1")]]
    assert_same_table(found)


def test_no_event_is_made_for_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    text = (
        "SUBSCRIBE s MATCH a:[k = 'a' AND g = $x] ; b:[k = 'b' AND g = $x] "
        "EMIT $x AS who, t(a) AS since, b.v AS v, count(a) AS n, duration() AS took, 'x' AS word"
    )
    events = pa.table(
        {"ts": range(200), "k": list("ab" * 100), "g": list("xxyy" * 50), "v": [1.5, 2.5] * 100}
    )
    found = Engine(text).process(events)
    wanted = by_row(found)
    monkeypatch.setattr(lane_matches.Decoded, "__init__", refuse)
    assert found.to_arrow().equals(wanted)
    assert len(wanted) > 1000


def test_who_is_told_in_another_way_costs_nothing() -> None:
    """The tables of a subscription were made for all others, too, once for each of them."""
    text = ";".join(f"SUBSCRIBE s{i} MATCH a:[v >= {i}] EMIT a.v AS v" for i in range(30))
    found = Engine(text).process([{"ts": 0, "v": 50}])
    seen: list[int] = []

    class Seen(match_emits.MatchColumns):
        def __init__(self, matches: lane_matches.LaneMatches) -> None:
            super().__init__(matches)
            seen.append(len(self.tellings))

    with patch.object(match_emits, "MatchColumns", Seen):
        assert_same_table(found)
    assert seen == [1] * 30
