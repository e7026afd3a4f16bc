"""State depends on live partial matches, not on how much has come: counted, not weighed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tocsin.engine import Engine
from tocsin.engine.forgetting import FEW

A, B, C = "a:[k = 'a']", "b:[k = 'b']", "c:[k = 'c']"
AX, BX = "a:[k = 'a' AND g = $x]", "b:[k = 'b' AND g = $x]"

BOUNDED = {
    "a window of time": f"{A} ; {B} ; {C} WITHIN 20 s",
    "a window of events": f"{A} ; {B} WITHIN 10 EVENTS",
    "a window inside": f"({A} ; {B} WITHIN 10 s)",
    "joined": f"{AX} & {BX} WITHIN 10 s",
    "by variables": f"{AX} ; {BX} WITHIN 20 s",
    "iterated": f"{A}+ ; {B} WITHIN 5 s",
    "in any order": "repeat(a:[k = 'a'], 2, v, 1) BY & WITHIN 20 s",
    "the next": f"{A} , {B} , {C}",
    "the next of a group": f"{A} , ({B} ; {C} WITHIN 10 s)",
    "the first": f"{A} -> {B}",
    "the first of an explicit kind": f"{A} ->{{k = 'b'}} b:[v > 2]",
    "absent between": f"{A} ; !{B} ; {C} WITHIN 20 s",
    "absent for a while": f"{A} ; !{B} FOR 10 s",
    "absent before": f"!{BX} FOR 10 s ; {AX}",
    "absent from the start": f"!b:[k = 'zzz'] ; {A}",
    "a group absent before": f"!({BX} ; {C}) FOR 10 s ; {AX} WITHIN 20 s",
    "a group absent from the start": "!(b:[k = 'b'] , d:[k = 'd' AND v > 3]) ; a:[k = 'a']",
    "a joined group absent from the start": "!(b:[v = 1 AND g = $x] , d:[g = $x]) ; a:[g = $x]",
    "absent before, rarely": "!b:[k = 'b' AND v = $y] FOR 1 s ; a:[k = 'a'] WITHIN 20 s",
    "absent while another came": f"{A} ; !{B} FOR 5 s ; {C} WITHIN 20 s",
    "silence": f"!{AX} FOR 10 s",
    "silence of a group": "!(a:[k = 'a' AND g = $x] -> b:[g = $x] WITHIN 10 s) FOR 20 s",
    "counted": f"nth(3, {A})",
    "counted pairs": f"nth(3, {A} ; {B})",
    "limited": f"{A} ; {B} LIMIT 5",
    "unique": f"{A} -> {B} PAIRS UNIQUE",
}


def rows(count: int) -> list[dict[str, Any]]:
    chance = random.Random(7)
    return [
        {
            "ts": i * 1000,
            "k": chance.choice("aabbcd"),
            "v": chance.randrange(5),
            "g": chance.choice("xy"),
        }
        for i in range(count)
    ]


@pytest.mark.parametrize("name", BOUNDED)
def test_state_does_not_grow_with_history(name: str) -> None:
    engine = Engine(f"SUBSCRIBE s MATCH {BOUNDED[name]}")
    stream, sizes = rows(900), []
    for begin in range(0, 900, 300):
        engine.process(stream[begin : begin + 300])
        sizes.append(len(engine.snapshot()))
    assert sizes[2] < 1.5 * sizes[1] + 2_000
    assert engine.stats().instances < 400


def test_without_subscriptions_nothing_is_left() -> None:
    text = ";\n".join(f"SUBSCRIBE s{i} MATCH {p}" for i, p in enumerate(BOUNDED.values()))
    engine = Engine("DEFINE unused AS v > 2")
    empty = len(engine.snapshot())
    engine.subscribe(text)
    engine.process(rows(100))
    for name in engine.subscriptions:
        engine.unsubscribe(name)
    stats = engine.stats()
    assert (stats.instances, stats.deadlines) == (0, 0)
    assert len(engine.snapshot()) < empty + 1_000


def test_an_instance_is_dropped_as_soon_as_its_window_has_passed() -> None:
    engine = Engine(f"SUBSCRIBE s MATCH {A} ; {B} WITHIN 2 s")
    engine.process([{"ts": 0, "k": "a"}, {"ts": 2000, "k": "c"}])
    assert engine.stats().instances == 1
    engine.publish({"ts": 2001, "k": "c"})
    assert engine.stats().instances == 0


def test_an_instance_whose_next_event_did_not_fit_is_dropped() -> None:
    engine = Engine(f"SUBSCRIBE s MATCH {A} , {B}; SUBSCRIBE t MATCH {A} ->{{v = 1}} {B}")
    engine.process([{"ts": 0, "k": "a"}, {"ts": 1, "k": "c", "v": 1}])
    assert engine.stats().instances == 0


def test_ever_new_strings_are_forgotten() -> None:
    text = """
        SUBSCRIBE s MATCH a:[k = 'a' AND id = $x] ; b:[k = 'b' AND id = $x] WITHIN 1 s;
        SUBSCRIBE t MATCH a:[id STARTS WITH 'id 77'] , b:[upper(id) < 'ID 3']
    """
    engine = Engine(text, time="ts")
    found, batch = 0, 20_000
    for begin in range(0, 1_000_000, batch):
        numbers = np.arange(begin, begin + batch)
        table = pa.table({
            "ts": numbers,
            "k": np.where(numbers % 2, "b", "a"),
            "id": [f"pair {n // 2}" if n % 100 < 2 else f"id {n}" for n in numbers.tolist()],
        })  # fmt: skip
        found += sum(one.subscription == "s" for one in engine.process(table))
        assert engine.stats().strings <= 2 * FEW
    assert found == 10_000


def test_a_lane_keeps_nothing_of_events_of_other_streams() -> None:
    engine = Engine("SUBSCRIBE s FROM one MATCH [k = 'a']; SUBSCRIBE t FROM other MATCH [k = 'a']")
    for row in rows(100):
        engine.publish({"$stream": "one", **row})
    idle = engine._feed.course.lanes["other",]
    assert len(idle.recent) == 0


def test_a_table_goes_with_its_last_row() -> None:
    engine = Engine("SUBSCRIBE stays FROM s MATCH [k = 'a']")
    for turn in range(3):
        text = f"SUBSCRIBE t{turn}_{{i}} FROM s MATCH [v = {{i}}]"
        engine.subscribe(text, pa.table({"i": [0, 1]}))
        engine.unsubscribe(f"t{turn}_0")
    course = engine._feed.course
    assert len(course.tables) == 3
    for turn in (1, 0, 2):
        assert [one.subscription for one in engine.publish({"$stream": "s", "ts": 0, "v": 1})]
        engine.unsubscribe(f"t{turn}_1")
    assert course.tables == []
    assert course.lanes["s",].members._tables == {}


def test_snapshots_take_no_room() -> None:
    engine = Engine("SUBSCRIBE s MATCH a:[k = 'a'] ; b:[k = 'b']")
    engine.process(rows(20))
    machine = next(iter(engine._feed.course.lanes.values())).lane.machine
    before = machine.nbytes
    for _ in range(8):
        engine.snapshot()
    assert machine.nbytes == before
