"""Which patterns are chains: of what a match has, each event is the very next one of its key."""

from __future__ import annotations

import pytest

from tocsin.language.parser import parse
from tocsin.plan.partition import PREFERENCE, Strategy, explain_partitions, plan_partitions

NEXT = "->{ip = $x}"
A, B, C = "a:[ip = $x]", "b:[ip = $x AND v < a.v]", "c:[ok]"


def chain(match: str, *, source: str = "logins", unordered: bool = False) -> int | None:
    """Return the chain of the only group of a program, which is split by key."""
    program = parse(f"SUBSCRIBE s FROM {source} MATCH {match}")
    (group,) = plan_partitions(program, unordered=unordered).groups
    assert group.strategy is Strategy.BY_KEY
    return group.chain


@pytest.mark.parametrize(
    ("match", "events"),
    [
        (f"{A} {NEXT} {B}", 2),
        (f"{A} {NEXT} {B} {NEXT} {C}", 3),
        (f"{A} ->{{$x = ip}} {B}", 2),
        ("a:[ok] ->{ip = a.ip} b:[ip = a.ip] ->{ip = b.ip} c:[ok]", 3),
        (f"{A} ->{{ip = $x AND ip = a.ip}} {B}", 2),
        (f"{A} {NEXT} (b:[ip = $x AND ok] {NEXT} {C})", 3),
        (f"{A} {NEXT} (b:[ip = $x AND ok] | c:[ip = $x] {NEXT} d:[ok])", 3),
        (f"{A} {NEXT} b:[ip = $x] @ (b.v < a.v)", 2),
        (f"({A} {NEXT} {B} WITHIN 5 s) {NEXT} {C}", 3),
        (f"{A} {NEXT} (b:[ip = $x]{{1,4}} BY {NEXT}) {NEXT} {C}", 6),
        (f"{A} {NEXT} {B}? {NEXT} c:[ip = $x]", 3),
        (f"{A} {NEXT} {B} WITHIN 5 s", 2),
        (f"{A} {NEXT} {B} {NEXT} {C} WITHIN 20 EVENTS", 3),
        (f"{A} {NEXT} {B} WHERE a.v > 3", 2),
        (f"{A} {NEXT} {B} DUPLICATES LAST", 2),
        (f"{A} -> b:[ip = $x]", 2),
        (f"{A} -> b:[b.ip = $x] -> c:[ip = a.ip] @ (c.v > a.v)", 3),
        ("a:[ip = $x]{2,5}", 5),
    ],
)
def test_a_chain_has_so_many_events(match: str, events: int) -> None:
    assert chain(match) == events


@pytest.mark.parametrize(
    "match",
    [
        pytest.param(f"{A} ->{{ip = $x AND ok}} {B}", id="others of the key may lie between"),
        pytest.param(f"{A} -> {B}", id="what the next atom asks for may lie further on"),
        pytest.param(f"{A} -> (b:[ip = $x] | c:[ip = $x AND ok])", id="or one of several atoms"),
        pytest.param(f"{A} ; b:[ip = $x]", id="any later event will do"),
        pytest.param(f"{A} , b:[ip = $x] ; c:[ip = $x]", id="the next of all and any later one"),
        pytest.param(f"{A} {NEXT} {B} ; c:[ip = $x]", id="one joint of several"),
        pytest.param(f"{A} -> ![ip = $x AND ok] -> b:[ip = $x]", id="an absence between"),
        pytest.param(f"{A} , ![ip = $x AND ok] -> b:[ip = $x]", id="an absence next to it"),
        pytest.param(f"{A} ; ![ip = $x] FOR 5 s ; b:[ip = $x]", id="a wait"),
        pytest.param(f"![ip = $x AND ok] ; {A} {NEXT} {B}", id="an absence before it"),
        pytest.param(f"![ip = $x AND ok] FOR 5 s ; {A} {NEXT} {B}", id="a wait before it"),
        pytest.param(f"{A} {NEXT} {B} ; ![ip = $x] FOR 5 s", id="an absence behind it"),
        pytest.param(f"{A} {NEXT} (b:[ip = $x]+ BY {NEXT})", id="any number of repetitions"),
        pytest.param(f"{A} {NEXT} b:[ip = $x]{{2}} BY ;", id="repetitions at any distance"),
        pytest.param(f"{A} {NEXT} b:[ip = $x AND ok]{{2}}", id="repetitions of a kind"),
        pytest.param(
            f"(a:[ip = $x]{{1,3}} BY {NEXT} UNTIL (ip = $x AND ok))", id="repetitions until"
        ),
        pytest.param("repeat(a:[ip = $x], 3, v, 1)", id="repetitions in sequence"),
        pytest.param("repeat(a:[ip = $x], 3, v, 1) BY &", id="repetitions in any order"),
        pytest.param(f"nth(2, {A} {NEXT} {B})", id="counted from the start"),
        pytest.param(f"(a:[ip = $x] & b:[ip = $x]) {NEXT} {C}", id="in any order"),
        pytest.param(f"{A} {NEXT} {B} PAIRS UNIQUE", id="pairs with what was kept before"),
        pytest.param(f"{A} {NEXT} {B} LIMIT 3 PER $x", id="a limit from the start on"),
    ],
)
def test_what_may_reach_further_back_is_no_chain(match: str) -> None:
    assert chain(match) is None


def test_simultaneous_events_of_the_key_lie_between_where_they_have_no_order() -> None:
    assert chain(f"{A} {NEXT} {B}", unordered=True) is None


def test_a_union_of_streams_is_no_chain() -> None:
    assert chain(f"{A} {NEXT} {B}", source="logins, files") is None


def test_derived_streams_are_no_chains() -> None:
    emitted = "EMIT $x AS ip, 1 AS v, TRUE AS ok INTO made"
    alone = f"{A} {NEXT} {B} {emitted}"
    assert chain(alone) == 2
    assert chain(f"{alone}; SUBSCRIBE t FROM made MATCH d:[ip = $x] {NEXT} e:[ok]") is None


def test_a_group_is_a_chain_where_all_its_units_are() -> None:
    two, three = f"{A} {NEXT} {B}", f"{A} {NEXT} {B} {NEXT} {C}"
    assert chain(f"{two}; SUBSCRIBE t FROM logins MATCH {three}") == 3
    assert chain(f"{two}; SUBSCRIBE t FROM logins MATCH {A} ; {B}") is None


def test_chains_are_sliced_only_where_slices_may_be_used() -> None:
    program = parse(f"SUBSCRIBE s FROM logins MATCH {A} {NEXT} {B}")
    chains = [
        group.chain
        for wanted in (PREFERENCE, (Strategy.BY_KEY, Strategy.BY_SHARD))
        for group in plan_partitions(program, preference=wanted).groups
    ]
    assert chains == [2, None]


@pytest.mark.parametrize(
    ("match", "last"), [(f"{A} {NEXT} {B}", "event"), (f"{A} {NEXT} {B} {NEXT} {C}", "2 events")]
)
def test_the_explanation_says_what_slices_of_chains_need(match: str, last: str) -> None:
    text = explain_partitions(plan_partitions(parse(f"SUBSCRIBE s FROM logins MATCH {match}")))
    wanted = f"  chains: may be split by time, with the last {last} of each key from before each"
    assert wanted in text
    assert "  why: Each event of a match is the very next one of its key, and a match has" in text
    assert f"needs no more of a key from before it than the last {last}." in text


def test_the_explanation_says_nothing_of_chains_where_there_are_none() -> None:
    program = parse(f"SUBSCRIBE s FROM logins MATCH {A} ; {B}")
    assert "chain" not in explain_partitions(plan_partitions(program))
