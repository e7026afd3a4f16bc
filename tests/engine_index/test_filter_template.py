"""Filters filled in by column are the filters that their rows make one by one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.engine_index.contract import answers
from tests.engine_index.worlds import (
    NAMES,
    attributes,
    condition,
    constants,
    event,
    seen_values,
    simple_conditions,
)

from tocsin.engine.columns import Vocabulary
from tocsin.engine.index import FilterTemplate, NotByColumnError, PredicateIndex
from tocsin.errors import ConfigurationError
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import And, Between, Comparison, Expression, Literal, Not, Parameter
from tocsin.model.values import Duration, Timestamp, Value

Draw = Callable[[st.SearchStrategy[Any]], Any]
Row = dict[str, Value]
_PARAMETERS = ("p", "q", "r")

parameters = st.builds(Parameter, st.sampled_from(_PARAMETERS))
_operators = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))
_limited = (
    st.builds(Comparison, _operators, attributes, parameters)
    | st.builds(Comparison, _operators, parameters, attributes)
    | st.builds(Between, attributes, parameters | constants, parameters | constants, st.booleans())
)
_steady = (
    simple_conditions()
    | st.builds(Comparison, _operators, attributes, constants)
    | st.builds(Not, simple_conditions())
)
templates: st.SearchStrategy[Expression] = _limited | st.lists(
    _limited | _limited | _steady, min_size=1, max_size=4
).map(lambda parts: And(tuple(parts)))
_alike = st.sampled_from((0, 1, 1.0, 2, 2.5, 2**53 + 1, 2.0**53, 2**63 - 1, -(2**63), 0.5))
rows: st.SearchStrategy[Row] = st.fixed_dictionaries(
    dict.fromkeys(_PARAMETERS, _alike | seen_values)
)


def filled(template: Expression, row: Row) -> Expression:
    found: Expression = rewrite(
        template, lambda node: Literal(row[node.name]) if isinstance(node, Parameter) else None
    )
    return found


def columns_of(table: list[Row]) -> dict[str, list[Value]]:
    return {name: [row[name] for row in table] for name in _PARAMETERS}


@given(templates, st.lists(rows, max_size=6), st.booleans())
@example(condition("a = {p} AND a < {q}"), [{"p": 1, "q": "a", "r": 0}], True)
@example(condition("a > {p} AND a < {q}"), [{"p": 2**53 + 1, "q": 0.5, "r": 0}], False)
def test_a_row_has_the_number_of_its_filled_condition(
    template: Expression, table: list[Row], column_first: bool
) -> None:
    index = PredicateIndex(Vocabulary())
    try:
        made = FilterTemplate(template, index)
    except NotByColumnError:
        return
    by_row = [] if column_first else [index.add_condition(filled(template, r)) for r in table]
    by_column = made.add(columns_of(table), len(table)).tolist()
    by_row = by_row or [index.add_condition(filled(template, r)) for r in table]
    assert by_column == by_row
    index.remove_rows(by_column + by_row)
    assert answers(index, [event(**dict.fromkeys(NAMES, 1))]) == [[]]
    assert index.filter_count == 0


def test_a_column_may_come_in_any_form() -> None:
    index = PredicateIndex(Vocabulary())
    template = FilterTemplate(condition("s = {s} AND x > {x}"), index)
    forms: list[Any] = [
        {"s": ["a", "b", "a"], "x": [1, 2, 1]},
        {"s": [Literal("a"), Literal("b"), Literal("a")], "x": [1.0, 2, 1]},
        {"s": np.array(["a", "b", "a"]), "x": np.array([1, 2, 1], np.int32)},
        {"s": np.array(["a", "b", "a"], "O"), "x": np.array([1.0, 2.0, 1.0])},
        {"s": pa.array(["a", "b", "a"]), "x": pa.array([1, 2, 1], pa.decimal128(5, 1))},
        {"s": pa.chunked_array([["a"], ["b", "a"]]), "x": pa.array([1, 2, 1], pa.uint64())},
    ]
    assert [template.add(form, 3).tolist() for form in forms] == [[0, 1, 0]] * len(forms)


def test_times_are_values_of_their_own_kind() -> None:
    index = PredicateIndex(Vocabulary())
    template = FilterTemplate(condition("x = {x}"), index)
    forms: list[Any] = [
        [Timestamp(5_000), Duration(5_000), 5_000, True],
        pa.array([5], pa.timestamp("ms")),
        pa.array([5], pa.duration("ms")),
        np.array([5], "datetime64[ms]"),
        np.array([5], "timedelta64[ms]"),
    ]
    numbers = [template.add({"x": form}, len(form)).tolist() for form in forms]
    assert numbers == [[0, 1, 2, 3], [0], [1], [0], [1]]


def test_missing_values_compare_with_nothing() -> None:
    index = PredicateIndex(Vocabulary())
    template = FilterTemplate(condition("a > {p}"), index)
    nulls = [[None, float("nan"), 3], pa.array([None, None, 3]), np.array([np.nan, np.nan, 3.0])]
    never = index.add(())
    for column in nulls:
        numbers = template.add({"p": column}, 3).tolist()
        assert numbers[:2] == [never, never] != numbers[1:]
        assert answers(index, [event(a=4)]) == [numbers[2:]]


def test_rows_share_their_literals_without_parameters() -> None:
    index = PredicateIndex(Vocabulary())
    template = FilterTemplate(condition("name CONTAINS 'x' AND b IN (1, 2) AND a = {p}"), index)
    numbers = template.add({"p": list(range(1000))}, 1000)
    assert answers(index, [event(name="xy", b=2, a=7), event(name="y", b=2, a=7)]) == [[7], []]
    index.remove_rows(numbers)
    assert answers(index, [event(name="xy", b=2, a=7)]) == [[]]
    again = template.add({"p": [7]}, 1).tolist()
    assert answers(index, [event(name="xy", b=1, a=7)]) == [again]


def test_a_template_without_parameters_is_one_filter() -> None:
    index = PredicateIndex(Vocabulary())
    assert FilterTemplate(condition("a = 1"), index).add({}, 3).tolist() == [0, 0, 0]
    index.remove_rows([0, 0])
    assert answers(index, [event(a=1)]) == [[0]]
    assert FilterTemplate(condition("a = 1 AND a = 2"), index).add({}, 2).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = {p} AND (b = 1 OR c = 2)", "alternatives"),
        ("a = {p} OR b = 1", "{p} is compared with something else"),
        ("a + 1 > {p}", "{p} is compared with something else"),
        ("name CONTAINS {p}", "{p} is compared with something else"),
        ("NOT (a = 1) AND a > {p}", "NOT and a parameter limit the attribute 'a'"),
    ],
)
def test_what_cannot_be_filled_by_column_says_why(text: str, reason: str) -> None:
    with pytest.raises(NotByColumnError, match=reason):
        FilterTemplate(condition(text), PredicateIndex(Vocabulary()))


@pytest.mark.parametrize("column", [[1, 2**63], [1, "a", 2**63], np.array([2**63], np.uint64)])
def test_an_integer_outside_64_bits_is_refused(column: Any) -> None:
    template = FilterTemplate(condition("a = {p}"), PredicateIndex(Vocabulary()))
    with pytest.raises(ConfigurationError, match="9223372036854775808 is not an integer of 64"):
        template.add({"p": column}, len(column))


def test_removing_more_than_there_is_removes_nothing() -> None:
    index = PredicateIndex(Vocabulary())
    numbers = FilterTemplate(condition("a = {p}"), index).add({"p": [1, 2, 2]}, 3)
    for wrong, shown in (([0, 1, 1, 1], 1), ([0, 7], 7), ([-1], -1)):
        with pytest.raises(KeyError, match=f"there is no filter {shown}"):
            index.remove_rows(wrong)
    index.remove_rows(numbers[1:])
    assert answers(index, [event(a=1), event(a=2)]) == [[0], []]
