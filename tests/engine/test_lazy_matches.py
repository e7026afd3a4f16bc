"""Notifications that are made when somebody looks are a sequence like any other."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine import Engine
from tocsin.model.notification import Notifications

TEXT = """SUBSCRIBE one FROM base MATCH a:[k = 'a'] ; b:[k = 'b'] WITHIN 9 EVENTS;
SUBSCRIBE two FROM base, other MATCH a:[k = 'a'] ; b:[k = 'b'] WITHIN 7 EVENTS"""


def rows(count: int) -> list[dict[str, Any]]:
    streams = ("base", "other", "base")
    return [{"$stream": streams[i % 3], "ts": i, "k": "aab"[i % 5 % 3]} for i in range(count)]


def in_parts() -> Notifications:
    """Two lanes, merged, and a subscription that comes in the middle of the rows."""
    late = {"$subscribe": "SUBSCRIBE three FROM base MATCH b:[k = 'b']"}
    return Engine(TEXT).process([*rows(40), late, *rows(90)[40:]])


FOUND = in_parts()
EVERY = list(FOUND)
PLACES = st.none() | st.integers(-len(EVERY) - 2, len(EVERY) + 2)


@given(PLACES, PLACES, st.none() | st.sampled_from([-7, -1, 1, 2, 40]))
def test_slices_are_those_of_a_list(begin: int | None, end: int | None, step: int | None) -> None:
    assert list(FOUND[begin:end:step]) == EVERY[begin:end:step]


@given(st.lists(st.integers(-len(EVERY), len(EVERY) - 1), max_size=5))
def test_places_are_those_of_a_list(places: list[int]) -> None:
    assert [FOUND[place] for place in places] == [EVERY[place] for place in places]


@pytest.mark.parametrize("place", [len(EVERY), -len(EVERY) - 1])
def test_there_is_nothing_beyond_them(place: int) -> None:
    with pytest.raises(IndexError, match="not so many"):
        FOUND[place]


def test_they_do_not_change_when_a_subscription_leaves() -> None:
    engine = Engine(TEXT)
    found = engine.process(pa.Table.from_pylist(rows(60)))
    count = len(found)
    engine.unsubscribe("one")
    engine.subscribe("SUBSCRIBE other FROM base MATCH a:[k = 'a'] , b:[k = 'b']")
    engine.process(pa.Table.from_pylist([{**row, "ts": row["ts"] + 60} for row in rows(60)]))
    assert len(list(found)) == count
    assert {one.subscription for one in found} == {"one", "two"}
    assert list(found) == list(Engine(TEXT).process(rows(60)))
