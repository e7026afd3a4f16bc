"""What follows from the number of repetitions taken so far."""

from __future__ import annotations

import operator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.language.parser import parse_expression
from tocsin.language.tree import Literal
from tocsin.plan.linear.counting import with_known_count

SIGNS: Final = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip


@given(
    st.sampled_from(list(SIGNS)),
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(0, 3),
    st.booleans(),
)
def test_a_comparison_is_decided_where_all_counts_agree(
    sign: str, value: int, low: int, more: int, mirrored: bool
) -> None:
    text = f"{value} {sign} count(b)" if mirrored else f"count(b) {sign} {value}"
    counts = range(low, low + more + 1)
    compare = SIGNS[sign]
    said = {compare(value, n) if mirrored else compare(n, value) for n in counts}
    condition = parse_expression(text)
    found = with_known_count(condition, "b", low, low + more)
    assert found == (Literal(said.pop()) if len(said) == 1 else condition)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("count(b) = 0 OR v > 1", "v > 1"),
        ("count(b) > 0 AND v > 1 AND NOT (count(b) = 0)", "v > 1"),
        ("count(b) > 0 OR v > 1", "TRUE"),
        ("count(b) = 0 AND v > 1", "FALSE"),
        ("count(c) = 0 OR v > 1", "count(c) = 0 OR v > 1"),
    ],
)
def test_what_decides_nothing_is_left_out(text: str, found: str) -> None:
    known = with_known_count(parse_expression(text), "b", 1, float("inf"))
    assert known == parse_expression(found)
