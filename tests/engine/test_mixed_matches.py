"""Lanes and watches speak about one batch, in the order of notifications."""

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.comparing import Rows, assert_equal, expected, in_one_go

from tocsin.engine import Engine
from tocsin.engine.mixed_matches import MixedMatches
from tocsin.model.notification import Notifications

MIXED = """
    STREAM s (ts TIMESTAMP, k STRING, n INTEGER) TIME ts;
    SUBSCRIBE early MATCH a:[k = 'a'] & b:[k = 'b'] WITHIN 5 s;
    SUBSCRIBE pair MATCH a:[k = 'a'] ; b:[k = 'b'] WITHIN 5 s;
    SUBSCRIBE quiet MATCH a:[k = 'a'] ; !b:[k = 'b'] FOR 2 s;
    SUBSCRIBE single MATCH b:[k = 'b' AND n > 1]
"""
LETTERS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=12)


def rows(letters: list[tuple[str, int]]) -> Rows:
    return [{"ts": 700 * i, "k": k, "n": n} for i, (k, n) in enumerate(letters)]


@given(LETTERS)
def test_they_come_in_the_order_of_the_reference(letters: list[tuple[str, int]]) -> None:
    assert_equal(in_one_go(MIXED, rows(letters)), expected(MIXED, rows(letters)))


@given(LETTERS)
def test_a_part_and_a_table_of_them_are_the_same(letters: list[tuple[str, int]]) -> None:
    found = Engine(MIXED).process(rows(letters))
    every = list(found)
    assert [found[i] for i in range(len(found))] == every
    assert list(found[1:5]) == every[1:5]
    table = Notifications(every, form=found.form).to_arrow()
    assert found.to_arrow().equals(table)


def test_lanes_stay_lazy_beside_a_watch() -> None:
    found = Engine(MIXED).process(rows([("a", 0), ("b", 2), ("b", 3)]))
    assert isinstance(found._items, MixedMatches)
    assert [one.subscription for one in found] == [
        "early",
        "pair",
        "single",
        "early",
        "pair",
        "single",
    ]


def test_a_subscription_that_leaves_within_the_batch_still_feeds_a_watch() -> None:
    text = """
        SUBSCRIBE s0 FROM base MATCH a:[k = 'a'] LIMIT 2 EMIT 'b' AS k INTO d;
        SUBSCRIBE s1 FROM d MATCH b:[k = 'b'] | c:[k = 'c']
    """
    stream: Rows = [{"$stream": "base", "ts": second, "k": "a"} for second in (1000, 2000)]
    assert_equal(in_one_go(text, stream), expected(text, stream))
    assert len(expected(text, stream)) == 4
