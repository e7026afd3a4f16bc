import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Event, Schema
from tocsin.model.read import arrow, read_events, rows_of
from tocsin.model.read.source import Row
from tocsin.model.rows import Intake
from tocsin.model.values import Duration, Kind, Timestamp

TABLE = pa.table({"ts": pa.array([1, 2, 3], pa.timestamp("ms")), "x": [1.5, None, 3.0]})
ROWS = [
    (0, {"ts": Timestamp(1000), "x": 1.5}),
    (1, {"ts": Timestamp(2000), "x": None}),
    (2, {"ts": Timestamp(3000), "x": 3.0}),
]


def cells(array: Any) -> list[object]:
    found = [row for _, row in rows_of(pa.table({"x": array}))]
    return [row if isinstance(row, DeadLetter) else row["x"] for row in found]


def write_ipc(table: pa.Table, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def write_stream(table: pa.Table, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def write_feather(table: pa.Table, path: Path) -> None:
    feather.write_feather(table, str(path))


def write_parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path)


WRITERS = [
    ("e.parquet", write_parquet),
    ("e.pq", write_parquet),
    ("e.arrow", write_ipc),
    ("e.feather", write_feather),
    ("e.arrows", write_stream),
    ("events", write_parquet),
    ("events", write_ipc),
    ("events", write_stream),
]


@pytest.mark.parametrize(("name", "write"), WRITERS)
def test_every_kind_of_file_gives_the_same_rows(name: str, write: Any, tmp_path: Path) -> None:
    write(TABLE, tmp_path / name)
    assert list(read_events(tmp_path / name)) == ROWS


@pytest.mark.parametrize(("name", "write"), WRITERS)
def test_an_empty_file_gives_none(name: str, write: Any, tmp_path: Path) -> None:
    write(TABLE.slice(0, 0), tmp_path / name)
    assert list(read_events(tmp_path / name)) == []


@pytest.mark.parametrize(
    "table", [TABLE, TABLE.to_batches()[0], TABLE.to_reader()], ids=["table", "batch", "reader"]
)
def test_tables_in_memory_give_rows(table: object) -> None:
    assert list(rows_of(table)) == ROWS


def test_rows_are_numbered_through_all_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "BATCH_ROWS", 2)
    table = pa.concat_tables([TABLE, TABLE])
    assert [number for number, _ in rows_of(table)] == list(range(6))


@pytest.mark.parametrize(
    ("array", "values"),
    [
        (pa.array([True, None]), [True, None]),
        (pa.array([1, None], pa.uint8()), [1, None]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array(["a", None], pa.string_view()), ["a", None]),
        (pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
        (pa.array([None, None]), [None, None]),
        (pa.array([1, None], pa.timestamp("s", "Europe/Paris")), [Timestamp(1_000_000), None]),
        (pa.array([1, -1], pa.timestamp("us")), [Timestamp(1), Timestamp(-1)]),
        (pa.array([1000], pa.timestamp("ns")), [Timestamp(1)]),
        (
            pa.array([1, 1], pa.timestamp("us")).dictionary_encode(),
            [Timestamp(1), Timestamp(1)],
        ),
        (pa.array([dt.date(1970, 1, 2), None]), [Timestamp(86_400_000_000), None]),
        (pa.array([dt.date(1970, 1, 2)], pa.date64()), [Timestamp(86_400_000_000)]),
        (pa.array([1, None], pa.duration("s")), [Duration(1_000_000), None]),
        (pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]), ["a", "a", "b"]),
    ],
)
def test_cells_become_values_of_events(array: Any, values: list[object]) -> None:
    found = cells(array)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize(
    ("array", "kind", "reason"),
    [
        (
            pa.array([-1, None], pa.timestamp("ns")),
            "bad_time",
            "attribute 'x': 1969-12-31T23:59:59.999999999Z is finer than a microsecond; round it, "
            "in pandas with .dt.floor('us')",
        ),
        (pa.array([1, None], pa.duration("ns")), "bad_time", "1 ns is finer than a microsecond"),
        (
            pa.array([2**62, None], pa.timestamp("s")),
            "bad_time",
            f"{2**62} s since 1970 is outside 64 bits of microseconds",
        ),
        (pa.array([2**62, None], pa.duration("s")), "bad_time", "outside 64 bits"),
        (pa.array([b"a", None]), "bad_type", "its type is binary"),
        (pa.array([dt.time(12), None]), "bad_type", "cast it to string"),
    ],
)
def test_cells_that_no_event_carries_make_their_row_a_dead_letter(
    array: Any, kind: str, reason: str
) -> None:
    letter, missing = cells(array)
    assert isinstance(letter, DeadLetter)
    assert (letter.row, letter.kind) == (0, kind)
    assert reason in letter.reason
    assert missing is None


@pytest.mark.parametrize(
    ("array", "value"),
    [
        (pa.array([Decimal("1.5"), None]), Decimal("1.5")),
        (pa.array([[1, 2], None]), [1, 2]),
        (pa.array([[1, 2], None], pa.list_view(pa.int8())), [1, 2]),
        (pa.array([{"a": 1}, None]), {"a": 1}),
        (pa.array([{"fuzzy": "cheap"}, None]), {"fuzzy": "cheap"}),
        (pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int8())), [("a", 1)]),
        (
            pa.ExtensionArray.from_storage(
                pa.fixed_shape_tensor(pa.int8(), [2]),
                pa.array([[1, 2], None], pa.list_(pa.int8(), 2)),
            ),
            [1, 2],
        ),
        (
            pa.array([[2**62], None], pa.list_(pa.timestamp("s"))),
            ["<list<item: timestamp[s]>>"],
        ),
    ],
)
def test_nested_cells_and_decimals_are_left_to_the_intake(array: Any, value: object) -> None:
    assert cells(array) == [value, None]


def test_a_table_with_nested_columns_gives_events_without_them() -> None:
    table = pa.table({"ts": [1], "tags": [["a"]], "by": [{"name": "b"}], "price": [Decimal("1.5")]})
    intake = Intake({}, default_stream="s")
    [step] = [intake.accept(*row) for row in rows_of(table)]
    assert isinstance(step, Event)
    assert step.values == {"ts": Timestamp(1000), "price": 1.5}
    declared = Intake({"s": Schema({"tags": Kind.STRING})}, default_stream="s")
    [letter] = [declared.accept(*row) for row in rows_of(table)]
    assert isinstance(letter, DeadLetter)
    assert letter.raw == '{"ts": 1, "tags": ["a"], "by": {"name": "b"}, "price": "1.5"}'


def test_a_dead_letter_shows_nanoseconds() -> None:
    [(_, letter)] = rows_of(pa.table({"ts": pa.array([1_000_000_001], pa.timestamp("ns"))}))
    assert isinstance(letter, DeadLetter)
    assert letter.raw == '{"ts": "1970-01-01T00:00:01.000000001Z"}'


def test_a_string_that_is_not_utf8_is_a_dead_letter() -> None:
    array = pa.array([b"good", b"\xff", None]).view(pa.string())
    good, bad, missing = cells(array)
    assert (good, missing) == ("good", None)
    assert isinstance(bad, DeadLetter)
    assert bad.kind == "bad_encoding"


def test_of_several_faults_the_leftmost_is_told_and_the_rest_of_the_row_is_shown() -> None:
    table = pa.table({"ts": pa.array([1], pa.timestamp("ms")), "a": [b"y"], "b": [b"x"]})
    [(_, letter)] = rows_of(table)
    assert isinstance(letter, DeadLetter)
    assert "'a'" in letter.reason
    assert letter.raw.startswith('{"ts": "1970-01-01T00:00:00.001000Z", "a": "<binary>"')


def test_a_table_without_columns_has_empty_rows() -> None:
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert list(rows_of(batch)) == [(0, {}), (1, {})]


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"])
    with pytest.raises(ConfigurationError, match="the table has two columns named 'x'; rename"):
        rows_of(table)
    write_ipc(table, tmp_path / "e.arrow")
    with pytest.raises(ConfigurationError, match="two columns named 'x'"):
        read_events(tmp_path / "e.arrow")


@pytest.mark.parametrize("name", ["e.parquet", "e.arrow"])
def test_a_file_that_is_none_is_refused_at_once(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("no table at all, just some text")
    with pytest.raises(ConfigurationError, match="cannot be read as") as caught:
        read_events(tmp_path / name)
    assert name in str(caught.value)
    assert "check its format" in str(caught.value)


@pytest.mark.parametrize("name", ["e.parquet", "e.arrow"])
def test_a_table_that_is_missing_or_a_directory_is_refused_at_once(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="there is no file"):
        read_events(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(ConfigurationError, match="is a directory"):
        read_events(tmp_path / name)


def test_a_parquet_file_damaged_in_the_middle_is_refused_there(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"x": list(range(100_000))}), path, row_group_size=50_000)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 5000] = b"\xff" * 5000
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(read_events(path))


@pytest.mark.parametrize(
    ("name", "write", "total"), [("e.parquet", write_parquet, 3), ("e.arrow", write_ipc, None)]
)
def test_progress_counts_rows(name: str, write: Any, total: int | None, tmp_path: Path) -> None:
    write(TABLE, tmp_path / name)
    calls: list[tuple[int, int | None]] = []
    rows: list[Row] = list(read_events(tmp_path / name, progress=lambda *at: calls.append(at)))
    assert rows == ROWS
    assert calls == [(3, total)]
