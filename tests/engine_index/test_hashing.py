"""A table of rows: equal ones have one number, and it takes the room of the different ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.index.hashing import RowTable

_rows = st.tuples(st.integers(0, 6), st.sampled_from((0, -1, 2**62, -(2**63))))


@given(st.lists(st.tuples(st.lists(_rows, max_size=40), st.integers(0, 5)), max_size=6))
def test_numbers_come_and_go_with_their_rows(
    rounds: list[tuple[list[tuple[int, int]], int]],
) -> None:
    table = RowTable(2)
    number_of: dict[tuple[int, int], int] = {}
    for rows, gone in rounds:
        found, is_new = table.intern(np.array(rows, np.int64).reshape(-1, 2))
        for row, number, new in zip(rows, found.tolist(), is_new.tolist(), strict=True):
            assert new == (row not in number_of)
            assert number_of.setdefault(row, number) == number
        assert len(set(number_of.values())) == len(number_of) == table.size
        leaving = list(number_of)[:gone]
        table.remove(np.array([number_of.pop(row) for row in leaving], np.int32))


def test_rows_that_are_known_take_no_room() -> None:
    table = RowTable(3)
    table.intern(np.tile(np.arange(30).reshape(-1, 3), (10_000, 1)))
    assert table.size == 10
    assert table.nbytes < 1_000


def test_rows_that_come_one_by_one_move_seldom() -> None:
    table = RowTable(2)
    places = set()
    for i in range(2_000):
        table.intern(np.array([[i, i]]))
        places.add(len(table.rows))
    assert len(places) < 40
    assert max(places) <= 2_500
