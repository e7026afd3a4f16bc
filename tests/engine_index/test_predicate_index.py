"""The predicate index: the same answers as the reference, under every strategy, with less work."""

from unittest.mock import patch

import numpy as np
import pytest
from tests.engine_index.contract import IndexContract, answers
from tests.engine_index.worlds import condition, event

from tocsin.engine.columns import Vocabulary, batch_of_events
from tocsin.engine.index import (
    AttributeOrder,
    PredicateIndex,
    Strategy,
    ValueOrder,
    layers,
    number_rows,
    text_rows,
)
from tocsin.language.parser import parse_expression


class TestAdaptive(IndexContract):
    pass


class TestNatural(IndexContract):
    strategy = Strategy(ValueOrder.NATURAL, AttributeOrder.NATURAL, hashing=False)


class TestBinary(IndexContract):
    strategy = Strategy(ValueOrder.BINARY, AttributeOrder.A1, hashing=False)


class TestV1(IndexContract):
    strategy = Strategy(ValueOrder.V1, AttributeOrder.A2, hashing=False)


class TestV2(IndexContract):
    strategy = Strategy(ValueOrder.V2, AttributeOrder.A1)


class TestV3(IndexContract):
    strategy = Strategy(ValueOrder.V3, AttributeOrder.A2, hashing=False)


class TestAdaptiveRanges(IndexContract):
    strategy = Strategy(hashing=False)


def make(*texts: str) -> PredicateIndex:
    index = PredicateIndex(Vocabulary())
    for text in texts:
        index.add_condition(condition(text))
    index.reorder()
    return index


def test_only_the_subscriptions_of_that_symbol_are_verified() -> None:
    index = make(*(f"symbol = 'S{i}' AND price > {i}" for i in range(1000)))
    assert answers(index, [event(symbol="S7", price=12.0)]) == [[7]]
    assert index.counters.candidates == 1
    assert index.counters.literals == 1


def test_a_crowded_value_is_found_by_a_pair_of_attributes() -> None:
    index = make(*(f"kind = 'k' AND user = {i} AND price > 1" for i in range(100)))
    assert answers(index, [event(kind="k", user=7, price=2)]) == [[7]]
    assert index.counters.candidates == 1


def test_a_list_of_choices_is_found_by_each_of_them() -> None:
    index = make(*(f"a IN ({i}, {i + 1}) AND b = 1" for i in range(0, 100, 2)))
    assert answers(index, [event(a=11, b=1)]) == [[5]]
    assert index.counters.candidates == 1


def test_only_the_ranges_around_a_value_are_verified() -> None:
    index = make(*(f"price BETWEEN {10 * i} AND {10 * i + 5}" for i in range(1000)))
    assert answers(index, [event(price=503), event(price=508)]) == [[50], []]
    assert index.counters.candidates == 1


def test_a_float_between_two_integers_finds_each_range_once() -> None:
    index = make(*(f"price BETWEEN {i} AND {i + 9}" for i in range(100)))
    assert answers(index, [event(price=50.5)]) == [list(range(42, 51))]


def test_float_ranges_behind_a_key_are_checked_by_kind() -> None:
    index = make(*(f"user = {i} AND price BETWEEN 0.5 AND {i}.5" for i in range(100)))
    prices = (7.5, 8, 0.25, -0.0, float("nan"), 0.5, 1, "1", None)
    found = answers(index, [event(user=7, price=price) for price in prices])
    assert found == [[7], [], [], [], [], [7], [7], [], []]


def test_a_conjunction_is_of_its_own_filter_and_of_one_with_several() -> None:
    index = make()
    several = index.add_condition(condition("a = 1 OR b = 2"))
    alone = index.add_condition(condition("a = 1"))
    both = event(a=1, b=2)
    assert answers(index, [both, event(a=1)]) == [[several, alone]] * 2
    index.remove(alone)
    assert answers(index, [both, event(b=2)]) == [[several]] * 2


def test_a_string_is_asked_about_once() -> None:
    index = make("name STARTS WITH 'ab'", "name CONTAINS 'zz'", "name MATCHES '^q'")
    assert answers(index, [event(name="abc")] * 3) == [[0]] * 3
    assert index.counters.candidates == 3


def test_removing_everything_gives_the_memory_back() -> None:
    empty = make().nbytes
    index = make()
    numbers = [index.add_condition(condition(f"a = {i} AND b > {i}")) for i in range(500)]
    answers(index, [event(a=1, b=2)])
    assert index.nbytes > 20 * 500
    for number in numbers:
        index.remove(number)
    answers(index, [event(a=1, b=2)])
    assert index.nbytes < empty + 4096


def test_a_filter_that_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(KeyError, match="there is no filter 3"):
        make("a = 1").remove(3)


def test_the_index_is_laid_out_anew_when_events_drift() -> None:
    index = make(*(f"a = {i % 10} AND b = {i % 7} AND c > {i}" for i in range(200)))
    for start in range(0, 8192, 256):
        answers(index, [event(a=i % 10, b=1, c=5) for i in range(start, start + 256)])
    before = index.layouts
    for start in range(0, 8192, 256):
        answers(index, [event(a=3, b=i % 7, c=5) for i in range(start, start + 256)])
    assert index.layouts > before


def test_what_is_left_after_many_removals_still_answers() -> None:
    texts = [f"a = {i} AND b > {i % 3}" for i in range(400)]
    texts += [f"a = {i} OR c = {i}" for i in range(400)]
    index = make()
    numbers = [index.add_condition(condition(text)) for text in texts]
    answers(index, [event(a=1)])
    large = index.nbytes
    kept = {7, 399, 407, 799}
    for i, number in enumerate(numbers):
        if i not in kept:
            index.remove(number)
    expected = {(7, 9): [7, 407], (399, 9): [399, 799], (8, 9): []}
    for (a, b), found in expected.items():
        assert answers(index, [event(a=a, b=b)]) == [[numbers[i] for i in found]]
    assert index.nbytes < large / 4
    again = index.add_condition(condition(texts[7]))
    assert again == numbers[7]
    assert answers(index, [event(c=399)]) == [[numbers[799]]]


def test_rows_of_a_column_are_the_filters_of_their_texts() -> None:
    words = Vocabulary()
    index = PredicateIndex(words)
    limits = [5, 2.5, 3.0, 2**62]
    rows = np.concatenate(
        [
            text_rows(words.attribute("s"), "=", words.codes(["x"] * 4)),
            number_rows(words.attribute("p"), ">", limits),
        ]
    )
    order = np.array([0, 4, 1, 5, 2, 6, 3, 7])
    numbers = index.add_rows(rows[order], np.array([0, 2, 4, 6, 8]))
    texts = [f"s = 'x' AND p > {limit!r}" for limit in limits]
    assert [index.add_condition(condition(text)) for text in texts] == numbers.tolist()
    assert answers(index, [event(s="x", p=3.5), event(s="y", p=9)]) == [[1, 2], []]


def test_a_filter_that_always_holds_is_found_alone_in_the_small_segment() -> None:
    """Its entry has no literals, so that the segment looked empty."""
    words = Vocabulary()
    index = PredicateIndex(words)
    with patch.object(layers, "_MOST_FRESH", 0):
        number = index.add_condition(parse_expression("NOT (a < FALSE)"))
        assert index.match(batch_of_events([event(a=1)], words)).of(0) == [number]


def test_letting_a_test_of_strings_go_forgets_no_answer_of_the_batch() -> None:
    index = PredicateIndex(Vocabulary())
    with patch.multiple(layers, _MOST_FRESH=0, _MOST_DELTA=1, _FEW_DEAD=0):
        gone = index.add_condition(condition("d IN CIDR '10.0.0.0/8' AND a"))
        assert answers(index, [event()]) == [[]]
        stays = index.add_condition(condition("d <= ''"))
        index.remove(gone)
        assert answers(index, [event(d="")]) == [[stays]]
