"""The adaptive choice of access paths loses to no fixed order of values and attributes."""

from itertools import product

import pytest
from tests.engine_index.contract import answers
from tests.engine_index.worlds import condition, event

from tocsin.bench.filters import DISTRIBUTIONS, Distribution, measure_filters
from tocsin.engine.columns import Vocabulary
from tocsin.engine.index import PredicateIndex


@pytest.mark.parametrize(("events", "filters"), list(product(DISTRIBUTIONS, repeat=2)))
def test_adaptive_is_as_good_as_the_best_measure(
    events: Distribution, filters: Distribution
) -> None:
    found = measure_filters(events, filters, event_count=1_000, filter_count=300).operations
    best = min(steps for name, steps in found.items() if not name.startswith("adaptive"))
    assert found["adaptive"] <= 1.05 * best


def make(*texts: str) -> PredicateIndex:
    index = PredicateIndex(Vocabulary())
    for text in texts:
        index.add_condition(condition(text))
    return index


def test_a_search_that_few_need_is_given_up_for_one_that_is_paid_anyway() -> None:
    """All are found among the ranges of `a`, so that nobody pays for a probe of `b`."""
    index = make(*(f"a = {i} AND b = {i % 3}" for i in range(3)), *(f"a > {i}" for i in range(9)))
    stream = [event(a=i % 10, b=i % 3) for i in range(100)]
    answers(index, stream)
    index.reorder()
    expected = [
        [i for i in range(3) if one.values["a"] == i and one.values["b"] == i % 3]
        + [3 + i for i in range(9) if int(str(one.values["a"])) > i]
        for one in stream
    ]
    assert answers(index, stream) == expected
    assert index.paths["keys"] == 0
    assert index.paths["lanes"] == 1


def test_what_finds_a_range_is_checked_last() -> None:
    index = make(*(f"a BETWEEN {10 * i} AND {10 * i + 5} AND b < 0" for i in range(50)))
    answers(index, [event(a=1_000, b=-1)] * 100)
    index.reorder()
    before = index.counters
    assert answers(index, [event(a=13, b=1)]) == [[]]
    assert index.counters.candidates == before.candidates + 1
    assert index.counters.literals == before.literals + 1


def test_pairs_of_attributes_that_save_nothing_are_not_searched_for() -> None:
    """Every event passes the second equality, so that a pair finds what one attribute finds."""
    index = make(*(f"a = {i % 5} AND b = 1 AND c > {i}" for i in range(100)))
    stream = [event(a=i % 1000, b=1, c=-1) for i in range(600)]
    answers(index, stream)
    index.reorder()
    answers(index, stream[:1])
    assert index.paths["pairs"] == 0
