"""Parts of a stream whose rows know their places in the whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine import Engine, Options, Places, feed, forgetting, match_reading
from tocsin.errors import ConfigurationError

PATTERNS: Final = (
    "a:[k = 'a'] , b:[k = 'b']",
    "a:[k = 'a'] ; b:[k = 'b'] WITHIN 3 EVENTS",
    "a:[k = 'a'] -> b:[k = 'b' AND v > a.v]",
    "a:[k = 'a']+ BY , UNTIL (v = 3)",
    "a:[k = 'a'] , b:[k = 'b']{0,2} BY , -> c:[k = 'a']",
    "(a:[k = 'a'] & b:[k = 'b']) WITHIN 4 EVENTS",
    "a:[k = 'a'] , !b:[k = 'b'] ; c:[k = 'a']",
    "nth(2, a:[k = 'a']) , b:[k = 'b']",
    "a:[k = 'a'] ; !b:[k = 'b'] FOR 3 s",
)


def at(positions: list[int]) -> dict[frozenset[str], Any]:
    return {frozenset({"default"}): np.array(positions)}


@given(
    st.sampled_from(PATTERNS),
    st.lists(st.tuples(st.sampled_from("abz"), st.integers(0, 3)), max_size=14),
    st.sets(st.integers(0, 14)),
    st.booleans(),
)
def test_a_part_with_its_places_gives_what_the_whole_gives(
    pattern: str, stream: list[tuple[str, int]], cuts: set[int], kernels: bool
) -> None:
    program = f"SUBSCRIBE s MATCH {pattern}"
    options = Options(kernels=kernels)
    rows = [{"ts": i * 1000, "k": k, "v": v} for i, (k, v) in enumerate(stream)]
    wanted = Engine(program, options=options).process(rows)
    part = Engine(program, options=options)
    found = []
    bounds = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    for begin, end in pairwise(bounds):
        places = [i for i in range(begin, end) if rows[i]["k"] != "z"]
        if not places:
            continue
        table = pa.Table.from_pylist([rows[i] for i in places])
        numbers = np.array(places)
        found += list(part.process(table, Places(numbers, {frozenset({"default"}): numbers})))
    if rows:  # the clock of the whole goes on where the part has no event
        found += part.advance((len(rows) - 1) * 1000 - 1) if _is_behind(part, rows) else []
    assert sorted(map(repr, found)) == sorted(map(repr, wanted))


def _is_behind(part: Engine, rows: list[dict[str, object]]) -> bool:
    clock = part.clock
    return clock is None or clock < (len(rows) - 1) * 1_000_000 - 1000


def test_rows_and_positions_may_differ() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[TRUE] , b:[TRUE]")
    table = pa.table({"ts": [0, 1, 2, 3]})
    found = engine.process(table, Places(np.array([10, 20, 30, 40]), at([0, 1, 3, 4])))
    assert [one.events for one in found] == [{"a": (10,), "b": (20,)}, {"a": (30,), "b": (40,)}]


def test_dead_letters_tell_their_row_in_the_whole() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[TRUE]")
    table = pa.table({"ts": [5, 3, 7]})
    found = engine.process(table, Places(np.array([10, 20, 30]), at([0, 1, 2])))
    assert [letter.row for letter in found.dead_letters] == [20]


def test_positions_are_told_by_streams() -> None:
    engine = Engine(
        "SUBSCRIBE s FROM x MATCH a:[TRUE] , b:[TRUE];"
        "SUBSCRIBE t FROM x, y MATCH a:[TRUE] , b:[TRUE];"
        "SUBSCRIBE u FROM y MATCH a:[TRUE] , b:[TRUE]"
    )
    table = pa.table({"ts": [0, 1, 2, 3], "$stream": ["x", "y", "y", "x"]})
    positions = {frozenset("x"): np.array([0, 1, 1, 1]), frozenset("xy"): np.array([0, 1, 3, 4])}
    found = engine.process(table, Places(np.arange(4), positions))
    assert [(one.subscription, *one.events.values()) for one in found] == [
        ("t", (0,), (1,)),
        ("u", (1,), (2,)),
        ("s", (0,), (3,)),
        ("t", (2,), (3,)),
    ]


@pytest.mark.parametrize("kernels", [True, False])
def test_a_part_is_told_the_start_of_the_whole(kernels: bool) -> None:
    engine = Engine(
        "SUBSCRIBE s MATCH !b:[k = 'b'] FOR 5 s ; a:[k = 'a']", options=Options(kernels=kernels)
    )
    engine.start(0)
    assert len(engine.process([{"ts": 6_000, "k": "a"}])) == 1


def test_positions_never_go_back() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[TRUE] , b:[TRUE]")
    engine.process(pa.table({"ts": [0]}), Places(np.array([4]), at([4])))
    with pytest.raises(ConfigurationError, match="4 comes after 4"):
        engine.process(pa.table({"ts": [1]}), Places(np.array([4]), at([4])))


def test_positions_that_go_back_leave_everything_as_it_was() -> None:
    engine = Engine(
        "SUBSCRIBE s FROM x MATCH a:[TRUE] , b:[TRUE]; SUBSCRIBE t FROM y MATCH a:[TRUE] & b:[TRUE]"
    )
    table = pa.table({"ts": [0, 0, 0], "$stream": ["x", "y", "y"]})
    wrong = {frozenset("x"): np.array([0, 0, 0]), frozenset("y"): np.array([0, 1, 1])}
    with pytest.raises(ConfigurationError, match="y: positions must grow, but 1 comes after 1"):
        engine.process(table, Places(np.arange(3), wrong))
    right = {frozenset("x"): np.array([0, 0, 0]), frozenset("y"): np.array([0, 1, 2])}
    found = engine.process(table, Places(np.arange(3), right))
    assert [one.subscription for one in found] == ["t", "t"]


WRONG = {frozenset({"default"}): [0, 1, 1]}
RIGHT = {frozenset({"default"}): [0, 1, 2]}


@pytest.mark.parametrize("kernels", [True, False])
@pytest.mark.parametrize("more", [{}, {"$clock": [None, None, None]}], ids=["columns", "rows"])
def test_a_refused_table_leaves_the_engine_as_it_was(
    kernels: bool, more: dict[str, list[None]]
) -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[TRUE] , b:[TRUE]", options=Options(kernels=kernels))
    before = _told_of(engine)
    table = pa.table({"ts": [5, None, 7], "v": ["x", "y", "z"], **more})
    late = pa.table({"ts": [5, 6, 7], "v": ["x", "y", "z"], **more})
    with pytest.raises(ConfigurationError, match="1 comes after 1"):
        engine.process(late, Places(np.arange(3), WRONG))
    assert _told_of(engine) == before
    found = engine.process(table, Places(np.arange(3), RIGHT))
    assert ([one.events for one in found], engine.stats().rows) == ([], 3)
    assert [letter.row for letter in found.dead_letters] == [1]
    assert engine.clock == 7_000


def _told_of(engine: Engine) -> str:
    """All that an engine tells; strings may have got numbers, which are given to others later."""
    stats = replace(engine.stats(), strings=0)
    return repr((stats, engine.clock, engine.time_form, engine.dead_letters))


def test_nothing_of_a_long_table_is_taken_where_its_end_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed, "rows_at_once", lambda *_: 2)
    engine = Engine("SUBSCRIBE s MATCH a:[TRUE] , b:[TRUE]")
    table = pa.table({"ts": [0, 1, 2]})
    with pytest.raises(ConfigurationError, match="1 comes after 1"):
        engine.process(table, Places(np.arange(3), WRONG))
    assert (engine.stats().rows, engine.stats().instances) == (0, 0)
    assert len(engine.process(table, Places(np.arange(3), RIGHT))) == 2


def test_rows_with_places_that_go_row_by_row_run_together() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[TRUE] , b:[TRUE]; SUBSCRIBE t MATCH ![v = 2] FOR 5 s")
    table = pa.table({"ts": [0, 1, None, 9000], "$clock": [None, None, 8000, None]})
    found = engine.process(table, Places([10, 20, 30, 40], at([0, 1, 1, 3])))
    assert [(one.subscription, one.events) for one in found] == [
        ("s", {"a": (10,), "b": (20,)}),
        ("t", {}),
    ]


def test_a_row_that_subscribes_holds_for_the_rows_behind_it() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[TRUE] LIMIT 1")
    texts = [None, "STREAM other (x FLOAT); SUBSCRIBE t FROM other MATCH [x = 1.5]", None]
    columns = {"ts": [0, None, None], "$subscribe": texts, "$stream": [None, None, "other"]}
    table = pa.table({**columns, "x": [None, None, 1.5]})
    found = engine.process(table, Places([10, 20, 30], at([0, 0, 1])))
    assert [one.subscription for one in found] == ["s", "t"]
    assert engine.stats().rows == 3


def test_places_need_a_table() -> None:
    with pytest.raises(ConfigurationError, match="pyarrow"):
        Engine("SUBSCRIBE s MATCH a:[TRUE]").process([], Places(np.array([0])))


def test_no_string_is_forgotten_while_rows_that_were_read_wait_for_their_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their codes were given to other strings, and keys that differ were joined."""
    monkeypatch.setattr(feed, "rows_at_once", lambda *_: 10)
    monkeypatch.setattr(forgetting, "FEW", 20)
    engine = Engine("SUBSCRIBE s MATCH a:[v = 1 AND k = $x] ; b:[v = 2 AND k = $x]")
    names = [f"x{n}" for n in range(100)]
    names[10] = names[95] = "same"
    values = [1 if n < 50 else 2 for n in range(100)]
    for begin in (0, 50):
        rows = np.arange(begin, begin + 50)
        own = slice(begin, begin + 50)
        table = pa.table({"ts": rows, "k": names[own], "v": values[own]})
        found = engine.process(table, Places(rows))
    assert [(one.events, one.variables) for one in found] == [
        ({"a": (10,), "b": (95,)}, {"x": "same"})
    ]


def test_a_table_of_which_no_row_is_an_event_only_has_dead_letters() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[v = 1 AND k = $x] ; b:[v = 2 AND k = $x]", time="ts")
    table = pa.table({"ts": pa.array([None, None], pa.int64()), "v": [1, 2], "k": ["a", "a"]})
    found = engine.process(table, Places(np.arange(2)))
    assert (len(found), len(found.dead_letters)) == (0, 2)


@pytest.mark.parametrize("kernels", [True, False])
@pytest.mark.parametrize("few", [0, 12])
def test_numbers_of_rows_may_be_negative(
    monkeypatch: pytest.MonkeyPatch, *, kernels: bool, few: int
) -> None:
    """-1 was taken for no row at all."""
    monkeypatch.setattr(match_reading, "FEW", few)
    numbers = np.arange(-3, 2)
    table = pa.table({"ts": range(5), "k": ["a"] * 5})
    engine = Engine("SUBSCRIBE s MATCH e:[k = 'a']", options=Options(kernels=kernels))
    found = engine.process(table, Places(numbers, at([0, 1, 2, 3, 4])))
    assert found.to_arrow()["position"].to_pylist() == [-3, -2, -1, 0, 1]
    assert [one.position for one in found] == [-3, -2, -1, 0, 1]
    assert [one.events["e"] for one in found] == [(-3,), (-2,), (-1,), (0,), (1,)]
