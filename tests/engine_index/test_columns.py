"""Columnar batches: the same cells from rows and from Arrow, and exact comparison of cells."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from tests.engine_index.worlds import values

from tocsin.engine.columns import (
    Vocabulary,
    batch_of_arrow,
    batch_of_events,
    cell_of,
    value_of,
)
from tocsin.engine.columns.cells import compare_cells, equal_cells
from tocsin.errors import EventError
from tocsin.model.event import Event
from tocsin.model.values import Timestamp, Value, comparable, same_value


def from_arrow(table: pa.RecordBatch, vocabulary: Vocabulary) -> list[list[Value]]:
    times = np.arange(table.num_rows)
    batch = batch_of_arrow(table, vocabulary, stream="s", begin_us=times)
    return [
        [value_of(kind, bits, vocabulary) for kind, bits in zip(*row, strict=True)]
        for row in zip(batch.kind[:, 3:], batch.bits[:, 3:], strict=True)
    ]


def test_arrow_gives_the_cells_that_rows_give() -> None:
    columns = {
        "i": pa.array([1, None, -(2**63)], pa.int64()),
        "f": pa.array([1.5, float("nan"), None], pa.float32()),
        "s": pa.array(["a", None, "a"]),
        "d": pa.array(["x", "y", None]).dictionary_encode(),
        "b": pa.array([True, None, False]),
        "t": pa.array([1, None, 3], pa.timestamp("ms")),
        "n": pa.array([None, None, None]),
    }
    found = from_arrow(pa.record_batch(columns), Vocabulary())
    assert found == [
        [1, 1.5, "a", "x", True, Timestamp(1000), None],
        [None, None, None, "y", None, None, None],
        [-(2**63), None, "a", None, False, Timestamp(3000), None],
    ]
    assert [type(cell) for cell in found[0][:6]] == [int, float, str, str, bool, Timestamp]


def test_a_date_is_a_timestamp() -> None:
    table = pa.record_batch({"day": pa.array([dt.date(1970, 1, 2)])})
    assert from_arrow(table, Vocabulary()) == [[Timestamp(86_400_000_000)]]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pa.array([[1]]), "which no event carries"),
        (pa.array([2**63], pa.uint64()), "outside 64 bits"),
        (pa.array([1], pa.timestamp("ns")), "finer than a microsecond"),
    ],
)
def test_what_no_event_carries_is_refused(array: pa.Array, message: str) -> None:
    with pytest.raises(EventError, match=message):
        from_arrow(pa.record_batch({"x": array}), Vocabulary())


def test_every_row_has_its_stream_and_its_times() -> None:
    words = Vocabulary()
    batch = batch_of_events([Event("s", 0, Timestamp(3), Timestamp(5), {"a": None})], words)
    assert batch.begin_us.tolist() == [3]
    assert batch.end_us.tolist() == [5]
    assert words.text(int(batch.stream[0])) == "s"
    assert batch.kind.tolist() == [[4, 5, 5, 0]]


@given(values, values)
def test_cells_compare_as_values_do(one: Value, other: Value) -> None:
    words = Vocabulary()
    cells = (*cell_of(one, words), *cell_of(other, words))
    assert bool(equal_cells(*map(np.int64, cells))) == same_value(one, other)
    order = compare_cells(*map(np.int64, cells), words.text_arrays())
    if not comparable(one, other):
        assert order == 2
    elif not isinstance(one, bool):
        assert order == (one > other) - (one < other)  # type: ignore[operator]
