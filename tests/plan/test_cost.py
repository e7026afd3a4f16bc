"""Which operators cost more than they should, and where that is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from tocsin.language.checker import check
from tocsin.language.live import LiveProgram
from tocsin.language.parser import parse
from tocsin.plan.cost import REFUSED, CostWarning, cost_of, cost_warnings, growth_of
from tocsin.testing.runnable import runnable_programs

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
LINES = (HERE / "pairs" / "cost.txt").read_text(encoding="utf-8").splitlines()
PAIRS = [
    tuple(part.strip() for part in line.split("=>"))
    for line in LINES
    if line and not line.startswith("#")
]


def costs(text: str) -> tuple[CostWarning, ...]:
    program = parse(text)
    normal = LiveProgram(program).normal(program.subscriptions)
    return tuple(one for subscription in normal for one in cost_of(subscription))


@pytest.mark.parametrize(("pattern", "expected"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_a_pattern_costs_what_is_written_beside_it(pattern: str, expected: str) -> None:
    found = costs(f"SUBSCRIBE s MATCH {pattern}")
    assert "; ".join(f"{one.kind} {one.operator} {one.growth}" for one in found) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        "a:[x = 1] ^; b:[x = 2]",
        "a:[x = 1] , b:[x = 2] ^; c:[x = 3]",
        "a:[x = $k] ^-> b:[x = $k AND y = 1]",
        "(a:[x = 1] | b:[x = 2]) ^& c:[x = 3]",
        "a:[x = 1 AND (y = 2)]^{2} BY ;",
        "a:[x = 1] , !b:[y = 1] ^-> d:[z = a.z]",
        "a:[x = 1] , ^repeat(b:[x = 1], 2, v, 1)",
        "^!(a:[x = 1] , b:[x = 2]) ; c:[x = 3]",
        "a:[x = 1] ; b:[x = 2] ^; c:[x = 3] WITHIN 5 min",
    ],
)
def test_the_caret_stands_under_the_operator_at_fault(pattern: str) -> None:
    before, _, behind = f"SUBSCRIBE s MATCH {pattern}".partition("^")
    warnings = cost_warnings(check(parse(before + behind)))
    assert [warning.column for warning in warnings] == [len(before) + 1]


def test_a_warning_says_what_grows_where_and_what_to_write() -> None:
    text = "SUBSCRIBE s\nMATCH a:[x = 1] ; b:[x = 2] ; c:[x = 3]"
    (warning,) = cost_warnings(check(parse(text)))
    assert str(warning) == (
        "warning: partial matches wait for ever behind this ';': polynomial of degree 2 in the "
        "length of the stream (line 2, column 17)\n"
        "  MATCH a:[x = 1] ; b:[x = 2] ; c:[x = 3]\n"
        "                  ^\n"
        "Add WITHIN 1 hour: ';' asks for any later event, so nothing else ends the waiting."
    )


def test_the_hint_for_what_nth_counts_puts_the_window_inside() -> None:
    cost, _ = costs("SUBSCRIBE s MATCH nth(2, a:[x = $k] ; b:[x = 2]) WITHIN 5 min")
    assert "nth(2, (p WITHIN 1 hour))" in cost.hint


def test_a_definition_with_a_variable_joins_like_its_text() -> None:
    define = "DEFINE of AS x = $k; "
    pattern = "MATCH a:of ; b:of ; c:of WITHIN 5 min"
    assert costs(f"{define}SUBSCRIBE s {pattern}") == ()
    assert costs(f"DEFINE of AS x = 1; SUBSCRIBE s {pattern}") != ()


def test_a_template_is_costed_before_a_table_fills_it() -> None:
    text = "SUBSCRIBE s_{n} MATCH a:[x = {n}] ; !b:[x = 2] FOR {t} ; c:[x = 3]"
    assert len(cost_warnings(check(parse(text)))) == 1
    assert cost_warnings(check(parse(f"{text} WITHIN {{w}}"))) == ()


def test_what_is_remembered_for_each_key_is_no_warning() -> None:
    text = "SUBSCRIBE s MATCH nth(3, a:[x = $k])"
    assert [one.kind in REFUSED for one in costs(text)] == [False]
    assert cost_warnings(check(parse(text))) == ()


@pytest.mark.parametrize("name", ["intrusion", "sensors", "ssh", "stocks"])
def test_examples_with_windows_and_keys_are_fine(name: str) -> None:
    for path in (EXAMPLES / name).glob("*.tocsin"):
        assert cost_warnings(check(parse(path.read_text(encoding="utf-8")))) == ()


@given(runnable_programs())
def test_every_program_that_runs_can_be_costed(text: str) -> None:
    checked = check(parse(text))
    program = checked.program
    for subscription in LiveProgram(program).normal(program.subscriptions):
        assert growth_of(subscription)
    for warning in cost_warnings(checked):
        assert warning.source in text
        assert 1 <= warning.column <= len(warning.source)
