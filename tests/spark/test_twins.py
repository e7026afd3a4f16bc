"""Notifications that look the same are numbered, in the same way in any order and any split."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

import tocsin
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.spark.schema import TWIN
from tocsin.spark.twins import with_twins

NAMED = ("subscription", "kind", "at", "position", "events", "variables")
ROWS = st.lists(st.sampled_from([0, 1, None]), max_size=2)
NOTIFICATIONS = st.lists(
    st.fixed_dictionaries(
        {
            "subscription": st.sampled_from("st"),
            "kind": st.just("match"),
            "at": st.integers(0, 1),
            "position": st.sampled_from([0, 1, None]),
            "events": st.tuples(ROWS, ROWS).map(lambda two: list(zip("ab", two, strict=True))),
            "variables": st.sampled_from([[("x", "1")], [("x", None)]]),
            "emit": st.sampled_from([[("y", "1")], [("y", "2")]]),
        }
    ),
    max_size=12,
)


def told(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=NOTIFICATION_SCHEMA)


@given(NOTIFICATIONS, st.integers(0, 3), st.randoms(use_true_random=False))
def test_twins_are_numbered_from_0_on_in_any_order(
    rows: list[dict[str, Any]], begin: int, draw: Any
) -> None:
    found = with_twins(told(rows).slice(begin)).to_pylist()
    names = [repr([row[name] for name in NAMED]) for row in found]
    numbers: dict[str, list[int]] = {}
    for name, row in zip(names, found, strict=True):
        numbers.setdefault(name, []).append(row[TWIN])
    assert {name: sorted(own) for name, own in numbers.items()} == {
        name: list(range(many)) for name, many in Counter(names).items()
    }
    shuffled = rows[begin:]
    draw.shuffle(shuffled)
    again = with_twins(told(shuffled)).to_pylist()
    assert sorted(map(repr, again)) == sorted(map(repr, found))


def test_times_that_python_lacks_are_no_trouble() -> None:
    far = 400_000_000_000_000_000
    rows = [{"subscription": "s", "at": far, "begin": far, "end": far, "events": [("a", [0])]}] * 2
    assert with_twins(told(rows))[TWIN].to_pylist() == [0, 1]


@pytest.mark.parametrize(
    ("program", "numbers"),
    [
        ("SUBSCRIBE s MATCH a:[v = 1] | a:[v > 0]", [0, 0, 0, 1, 1]),
        ("SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2]", [0, 0]),
        ("SUBSCRIBE p MATCH a:[v = 1] ; b:[v = 2] EMIT 1 AS w INTO d;"
         "SUBSCRIBE s FROM d MATCH x:[w = 1] ; !y:[w = 2] FOR 1 s", [0, 0, 0, 1]),
    ],
)  # fmt: skip
def test_matches_that_share_their_rows_are_twins(program: str, numbers: list[int]) -> None:
    rows = [{"ts": 0, "v": 1}, {"ts": 0, "v": 1}, {"ts": 5, "v": 2}, {"$clock": 2000}]
    found = tocsin.match(rows, program, time="ts", engine="reference").to_arrow()
    assert sorted(with_twins(found)[TWIN].to_pylist()) == numbers
