"""Which strategies are allowed, and what is said about those that are not."""

from __future__ import annotations

import pytest

from tocsin.language.parser import parse
from tocsin.plan.partition import (
    Overlap,
    PartitionPlan,
    Strategy,
    explain_partitions,
    plan_partitions,
)

SECOND = 1_000_000
HOUR = 3600 * SECOND


def plan(*patterns: str) -> PartitionPlan:
    texts = [f"SUBSCRIBE s{n} FROM logins MATCH {p}" for n, p in enumerate(patterns)]
    return plan_partitions(parse(";\n".join(texts)))


def keys(pattern: str) -> list[dict[str, str]]:
    return [dict(choice.key) for choice in plan(pattern).units[0].choices if choice.key]


def overlap(pattern: str) -> Overlap | None:
    choice = plan(pattern).units[0].choice(Strategy.BY_TIME)
    return None if choice is None else choice.overlap


def refusal(pattern: str, strategy: Strategy) -> str:
    (found,) = [r for r in plan(pattern).units[0].refusals if r.strategy is strategy]
    return str(found)


@pytest.mark.parametrize(
    "pattern",
    [
        "a:[ip = $x] ; b:[ip = $x]",
        "a:[ip = $x] , b:[$x = ip]",
        "a:[ok] ; b:[ip = a.ip] -> c:[ip = b.ip]",
        "a:[ok] ; b:[ok] WHERE a.ip = b.ip",
        "(a:[ok] ; b:[ok]) @ (a.ip = b.ip AND a.ts < b.ts)",
        "a:[ip = $x]+ UNTIL (ip = $x AND ok)",
        "a:[ok] -> (b:[ip = a.ip AND ip = $x]+ | c:[ip = a.ip]) ; d:[ip = a.ip]",
        "a:[ip = $x] ->{ip = $x AND ok} b:[ip = $x]",
        "a:[ip = $x] ->{ip = $x} b:[ok]",
        "!q:[ip = $x] ; a:[ip = $x]",
        "a:[ip = $x] ; !q:[ip = $x] FOR 1 min",
        "(a:[ip = $x] & b:[ip = $x])",
        "nth(3, a:[ip = $x])",
        "a:[ip = $x] ; nth(3, b:[ip = $x])",
        "a:[ip = $x] ; b:[ip = $x] PAIRS UNIQUE DUPLICATES LAST LIMIT 3 PER $x",
        "a:[ok] ; b:[ip = a.ip] DUPLICATES FIRST",
    ],
)
def test_events_of_different_keys_never_meet(pattern: str) -> None:
    assert keys(pattern) == [{"logins": "ip"}]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a:[ok] ; b:[ok]", "s0: no attribute is asked to be equal in all its atoms (line 1,"),
        ("a:[ip = $x] ; b:[ok]", "atom 'b' is not tied to the key of what was matched before it"),
        ("a:[ip = $x] ; b:[ip = $x OR ok]", "atom 'b' is not tied"),
        ("a:[ip = $x] ; b:[NOT (ip = $x)]", "atom 'b' is not tied"),
        ("a:[ip = $x] ; b:[ip = $x]? ; c:[ip = b.ip OR ok]", "atom 'c' is not tied"),
        ("a:[ip = $x] ; !q:[ok] ; b:[ip = $x]", "atom 'q' is not tied"),
        ("a:[ok] -> b:[ok] WHERE a.ip = b.ip", "atom 'b' is not tied"),
        ("a:[ip = $x] ->{ok} b:[ip = $x]", "the condition of ->{…} also holds for events of"),
        ("a:[ip = $x]? ->{ip = $x} b:[ok] ; c:[ip = $x]", "atom 'b' is not tied"),
        ("a:[ip = $x]+ UNTIL (ok)", "the condition of UNTIL also holds for events of other keys"),
        ("nth(3, a:[ok]) ; b:[ip = a.ip]", "nth(3, …) counts the matches of all keys together"),
        ("(a:[ip = $x] & b:[ip = $y]) ; c:[ip = a.ip]", "the sides of '&' share no variable"),
        ("repeat(a:[ok], 2, v, 1) BY & ; b:[ip = last(a.ip)]", "the repetitions BY & share no"),
        ("!a:[ip = $x] FOR 1 min", "silence is first that of all keys together"),
        ("a:[ip = $x] ; b:[ip = $x] LIMIT 3", "LIMIT n counts matches of all keys; only PER the"),
        ("a:[ip = $x AND u = $u] ; b:[ip = $x] LIMIT 3 PER $u", "LIMIT n PER $u counts matches"),
        ("a:[ip = $x] ; b:[ip = $x] PAIRS SEPARATE", "PAIRS SEPARATE compares with the match"),
        (
            "a:[ok] ; b:[ip = a.ip] ; !c:[ip = a.ip] FOR 1 min DUPLICATES LAST",
            "DUPLICATES LAST compares matches of all keys at one deadline; bind the key to a",
        ),
        ("a:[ip = $x] ; b:[host = $x]", "with the key logins.ip, atom 'b' is not tied"),
    ],
)
def test_what_looks_across_keys_is_named(pattern: str, reason: str) -> None:
    found = [r for r in plan(pattern).units[0].refusals if r.strategy is Strategy.BY_KEY]
    assert keys(pattern) == []
    assert any(reason in str(one) for one in found), found


def test_a_refusal_names_the_place() -> None:
    found = plan_partitions(
        parse("SUBSCRIBE s FROM logins\nMATCH a:[ip = $x] ;\n      !q:[ok] ; b:[ip = $x]")
    ).units[0]
    assert (found.refusals[0].line, found.refusals[0].column) == (3, 8)


def test_streams_may_call_the_key_differently() -> None:
    text = "SUBSCRIBE s FROM logins, files MATCH a:logins[ip = $x] ; b:files[address = $x]"
    assert plan_partitions(parse(text)).groups[0].choice.key == (
        ("files", "address"),
        ("logins", "ip"),
    )


def test_every_key_is_a_choice_and_the_shared_one_is_taken() -> None:
    found = plan("a:[ip = $x AND u = $u] ; b:[ip = $x AND u = $u]", "a:[u = $u] ; b:[u = $u]")
    first = found.units[0]
    assert [choice.key for choice in first.choices if choice.key] == [
        (("logins", "ip"),),
        (("logins", "u"),),
    ]
    assert [group.subscriptions for group in found.groups] == [("s0", "s1")]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("a:[ok]", Overlap(0)),
        ("a:[ok] ; b:[ok] WITHIN 1 hour", Overlap(HOUR)),
        ("a:[ok] ; b:[ok] WITHIN 20 EVENTS", Overlap(0, 19)),
        ("a:[ok] , b:[ok] , c:[ok]", Overlap(0, 2)),
        ("(a:[ok]{3} BY ,)", Overlap(0, 2)),
        ("a:[ok] ; b:[ok] ; !c:[ok] FOR 5 s WITHIN 1 hour", Overlap(HOUR + 5 * SECOND)),
        ("!q:[ok] FOR 5 s ; a:[ok] WITHIN 1 hour", Overlap(HOUR + 5 * SECOND)),
        ("!q:[ok] FOR 5 s", Overlap(5 * SECOND)),
        ("(a:[ok] ; b:[ok] WITHIN 3 s) | c:[ok]", Overlap(3 * SECOND)),
        ("a:[ok] ; nth(2, b:[ok]) WITHIN 1 s DUPLICATES LAST", Overlap(SECOND)),
        ("a:[ok] ; b:[ok]", None),
        ("a:[ok] & b:[ok]", None),
        ("!q:[ok] ; a:[ok] WITHIN 1 s", None),
        ("nth(2, a:[ok])", None),
        ("a:[ok] PAIRS UNIQUE", None),
        ("a:[ok] LIMIT 1", None),
        ("!q:[ok] FOR 5 s EVERY 5 s", None),
        ("!q:[ok] FOR 5 s ; a:[ok]", None),
    ],
)
def test_slices_reach_back_as_far_as_a_match(pattern: str, wanted: Overlap | None) -> None:
    assert overlap(pattern) == wanted


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a:[ok] ; b:[ok]", "a match may last for any time; add WITHIN 1 hour, say (line 1,"),
        (
            "!q:[ok] ; a:[ok]",
            "a leading '!q' looks back to the start of the stream (line 1, column",
        ),
        ("nth(2, a:[ok])", "nth(2, …) counts from the start of the stream (line 1, column 32)"),
        ("a:[ok] PAIRS UNIQUE", "PAIRS UNIQUE depends on every match that was kept before"),
        ("a:[ok] LIMIT 1", "LIMIT counts matches from the start of the stream (line 1, column 45)"),
        ("!q:[ok] FOR 5 s EVERY 5 s", "EVERY reports silence however long ago the last event was"),
        ("!q:[ok] FOR 5 s ; a:[ok]", "looks back from a begin that no WITHIN bounds; add WITHIN"),
    ],
)
def test_what_looks_across_slices_is_named(pattern: str, reason: str) -> None:
    assert reason in refusal(pattern, Strategy.BY_TIME)


def test_windows_of_derived_streams_add_up() -> None:
    text = """
    SUBSCRIBE p FROM a MATCH x:[ok] ; y:[ok] WITHIN 2 s EMIT 1 AS v INTO b;
    SUBSCRIBE r FROM b MATCH z:[v = 1] ; w:[v = 1] WITHIN 3 s
    """
    (unit,) = plan_partitions(parse(text)).units
    choice = unit.choice(Strategy.BY_TIME)
    assert unit.subscriptions == ("p", "r")
    assert choice is not None
    assert choice.overlap == Overlap(5 * SECOND)


def test_a_derived_event_carries_the_key() -> None:
    text = """
    SUBSCRIBE p FROM a MATCH x:[ip = $x] ; y:[ip = $x] EMIT $x AS who INTO b;
    SUBSCRIBE r FROM b MATCH z:[who = $w] ; w:[who = $w]
    """
    assert plan_partitions(parse(text)).groups[0].choice.key == (("a", "ip"), ("b", "who"))


@pytest.mark.parametrize(("atom", "is_split"), [("[TRUE]", False), ("[who = $w]", True)])
def test_a_key_must_show_where_the_clock_derives_events(atom: str, is_split: bool) -> None:
    text = f"""
    SUBSCRIBE p FROM a MATCH x:[ip = $x] ; !y:[ip = $x] FOR 5 s EMIT $x AS who INTO b;
    SUBSCRIBE r FROM b MATCH z:{atom}
    """
    (unit,) = plan_partitions(parse(text)).units
    assert (unit.choice(Strategy.BY_KEY) is not None) is is_split


def test_units_without_key_and_window_are_sharded_and_one_alone_is_not() -> None:
    alone = plan("a:[ok] ; b:[ok]")
    two = plan("a:[ok] ; b:[ok]", "a:[ok] & b:[ok]")
    assert [group.strategy for group in alone.groups] == [Strategy.SINGLE]
    assert [group.strategy for group in two.groups] == [Strategy.BY_SHARD]


def test_an_event_alone_needs_no_key() -> None:
    (group,) = plan("a:[ip = $x]").groups
    assert group.strategy is Strategy.BY_TIME
    assert group.choice.overlap == Overlap(0)


def test_a_strategy_that_is_not_preferred_is_not_taken() -> None:
    program = parse("SUBSCRIBE s MATCH a:[ip = $x] ; b:[ip = $x] WITHIN 1 s")
    found = plan_partitions(program, preference=[Strategy.BY_TIME])
    assert [group.strategy for group in found.groups] == [Strategy.BY_TIME]
    assert [g.strategy for g in plan_partitions(program, preference=[]).groups] == [Strategy.SINGLE]


def test_a_hot_key_is_sliced_only_where_positions_are_counted_alike() -> None:
    near = "MATCH a:one[ip = $x] , b:one[ip = $x]"
    same = plan_partitions(parse(f"SUBSCRIBE s FROM one {near}; SUBSCRIBE t FROM one {near}"))
    wider = plan_partitions(parse(f"SUBSCRIBE s FROM one {near}; SUBSCRIBE t FROM one, two {near}"))
    assert [group.slices for group in same.groups] == [Overlap(0, 1)]
    assert [group.slices for group in wider.groups] == [None]


def test_the_explanation_says_what_and_why() -> None:
    text = explain_partitions(plan("a:[ok] ; b:[ok]", "a:[ok] , !q:[bad] ; b:[ok] WITHIN 1 min"))
    assert text.splitlines() == [
        "group 1: single (s0)",
        "  why: One engine reads the whole stream.",
        "  not by key: s0: no attribute is asked to be equal in all its atoms (line 1, column 1)",
        "  not by time: s0: a match may last for any time; add WITHIN 1 hour, say "
        "(line 1, column 1)",
        "  logins: only where ok; reads ok",
        "group 2: by time, with 1 min from before each slice (s1)",
        "  why: No match that completes in a slice needs an event from before 1 min back, "
        "and each completes in exactly one slice.",
        "  why: Nothing counts from the start of the stream, and no policy looks across slices.",
        "  not by key: s1: no attribute is asked to be equal in all its atoms (line 2, column 1)",
        "  positions: count all events of logins before any is dropped",
        "  logins: only where ok OR bad; reads bad, ok",
    ]
