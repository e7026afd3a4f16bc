"""What is read of the stream."""

from __future__ import annotations

import pytest

from tocsin.language.normal import normalize
from tocsin.language.parser import parse
from tocsin.language.printer import to_text
from tocsin.plan.partition import Needs, Strategy, plan_partitions, plan_subscriptions


def needs(text: str, *, unordered: bool = False) -> Needs:
    return plan_partitions(parse(text), unordered=unordered).groups[0].needs


def condition(text: str, stream: str = "one", *, unordered: bool = False) -> str | None:
    found = needs(text, unordered=unordered).streams[stream].condition
    return None if found is None else to_text(found)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("a:[x = 1] ; b:[x = 2 AND y > a.y]", "x = 1 OR x = 2 AND y IS PRESENT"),
        ("a:[x = 1] , b:[x = 2]", "x = 1 OR x = 2"),
        ("a:[x = 1] ; !q:[x = 3] ; b:[x = 2]", "x = 1 OR x = 3 OR x = 2"),
        ("a:[x = 1] ; !q:[x = 3] FOR 1 s", "x = 1 OR x = 3"),
        ("a:[x = 1] ->{y = 2} b:[x = 2]", "x = 1 OR y = 2 OR x = 2"),
        ("a:[x = 1]+ UNTIL (y = 2)", "y = 2 OR x = 1"),
        ("a:[x = 1] ; b:[a.x = 2]", None),
        ("a:[x = 1] ; b:[TRUE]", None),
        ("a:[x = 1 AND t(a) > begin(a)]", "x = 1"),
        ("a:[x = 1 OR y = 2] ; b:[y = 2]", "x = 1 OR y = 2"),
    ],
)
def test_an_event_that_no_condition_asks_for_is_dropped(pattern: str, wanted: str | None) -> None:
    found = condition(f"SUBSCRIBE s FROM one MATCH {pattern}")
    assert found is None if wanted is None else set(_parts(found)) == set(_parts(wanted))


def _parts(text: str | None) -> list[str]:
    return (text or "").split(" OR ")


def test_a_stream_that_no_atom_reads_gives_positions_only() -> None:
    text = "SUBSCRIBE s FROM one, two MATCH a:one[x = 1] , b:one[x = 2]"
    assert condition(text, "two") == "FALSE"
    assert needs(text).positions == (("one", "two"),)


def test_neighbours_among_unordered_events_need_every_event() -> None:
    text = "SUBSCRIBE s FROM one MATCH a:[x = 1] , b:[x = 2]"
    assert condition(text, unordered=True) is None


def test_positions_among_derived_events_are_counted_on_the_way() -> None:
    text = """
    SUBSCRIBE p FROM one MATCH a:[x = 1] EMIT 1 AS x INTO made;
    SUBSCRIBE r FROM one, made MATCH a:[x = 1] , b:[x = 1]
    """
    assert condition(text) is None
    assert needs(text).positions == ()


@pytest.mark.parametrize(
    ("pattern", "enough"),
    [
        ("a:[x = 1] -> b:[x = 2]", True),
        ("a:[x = 1] ; b:[x = 2] WITHIN 1 s", True),
        ("a:[x = 1] , b:[x = 2]", False),
        ("a:[x = 1] , !q:[x = 3] ; b:[x = 2]", False),
        ("a:[x = 1]{2} BY ,", False),
        ("(a:[x = 1] ; b:[x = 2] WITHIN 3 EVENTS)", False),
        ("a:[x = 1] ; b:[x = 2] WITHIN 3 EVENTS", False),
    ],
)
def test_only_neighbours_and_windows_of_events_need_positions(pattern: str, enough: bool) -> None:
    assert needs(f"SUBSCRIBE s FROM one MATCH {pattern}").is_order_enough is enough


@pytest.mark.parametrize(
    ("pattern", "start", "clock"),
    [
        ("a:[x = 1] ; !q:[x = 2] ; b:[x = 3]", False, False),
        ("a:[x = 1] ; !q:[x = 2] FOR 1 s ; b:[x = 3]", False, False),
        ("a:[x = 1] ; !q:[x = 2] FOR 1 s", False, True),
        ("!q:[x = 2] FOR 1 s ; a:[x = 1]", True, False),
        ("a:[x = 1]? ; !q:[x = 2] FOR 1 s ; b:[x = 3]", True, False),
        ("!q:[x = 2] FOR 1 s", True, True),
    ],
)
def test_who_needs_the_start_and_the_clock(pattern: str, start: bool, clock: bool) -> None:
    found = needs(f"SUBSCRIBE s FROM one MATCH {pattern}")
    assert (found.start, found.clock) == (start, clock)


def test_columns_are_those_that_any_clause_reads() -> None:
    text = """
    SUBSCRIBE s FROM one, two
    MATCH a:one[x = 1]+ ; b:two[y = 2] ->{z = 3} c:[w = $w]
    WHERE b.p > sum(a.q) EMIT b.r AS r, t(c) AS t
    """
    found = needs(text).streams
    assert found["one"].columns == ("q", "w", "x", "z")
    assert found["two"].columns == ("p", "r", "w", "y", "z")


def test_many_alternatives_are_made_fewer() -> None:
    texts = [
        f"SUBSCRIBE s{n} FROM one MATCH a:[x = 1 AND u = {n} AND k = $k] ; b:[x = 2 AND k = $k]"
        for n in range(200)
    ]
    assert condition(";\n".join(texts)) == "x = 1 AND k IS PRESENT OR x = 2 AND k IS PRESENT"


def test_too_many_alternatives_ask_for_everything() -> None:
    texts = [f"SUBSCRIBE s{n} FROM one MATCH a:[x{n} = 1]" for n in range(200)]
    assert condition(";\n".join(texts)) is None


def test_parameters_of_a_template_have_no_value() -> None:
    text = "SUBSCRIBE s_{u} FROM one MATCH a:[x = 1 AND u = {u}] ; b:[x = 2] WITHIN {t}"
    (tree,) = parse(text).subscriptions
    (unit,) = plan_subscriptions([normalize(tree, definitions={}, sources=("one",))]).units
    found = unit.needs.streams["one"].condition
    assert found is not None
    assert to_text(found) == "x = 1 OR x = 2"
    assert unit.choice(Strategy.BY_TIME) is None
