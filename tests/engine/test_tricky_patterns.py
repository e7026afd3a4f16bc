"""Patterns in which something can go wrong in an engine that does not see what is still to come.

Each is run over many random streams and compared with the reference.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.comparing import (
    assert_equal,
    expected,
    in_one_go,
    with_snapshots,
)

A, B, C, D = "a:[k = 'a']", "b:[k = 'b']", "c:[k = 'c']", "d:[k = 'd']"
AX, BX, CX = (f"{k}:[k = '{k}' AND g = $x]" for k in "abc")

PATTERNS = {
    # What is known of the number of repetitions decides parts of a condition beforehand.
    "rising": "b:[count(b) = 0 OR v > prev(b.v)]{3,} BY -> -> c:[v <= last(b.v)]",
    "counting backwards": "b:[k = 'a' AND NOT (2 > count(b) AND v < 1)]{2,3} BY ,",
    "only the third": f"b:[count(b) < 2 OR count(b) >= 3 OR v = 1]+ BY ; ; {C}",
    # What the last event decides alone is a filter.
    "the last of an iteration": f"{A} -> m:[g = 'x']+ BY -> @ (last(m.v) > 1 AND last(m.k) != 'c')",
    "the last of each part": f"{B}+ BY ; @ (last(b.v) > 1) -> n:[k = 'a']+ BY -> @ (last(n.v) = 2)",
    "the last of what a count lets in": "b:[k = 'a' OR count(b) > 0]+ BY ; @ (last(b.v) > 1)",
    "a condition behind the first": f"{A} -> {B} @ (b.v > 2 OR b.g = 'y')",
    # A wait that ends with the end of the other side: what follows has come before it is certain.
    "wait and its equal": f"(({A} ; !{B} FOR 1 s) & {C}) ; {D}",
    "wait, then the next": f"(({A} ; !{B} FOR 1 s) & {C}) , {D}",
    "wait, then the very next": f"({A} ; !{B} FOR 1 s) , {C}",
    "wait, then not the next": f"({A} ; !{B} FOR 1 s) , !{D} ; {C}",
    "wait, then the first": f"(({A} ; !{B} FOR 1 s) & {C}) -> {D}",
    "wait, then an absence": f"(({A} ; !{B} FOR 1 s) & {C}) ; !e:[k = 'e'] ; {D}",
    "wait after wait": f"(({A} ; !{B} FOR 1 s) | {D}) ; !{C} FOR 1 s",
    "wait between": f"{A} ; !{B} FOR 1 s ; {C}",
    "wait between, composite": f"{A} ; !({B} ; {D}) FOR 2 s ; ({C} ; e:[k = 'a'])",
    "waits in an iteration": f"({A} ; !{B} FOR 1 s){{1,3}} BY ; UNTIL (k = 'd')",
    "waits in an iteration of the first": f"({A} ; !{B} FOR 1 s)+ BY -> UNTIL (v = 4)",
    "the second that waited": f"nth(2, ({A} ; !{B} FOR 1 s))",
    "the second of two that wait": f"nth(2, ({A} ; !{B} FOR 1 s) | ({C} ; !{D} FOR 2 s))",
    "a wait within": f"({A} ; ({B} ; !{C} FOR 2 s)) WITHIN 1 s",
    "a wait within events": f"({A} ; ({B} ; !{C} FOR 2 s)) WITHIN 2 EVENTS",
    "both wait": f"({A} ; !{B} FOR 1 s) & ({C} ; !{D} FOR 2 s) WITHIN 1 s",
    # The opening condition of the part that is there.
    "optional first": f"{A} -> ({B}? , {C})",
    "optional first of two": f"{A} -> (({B}? -> {C}) & {D})",
    "optional in the middle": f"{A} , {B}? -> {C} ; {D}?",
    "optional iteration": f"{A} , ({B}* BY ,) -> {C}",
    "one of two opens": f"{A} -> ({B} | ({C} , {D}))",
    "an explicit opening": f"{A} ->{{v > 1}} ({B} ; {C})",
    "the first of the counted": f"{A} -> nth(1, ({B} ; c:[v > b.v]))",
    "the next of the counted": f"{A} , nth(1, ({BX} ; {CX}))",
    # What must be absent.
    "composite between": f"{A} ; !({B} -> {C}) ; ({D} ; e:[k = 'b'])",
    "absent and present alike": f"{A} ; !{C} ; d:[k = 'c' OR k = 'b']",
    "not next": f"{A} , !{B} -> ({C} , {D})",
    "not next, then any": f"{A} , !{B} ; {C}",
    "not next, then a wait": f"{A} , !{B} ; ({C} ; !{D} FOR 1 s)",
    "behind what is not there": f"{A}? ; !{B} ; {C}",
    "behind what is not there, with variables": f"{AX}? ; !{BX} ; {CX}",
    "behind what is not there, for a while": f"{A}? ; !{B} FOR 1 s ; {C}",
    "behind two that are not there": f"{A}? ; !{B} ; {C}? ; !([v = 1] ; [v > 1]) ; {D}",
    "with variables": f"{AX} ; !{BX} ; {CX}",
    "leading, with variables": f"!{BX} ; {AX} ; {C}",
    "leading, composite": f"!({B} , {C}) ; {A}",
    "leading, for a while": f"!({B} ; {C}) FOR 2 s ; ({A} ; {D})",
    "leading, for a while, within": f"!{BX} FOR 1 s ; {AX} WITHIN 2 s",
    "leading inside": f"{D} ; (!{BX} ; {AX})",
    "leading, of something left": f"{D} ; (![v > d.v] ; {A})",
    "leading, counted": f"!nth(2, {B}) FOR 2 s ; {A} WITHIN 1 s",
    # Iterations.
    "aggregates": "a:[v > 0 AND (count(a) = 0 OR v >= avg(a.v))]+ BY ; ; b:[v < sum(a.v)]",
    "nested": f"(({A} ; {B}+ BY ;){{1,2}} BY ;) ; {C}",
    "nested, with names": "((a:[k = 'a'] ; b:[k != 'a' AND v > a.v])+ BY ;) @ (count(b) > 1)",
    "until keeps the first from being taken": "a:[k = 'a'] -> b:[v > 0]{1,2} UNTIL (k = 'c')",
    "until inside a part": f"({A} ; {B})+ BY ; UNTIL (k = 'c')",
    "any order": "repeat(a:[k != 'd' AND g = $x], 3, v, 1) BY &",
    "any order, behind": f"{D} , repeat(a:[k != 'd'], 2, v, 1) BY &",
    "any order, all alike": "repeat(a:[k = 'a'], 3, v, 0) BY & WITHIN 3 s",
    # Joins.
    "three sides": f"{AX} & {BX} & {C}? WITHIN 2 s",
    "sides that can be empty": f"({A}? & {B}?) -> {C}",
    "both behind the next": f"{D} , ({A} & {B})",
    "counted sides": f"nth(1, {AX}) & nth(2, {BX})",
    # Clauses.
    "unique pairs": f"{A} ; {B} PAIRS UNIQUE",
    "separate pairs": f"{A} ; {B} ; {C} PAIRS SEPARATE",
    "the last of those alike": f"{AX} ; {B} DUPLICATES LAST LIMIT 2 PER $x",
    "silence": "!a:[k = 'a' AND g = $x] FOR 1 s EVERY 1 s",
    "silence of two": f"!({A} | b:[v > 1]) FOR 1 s",
    "silence with variables, where": "!a:[k = 'a' AND g = $x] FOR 1 s WHERE $x = 'y'",
    "silence of two with variables": f"!({AX} ; {BX}) FOR 1 s EVERY 1 s",
    "silence of one with variables and the first": f"!({A} -> {BX}) FOR 1 s EVERY 1 s",
    "silence of a sequence within": f"!({A} ; {B}) FOR 1 s WITHIN 1 s",
    "silence of alternatives": f"!({AX} | {B}) FOR 1 s",
    "silence of the counted": f"!nth(2, {AX}) FOR 1 s",
    "silence of a sequence": f"!({A} ; {B}) FOR 2 s EVERY 1 s",
}

_EVENT = st.fixed_dictionaries(
    {
        "gap": st.sampled_from([0, 0, 500, 1000]),
        "k": st.sampled_from("aabbccd"),
        "v": st.integers(0, 4),
        "g": st.sampled_from("xxy"),
        "lasts": st.sampled_from([0] * 8 + [500, 1000]),
        "clock": st.sampled_from([False] * 7 + [True]),
    }
)


@st.composite
def dense_rows(draw: Any) -> list[dict[str, Any]]:
    """Return rows in which much happens, often at the same time."""
    found: list[dict[str, Any]] = []
    now = 0
    for drawn in draw(st.lists(_EVENT, max_size=9)):
        begin, now = now + drawn["gap"], now + drawn["gap"] + drawn["lasts"]
        if drawn["clock"]:
            now = begin
            found.append({"$clock": begin})
            now += 500
        else:
            row = {"ts": begin, "k": drawn["k"], "v": drawn["v"], "g": drawn["g"]}
            found.append({**row, "$end": now} if drawn["lasts"] else row)
    return found


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=max(30, settings.default.max_examples // 2))
@given(dense_rows(), st.sampled_from(["ordered", "unordered"]), st.data())
def test_engine_and_reference_agree(
    name: str, stream: list[dict[str, Any]], order: Any, data: st.DataObject
) -> None:
    text = f"SUBSCRIBE s MATCH {PATTERNS[name]}"
    wanted = expected(text, stream, simultaneous=order)
    assert_equal(in_one_go(text, stream, simultaneous=order), wanted)
    cuts = data.draw(st.sets(st.integers(0, 9), max_size=2))
    if cuts:
        assert_equal(with_snapshots(text, stream, cuts, simultaneous=order), wanted)
