"""Rows of row groups come whole and in order, however a file hands them out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import ConfigurationError
from tocsin.spark.files import ordering
from tocsin.spark.files.ordering import in_order, order_of, read_together, whole_groups
from tocsin.spark.files.survey import RowGroup


def groups_of(sizes: list[int], first: int = 0) -> list[RowGroup]:
    found = []
    for number, size in enumerate(sizes):
        found.append(RowGroup(number, first, first + size, 0, 0, is_ordered=False))
        first += size
    return found


def pieces(rows: int, cuts: list[int]) -> Iterator[pa.RecordBatch]:
    """Yield rows in pieces, each with a dictionary of its own."""
    bounds = sorted({0, rows, *(cut % (rows + 1) for cut in cuts)})
    for begin, end in pairwise(bounds):
        texts = pa.array([f"k{n % 3}" for n in range(begin, end)]).dictionary_encode()
        yield pa.record_batch({"n": range(begin, end), "k": texts})


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=6), st.lists(st.integers(0, 40)),
    st.integers(0, 9),
)  # fmt: skip
def test_batches_end_where_row_groups_do(sizes: list[int], cuts: list[int], first: int) -> None:
    groups = groups_of(sizes, first)
    found = list(whole_groups(pieces(sum(sizes), cuts), groups))
    ends = {group.end - first for group in groups}
    assert [n for batch in found for n in batch["n"].to_pylist()] == list(range(sum(sizes)))
    assert all(batch["n"][-1].as_py() + 1 in ends for batch in found)
    for batch in found:
        assert batch["k"].to_pylist() == [f"k{n % 3}" for n in batch["n"].to_pylist()]


def test_groups_are_read_together_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "MOST_AT_ONCE", 10)
    together = read_together(groups_of([4, 6, 1, 25, 3, 3]))
    assert [[group.number for group in some] for some in together] == [[0, 1], [2], [3], [4, 5]]


@given(st.lists(st.integers(-9, 9), unique=True, min_size=1))
def test_rows_are_brought_into_the_order_of_their_numbers(numbers: list[int]) -> None:
    batch = pa.record_batch({"n": numbers, "ts": [n // 2 for n in numbers]})
    found = in_order(batch, time="ts", row="n")
    assert found["n"].to_pylist() == sorted(numbers)
    assert found["ts"].to_pylist() == [n // 2 for n in sorted(numbers)]
    assert (order_of(batch["n"].to_numpy()) is None) == (numbers == sorted(numbers))


def test_numbers_that_fall_with_time_are_told_with_the_first_row_that_does() -> None:
    batch = pa.record_batch({"n": [30, 10, 20], "ts": [7, 9, 8]})
    with pytest.raises(ConfigurationError, match=r"^row 20 lies before an earlier row in time; "):
        in_order(batch, time="ts", row="n")
