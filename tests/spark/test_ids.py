"""Every notification has an id of its own, the same in any order and any split."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

import tocsin
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.spark.ids import with_ids

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
def test_each_has_its_own_id_in_any_order(
    rows: list[dict[str, Any]], begin: int, draw: Any
) -> None:
    found = with_ids(told(rows).slice(begin)).to_pylist()
    assert len({row["id"] for row in found}) == len(found)
    shuffled = rows[begin:]
    draw.shuffle(shuffled)
    again = with_ids(told(shuffled)).to_pylist()
    assert sorted(map(repr, again)) == sorted(map(repr, found))


@given(NOTIFICATIONS.filter(len))
def test_an_id_does_not_depend_on_its_neighbours(rows: list[dict[str, Any]]) -> None:
    looks = [repr([row[name] for name in NAMED]) for row in rows]
    single = [n for n, look in enumerate(looks) if looks.count(look) == 1]
    found = with_ids(told(rows))["id"].to_pylist()
    for n in single:
        assert with_ids(told(rows[n : n + 1]))["id"].to_pylist() == [found[n]]


@pytest.mark.parametrize("name", NAMED)
def test_whatever_names_a_notification_is_in_its_id(name: str) -> None:
    row = {"subscription": "s", "kind": "match", "at": 0, "position": 0,
           "events": [("a", [0, 1])], "variables": [("x", "1")]}  # fmt: skip
    others: dict[str, list[Any]] = {
        "subscription": ["t", "", "ss"],
        "kind": ["forecast"],
        "at": [1],
        "position": [None, 1],
        "events": [[("b", [0, 1])], [("a", [1, 0])], [("a", [0]), ("b", [1])], [("a", [0, None])],
                   [("a", [0, 1]), ("b", [])], []],
        "variables": [[("x", "2")], [("y", "1")], [("x", None)], []],
    }  # fmt: skip
    rows = [row, *({**row, name: value} for value in others[name])]
    assert len(set(with_ids(told(rows))["id"].to_pylist())) == len(rows)


def test_an_id_is_the_same_in_every_version() -> None:
    row = {"subscription": "s", "kind": "match", "at": 5, "position": 3,
           "events": [("a", [1, 2])], "variables": [("x", '"é"')]}  # fmt: skip
    assert with_ids(told([row]))["id"].to_pylist() == ["3b7c53c44003fc9224831d13cc7b6d6b"]


def test_times_that_python_lacks_are_no_trouble() -> None:
    far = 400_000_000_000_000_000
    rows = [{"subscription": "s", "at": far, "begin": far, "end": far, "events": [("a", [0])]}] * 2
    assert len(set(with_ids(told(rows))["id"].to_pylist())) == 2


@pytest.mark.parametrize(
    ("program", "many"),
    [
        ("SUBSCRIBE s MATCH a:[v = 1] | a:[v > 0]", 5),
        ("SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2]", 2),
        ("SUBSCRIBE p MATCH a:[v = 1] ; b:[v = 2] EMIT 1 AS w INTO d;"
         "SUBSCRIBE s FROM d MATCH x:[w = 1] ; !y:[w = 2] FOR 1 s", 4),
    ],
)  # fmt: skip
def test_matches_that_share_their_rows_are_told_apart(program: str, many: int) -> None:
    rows = [{"ts": 0, "v": 1}, {"ts": 0, "v": 1}, {"ts": 5, "v": 2}, {"$clock": 2000}]
    found = tocsin.match(rows, program, time="ts", engine="reference").to_arrow()
    ids = with_ids(found)["id"].to_pylist()
    assert len(ids) == len(set(ids)) == many
