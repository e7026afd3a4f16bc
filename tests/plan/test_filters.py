"""Filters in disjunctive normal form, and conditions split into static and dynamic parts."""

import pytest
from hypothesis import given
from tests.engine_index.worlds import conditions, events, reference_holds

from tocsin.language.parser import parse_expression
from tocsin.language.tree import Expression, Literal
from tocsin.model.event import Event
from tocsin.plan.predicates import (
    Computed,
    Interval,
    Present,
    Text,
    split_condition,
    to_filter,
    without_alternatives,
)


def normal(text: str) -> object:
    return to_filter(parse_expression(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("price > 5", "5 < price"),
        ("price > 5 AND price < 9", "price < 9 AND price > 5 AND price > 5.0"),
        ("a = 1", "a IN (1)"),
        ("a = 1", "a IN (1, 1.0)"),
        ("NOT (a = 1 OR b = 2)", "NOT a = 1 AND NOT b = 2"),
        ("NOT (NOT a = 1)", "a = 1"),
        ("name LIKE 'ab%'", "name STARTS WITH 'ab'"),
        ("name LIKE '%ab%'", "name CONTAINS 'ab'"),
        ("name LIKE 'ab'", "name = 'ab'"),
        ("a = 1 OR (a = 1 AND b = 2)", "a = 1"),
        ("flag", "flag = TRUE"),
    ],
)
def test_two_texts_are_one_filter(one: str, other: str) -> None:
    found, expected = normal(one), normal(other)
    assert [set(part) for part in found] == [set(part) for part in expected]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "a = 1 AND a = 2",
        "a = 1 AND NOT a = 1",
        "a > 5 AND a < 3",
        "FALSE",
        "a BETWEEN 1 AND 'b'",
        "a BETWEEN 5 AND 3",
        "a BETWEEN 5 AND 3 OR FALSE",
    ],
)
def test_what_cannot_hold_has_no_conjunctions(text: str) -> None:
    assert normal(text) == ()


@pytest.mark.parametrize(
    "text", ["a = 1 OR b = 2", "NOT (a = 1 AND b = 2)", "a = 1 OR a = 1 AND b"]
)
def test_what_has_alternatives_is_no_single_conjunction(text: str) -> None:
    assert without_alternatives(parse_expression(text)) is None
    assert without_alternatives(parse_expression("a = 1 AND b > 2")) == normal("a = 1 AND b > 2")


def test_not_equal_and_not_the_equality_are_two_literals() -> None:
    ((unequal,),) = normal("a != 1")  # type: ignore[misc]
    ((negated,),) = normal("NOT (a = 1)")  # type: ignore[misc]
    assert unequal == Interval("a", "number", 1, 1, outside=True)
    assert negated == Interval("a", "number", 1, 1, negated=True)


def test_a_missing_value_is_a_negated_presence() -> None:
    assert normal("a IS MISSING") == ((Present("a", negated=True),),)


def test_arithmetic_is_a_program() -> None:
    ((literal,),) = normal("a * 2 > b")  # type: ignore[misc]
    assert isinstance(literal, Computed)
    assert literal.program.depth == 2


def test_the_order_of_strings_is_a_test_of_each_string() -> None:
    ((literal,),) = normal("name < 'm'")  # type: ignore[misc]
    assert isinstance(literal, Text)
    assert literal.test.holds("abc")
    assert not literal.test.holds("z")


def test_a_large_normal_form_becomes_programs() -> None:
    sides = " AND ".join(f"(a{i} = 1 OR b{i} = 1)" for i in range(12))
    (conjunction,) = normal(f"x = 1 AND {sides}")  # type: ignore[misc]
    assert Interval("x", "number", 1, 1) in conjunction
    assert sum(isinstance(literal, Computed) for literal in conjunction) == 12


def test_own_alias_is_the_current_event() -> None:
    condition = parse_expression("d.price > 5 AND t(d) - t(a) < 5 min AND ip = $x AND b")
    parts = split_condition(condition, own="d")
    assert parts.static == parse_expression("price > 5 AND b")
    assert len(parts.dynamic) == 2


def test_where_nothing_is_static_everything_passes() -> None:
    assert split_condition(parse_expression("ip = $x")).static == Literal(True)


@given(conditions, events())
def test_the_parts_of_a_split_condition_are_the_whole(tree: Expression, event: Event) -> None:
    parts = split_condition(tree)
    assert parts.dynamic == ()
    assert reference_holds(parts.static, event) == reference_holds(tree, event)
