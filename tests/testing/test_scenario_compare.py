"""Pairing expected items with those that came."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tocsin.testing.scenario_compare import Pairing, pair

texts = st.text(alphabet="abc", max_size=8)


@given(texts, texts)
def test_pairs_in_order_are_a_longest_common_subsequence(expected: str, came: str) -> None:
    found = _pair(expected, came, ordered=True)
    assert all(expected[i] == came[j] for i, j in found.pairs)
    assert list(found.pairs) == sorted(set(found.pairs))
    assert len({j for _, j in found.pairs}) == len(found.pairs)
    assert len(found.pairs) == _longest_common(expected, came)


@given(texts, texts)
def test_pairs_in_any_order_leave_nothing_that_could_be_paired(expected: str, came: str) -> None:
    found = _pair(expected, came, ordered=False)
    common = sum(min(expected.count(letter), came.count(letter)) for letter in "abc")
    assert len(found.pairs) == common


@given(texts, texts, st.booleans())
def test_everything_is_paired_missing_or_unexpected(
    expected: str, came: str, ordered: bool
) -> None:
    found = _pair(expected, came, ordered=ordered)
    assert sorted([i for i, _ in found.pairs] + list(found.missing)) == list(range(len(expected)))
    assert sorted([j for _, j in found.pairs] + list(found.unexpected)) == list(range(len(came)))


def test_an_early_choice_is_undone_where_it_stands_in_the_way() -> None:
    fits = {(0, 0), (0, 1), (1, 0)}
    assert pair(2, 2, lambda i, j: (i, j) in fits, ordered=False).missing == ()


def _pair(expected: str, came: str, *, ordered: bool) -> Pairing:
    return pair(len(expected), len(came), lambda i, j: expected[i] == came[j], ordered=ordered)


def _longest_common(one: str, other: str) -> int:
    if not one or not other:
        return 0
    if one[0] == other[0]:
        return 1 + _longest_common(one[1:], other[1:])
    return max(_longest_common(one[1:], other), _longest_common(one, other[1:]))
