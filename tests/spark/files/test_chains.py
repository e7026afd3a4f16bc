"""Chains over files: a part reads its slice of time, and of each key the last rows before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st
from pyspark.sql.types import (
    BooleanType,
    DoubleType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)
from tests.plan.partition.chains import chain_rows, chain_texts
from tests.plan.partition.dense import is_accepted
from tests.spark.comparing import embedded, in_order
from tests.spark.files.parts import NUMBERS, Rows, files_of, reading_of, told_by, whole, write

from tocsin.engine import Options
from tocsin.errors import ConfigurationError
from tocsin.language.parser import parse
from tocsin.model.values import is_missing
from tocsin.plan.partition import PREFERENCE, Strategy, plan_partitions
from tocsin.spark import explain, match
from tocsin.spark.files import last_rows, splitter
from tocsin.spark.files import reading as reading_module
from tocsin.spark.files.key_sample import KeySample, sample_keys
from tocsin.spark.files.reading import Reading
from tocsin.spark.files.shares import Before, Share
from tocsin.spark.files.splitter import FileSplitter, Parts
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.schema import ROW
from tocsin.spark.work import Task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAN = float("nan")
TYPES = {
    pa.string(): StringType(), pa.large_string(): StringType(), pa.int64(): LongType(),
    pa.float64(): DoubleType(), pa.bool_(): BooleanType(),
}  # fmt: skip
FALLING = (
    "SUBSCRIBE falling FROM one MATCH a:[k = $x] ->{k = $x} b:[k = $x AND v < a.v] "
    "->{k = $x} c:[k = $x AND v < b.v]"
)


def reading_over(
    keys: Any,
    directory: Path,
    *,
    files: int = 1,
    group_rows: int = 10,
    numbers: str = "row",
    times: Sequence[int] = (),
) -> Reading:
    """Write rows with these keys, and say what workers read."""
    rows = range(len(keys))
    table = pa.table({"n": rows, "ts": times or rows, "k": keys, "v": rows})
    schema = StructType().add("n", LongType()).add("ts", LongType())
    schema = schema.add("k", TYPES[keys.type]).add("v", LongType())
    return reading_of(write(table, directory, files, group_rows, numbers), schema, numbers)


def write_as(table: pa.Table, directory: Path) -> list[str]:
    directory.mkdir()
    return write(table, directory, files=1, group_rows=100)


def rows_before(keys: Sequence[Any], first: int, end: int, count: int) -> list[int]:
    """Return the last rows of each key of a slice before it, found one by one."""
    own = {key for key in keys[first:end] if not is_missing(key)}
    seen: Counter[Any] = Counter()
    found = []
    for row in reversed(range(first)):
        if keys[row] in own and seen[keys[row]] < count:
            seen[keys[row]] += 1
            found.append(row)
    return found[::-1]


def read(reading: Reading, share: Share) -> pa.Table:
    """Return what a part reads; all batches have the same columns."""
    return pa.Table.from_batches(list(reading.batches(share)))


@pytest.mark.parametrize(
    ("of", "values"),
    [
        (pa.string(), ["a", "b", "ab", "", "ä", None]),
        (pa.large_string(), ["a", "b", None]),
        (pa.int64(), [0, 1, -1, 2**62, None]),
        (pa.float64(), [0.0, -0.0, 1.5, NAN, None]),
        (pa.bool_(), [True, False, None]),
    ],
    ids=["texts", "large texts", "integers", "floats", "booleans"],
)
@given(data=st.data())
def test_a_slice_comes_with_the_last_rows_of_its_keys(
    of: Any, values: list[Any], data: st.DataObject
) -> None:
    keys = data.draw(st.lists(st.sampled_from(values), min_size=2, max_size=40))
    first = data.draw(st.integers(1, len(keys) - 1))
    end = data.draw(st.integers(first + 1, len(keys)))
    count, files = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 3))
    group_rows, at_once = data.draw(st.integers(1, 9)), data.draw(st.sampled_from([1, 3, 100]))
    numbers = data.draw(st.sampled_from(NUMBERS))
    with (
        TemporaryDirectory() as directory,
        patch.multiple(last_rows, _AT_ONCE=at_once, _KEYS_AT_ONCE=at_once),
        patch.object(reading_module, "MOST_AT_ONCE", data.draw(st.sampled_from([2, 1 << 20]))),
    ):
        reading = reading_over(
            pa.array(keys, of), Path(directory), files=files, group_rows=group_rows, numbers=numbers
        )
        found = read(reading, Share(first, end, before=Before("k", count)))
    wanted = [*rows_before(keys, first, end, count), *range(first, end)]
    assert found[ROW].to_pylist() == wanted
    assert found["v"].to_pylist() == wanted
    assert repr(found["k"].to_pylist()) == repr([keys[row] for row in wanted])


def test_zeros_are_one_key_whatever_their_sign(tmp_path: Path) -> None:
    reading = reading_over(pa.array([-0.0, 0.0, NAN, 2.0, None, -0.0, NAN]), tmp_path)
    found = read(reading, Share(5, 7, before=Before("k", 9)))
    assert found[ROW].to_pylist() == [0, 1, 5, 6]


def test_a_rare_key_is_looked_for_back_to_the_first_row(tmp_path: Path) -> None:
    keys = ["rare", *["often"] * 300, "rare", "often"]
    reading = reading_over(pa.array(keys), tmp_path, files=3, group_rows=7)
    found = read(reading, Share(301, 303, before=Before("k", 2)))
    assert found[ROW].to_pylist() == [0, 299, 300, 301, 302]


def test_rows_before_a_slice_come_as_one_batch_with_texts_of_their_own(tmp_path: Path) -> None:
    keys = [f"k{row % 50}" for row in range(200)] + ["k3", "k4"]
    reading = reading_over(pa.array(keys), tmp_path, files=2, group_rows=20)
    before, *own = reading.batches(Share(200, 202, before=Before("k", 3)))
    assert [one.num_rows for one in own] == [1, 1]
    assert {before.schema, *(one.schema for one in own)} == {before.schema}
    assert before[ROW].to_pylist() == [53, 54, 103, 104, 153, 154]
    assert before["k"].dictionary.to_pylist() == ["k3", "k4"]


def test_places_are_those_of_all_rows_and_numbers_those_that_rows_bring(tmp_path: Path) -> None:
    count = 30
    table = pa.table(
        {
            "n": [5 + 3 * row for row in range(count)], "ts": range(count),
            "k": [f"k{row % 4}" for row in range(count)], "v": range(count),
        }
    )  # fmt: skip
    schema = StructType().add("n", LongType()).add("ts", LongType())
    schema = schema.add("k", StringType()).add("v", LongType())
    plain = reading_of(write(table, tmp_path, 2, 4), schema, "row")
    reading = Reading(plain.survey, plain.columns, "n", positions=("$p",), stream="one")
    found = read(reading, Share(28, 30, before=Before("k", 1)))
    assert found["$p"].to_pylist() == [24, 25, 28, 29]
    assert found[ROW].to_pylist() == [77, 80, 89, 92]
    assert found["$stream"].to_pylist() == ["one"] * 4


def test_only_keys_are_read_and_no_further_back_than_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, list[str]]] = []
    real = pq.ParquetFile.read_row_group

    def spied(self: Any, number: int, columns: list[str], **options: Any) -> Any:
        asked.append((number, columns))
        return real(self, number, columns, **options)

    reading = reading_over(pa.array(["a", "b"] * 50), tmp_path)
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", spied)
    (found,) = last_rows.last_rows(reading.survey, Share(75, 95), Before("k", 5), {})
    assert [(group.number, len(rows)) for group, rows in found.of_groups] == [(6, 5), (7, 5)]
    own, before = [(8, ["k"])], [(number, ["k", "n"]) for number in (7, 6)]
    assert asked == [(7, ["k", "n"]), (9, ["k", "n"]), *own, *before]


@pytest.mark.parametrize(("most", "times"), [(10, 1), (9, 4)], ids=["whole", "too large"])
def test_the_row_group_in_which_a_slice_begins_is_read_once_unless_it_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, times: int
) -> None:
    asked: Counter[int] = Counter()
    reading = reading_over(pa.array(["a", "b"] * 50), tmp_path, numbers="order")
    real_one, real_several = pq.ParquetFile.read_row_group, pq.ParquetFile.iter_batches

    def one(self: Any, number: int, *args: Any, **options: Any) -> Any:
        asked[number] += 1
        return real_one(self, number, *args, **options)

    def several(self: Any, size: int, numbers: list[int], *args: Any, **options: Any) -> Any:
        asked.update(numbers)
        return real_several(self, size, numbers, *args, **options)

    monkeypatch.setattr(reading_module, "MOST_AT_ONCE", most)
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", one)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", several)
    found = read(reading, Share(75, 95, before=Before("k", 1)))
    assert found["v"].to_pylist() == [73, 74, *range(75, 95)]
    assert asked[7] == times


def test_a_file_that_was_changed_before_the_slice_is_told(tmp_path: Path) -> None:
    reading = reading_over(pa.array(["a", "b"] * 50), tmp_path, files=2)
    (tmp_path / "0.parquet").unlink()
    with pytest.raises(ConfigurationError, match=r"0\.parquet was changed since match was called"):
        read(reading, Share(50, 100, before=Before("k", 1)))


def parts_of(
    text: str, reading: Reading, cores: int, *, strategies: Sequence[Strategy] = PREFERENCE
) -> Parts:
    program = parse(text)
    (group,) = plan_partitions(program, preference=strategies).groups
    task = Task((), "ts", None, "ordered")
    return FileSplitter(reading, program, None, task, "one", 64, cores).parts_of(group)


SLICES = "in 2 slices of time, each with the last 2 events of every key before it"
BY_KEY = "whole in 2 parts, each of which keeps its own keys"


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        pytest.param([n % 6 for n in range(400)], SLICES, id="as many rows as allowed"),
        pytest.param([n % 7 for n in range(400)], BY_KEY, id="one key more"),
        pytest.param([n // 72 for n in range(400)], SLICES, id="keys that do not come again"),
        pytest.param([n // 60 for n in range(400)], BY_KEY, id="more of them"),
        pytest.param(list(range(400)), BY_KEY, id="a row for each key"),
        pytest.param([None] * 400, SLICES, id="no keys"),
    ],
)
def test_chains_are_sliced_where_keys_have_many_rows(
    tmp_path: Path, keys: list[int | None], told: str
) -> None:
    reading = reading_over(pa.array(keys, pa.int64()), tmp_path, group_rows=100)
    assert parts_of(FALLING, reading, 2).told() == told


def test_slices_begin_where_times_do_and_only_the_first_has_nothing_before_it(
    tmp_path: Path,
) -> None:
    reading = reading_over(pa.array([n % 5 for n in range(400)]), tmp_path, group_rows=100)
    parts = parts_of(FALLING, reading, 2)
    assert [share for _, share in parts.work] == [
        Share(0, 210, None, 210_000),  # it has more rows, since it needs none from before
        Share(210, 400, 210_000, None, before=Before("k", 2)),
    ]
    bounds = [(part.begin_us, part.end_us) for part, _ in parts.work]
    assert bounds == [(None, 210_000), (210_000, None)]


@pytest.mark.parametrize(
    "times",
    [
        pytest.param([0] * 400, id="one time"),
        pytest.param([0] * 320 + [1] * 80, id="two times"),
    ],
)
def test_chains_are_not_sliced_where_most_rows_have_one_time(
    tmp_path: Path, times: list[int]
) -> None:
    """One worker did nearly all of the work then."""
    keys = pa.array([n % 5 for n in range(400)])
    reading = reading_over(keys, tmp_path, group_rows=100, times=times)
    assert parts_of(FALLING, reading, 2).told() == BY_KEY


def test_a_hot_key_of_a_chain_is_sliced_with_its_last_rows_whatever_the_window(
    tmp_path: Path,
) -> None:
    """The window may be longer than all that there is."""
    reading = reading_over(pa.array([0] * 400), tmp_path, group_rows=100)
    assert parts_of(f"{FALLING} WITHIN 30 days", reading, 2).told() == SLICES


@pytest.mark.parametrize("is_bounded", [True, False])
def test_chains_are_taken_in_larger_tables_where_memory_is_not_bounded(
    is_bounded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splitter, "is_bounded", lambda: is_bounded)
    monkeypatch.setattr(Task, "run", lambda task, _: iter([task.options.cells_at_once]))
    reading = reading_over(pa.array(["a", "b"] * 500), tmp_path)
    other = "SUBSCRIBE s FROM one MATCH a:[k = $x] ; b:[k = $x AND v > 1]"
    taken = [list(parts_of(text, reading, 2).run(0)) for text in (FALLING, other)]
    usual = Options().cells_at_once
    assert taken == [[usual if is_bounded else 4 * usual], [usual]]


def test_one_core_reads_all_rows_once(tmp_path: Path) -> None:
    reading = reading_over(pa.array([n % 5 for n in range(400)]), tmp_path, group_rows=100)
    assert parts_of(FALLING, reading, 1).told() == "once"


def test_chains_are_not_sliced_where_slices_may_not_be_used(tmp_path: Path) -> None:
    reading = reading_over(pa.array([n % 5 for n in range(400)]), tmp_path, group_rows=100)
    assert parts_of(FALLING, reading, 2, strategies=[Strategy.BY_KEY]).told() == BY_KEY


def test_many_cores_may_read_slices_of_chains(tmp_path: Path) -> None:
    reading = reading_over(pa.array([n % 2 for n in range(2_000)]), tmp_path, group_rows=100)
    assert len(parts_of(FALLING, reading, 16).work) == 16


def test_files_may_have_texts_in_two_types(tmp_path: Path) -> None:
    """Both are strings to Spark; a sample of keys met both in one column, and failed."""
    keys = [f"k{n % 3}" for n in range(200)]
    tables = [
        pa.table({"n": rows, "ts": rows, "k": pa.array(keys, of), "v": [-n % 10 for n in rows]})
        for rows, of in ((range(200), pa.string()), (range(200, 400), pa.large_string()))
    ]
    paths = [path for n, one in enumerate(tables) for path in write_as(one, tmp_path / str(n))]
    schema = StructType().add("n", LongType()).add("ts", LongType()).add("k", StringType())
    reading = reading_of(paths, schema.add("v", LongType()), "row")
    assert sample_keys(reading.survey, "k") == KeySample(400, 136, keys=3, most_keys=3)
    found = parts_of(FALLING, reading, 2)
    assert found.told() == SLICES
    rows = [row for table in tables for row in table.drop_columns(["n"]).to_pylist()]
    assert len(told_by(found)) == len(whole(FALLING, rows)) > 0


def test_last_rows_may_come_from_files_with_texts_in_two_types(tmp_path: Path) -> None:
    rows = [range(n, n + 4) for n in (0, 4, 8)]
    of_file = (pa.large_string(), pa.string(), pa.large_string())
    tables = [
        pa.table({"n": own, "ts": own, "k": pa.array(["a", "b", "c", "a"], of), "v": own})
        for own, of in zip(rows, of_file, strict=True)
    ]
    paths = [path for n, one in enumerate(tables) for path in write_as(one, tmp_path / str(n))]
    schema = StructType().add("n", LongType()).add("ts", LongType()).add("k", StringType())
    reading = reading_of(paths, schema.add("v", LongType()), "row")
    before, _ = reading.batches(Share(8, 12, before=Before("k", 4)))
    assert before["v"].to_pylist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert before["k"].to_pylist() == ["a", "b", "c", "a"] * 2


def test_times_may_be_keys_in_files_that_have_them_in_two_units(tmp_path: Path) -> None:
    """A sample of keys met both in one column, and failed."""
    at = pa.timestamp("us", "UTC")
    tables = [
        pa.table(
            {"n": rows, "ts": pa.array([n // 100 * 1_000 for n in rows], at).cast(of), "v": rows}
        )
        for rows, of in ((range(250), at), (range(250, 400), pa.timestamp("ms", "UTC")))
    ]
    paths = [path for n, one in enumerate(tables) for path in write_as(one, tmp_path / str(n))]
    schema = StructType().add("n", LongType()).add("ts", TimestampType()).add("v", LongType())
    reading = replace(reading_of(paths, schema, "row"), time_type=at)
    text = "SUBSCRIBE s FROM one MATCH a:[ts = $x] ->{ts = $x} b:[ts = $x] ->{ts = $x} c:[ts = $x]"
    found = parts_of(text, reading, 2)
    assert found.told() == SLICES
    assert len(told_by(found)) == 4 * 98


def test_many_cores_are_left_to_spark_where_keys_have_few_rows(tmp_path: Path) -> None:
    reading = reading_over(pa.array(list(range(400))), tmp_path, group_rows=100)
    with pytest.raises(ThroughSpark, match="by key more than 8 parts would each read all files"):
        parts_of(FALLING, reading, 16)


def test_a_sample_tells_the_largest_key_and_how_many_there_are(tmp_path: Path) -> None:
    keys = [0 if n % 2 else n % 20 for n in range(400)]
    reading = reading_over(pa.array(keys), tmp_path, files=2, group_rows=50)
    found = sample_keys(reading.survey, "k")
    assert found == KeySample(200, 112, keys=10, most_keys=10)
    assert (found.largest_share, found.keys_in(400)) == (0.56, 10.0)


def test_few_rows_tell_no_largest_key() -> None:
    assert KeySample(19, 19, keys=1, most_keys=1).largest_share == 0.0


def without_ends(rows: Rows) -> Rows:
    names = ("ts", "k", "v", "g")
    return [{name: row[name] for name in names if name in row} for row in rows]


@given(
    chain_texts().filter(is_accepted),
    chain_rows().map(without_ends),
    st.sampled_from([1, 2, 7]),
    st.sampled_from(NUMBERS),
    st.integers(1, 3),
    st.integers(1, 4),
)
@example(  # more rows from before than there are: the cut lay behind the last one
    "SUBSCRIBE s FROM one MATCH e:[g = $x]? ->{g = $x} f:[g = $x]{4} BY ->{g = $x}",
    [{"ts": n, "k": "a", "v": 0, **({"g": 1} if n == 3 else {})} for n in range(4)],
    2, "row", 1, 1,
)  # fmt: skip
@example(
    "SUBSCRIBE s FROM one MATCH a:[g = $x] ->{g = $x} b:[g = $x AND v > a.v] WITHIN 3 EVENTS",
    [{"ts": n, "k": "a", "v": n // 3, "g": float(n % 2)} for n in range(20)], 7, "row", 2, 3,
)  # fmt: skip
def test_slices_of_chains_find_what_the_whole_finds(
    text: str, rows: Rows, parts: int, numbers: str, files: int, group_rows: int
) -> None:
    wanted = whole(text, rows)
    program, task = parse(text), Task((), "ts", None, "ordered")
    with (
        files_of(rows, numbers, files, group_rows) as reading,
        patch.object(splitter, "_MOST_REPEATED", 1e9),
    ):
        own = FileSplitter(reading, program, None, task, "one", parts, parts)
        every = [own.parts_of(group) for group in plan_partitions(program).groups]
        for one in every:
            event(one.told().partition(", each")[2] or "no chain")
        assert sorted(row for one in every for row in told_by(one)) == wanted


@pytest.mark.spark
def test_workers_that_read_slices_of_chains_find_what_the_embedded_engine_finds(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = [
        {"n": n, "ts": n // 2, "k": f"k{n * n % 11}" if n % 13 else None, "v": n * 7919 % 101}
        for n in range(600)
    ]
    write(pa.Table.from_pylist(rows), tmp_path, 3, 40)
    frame = spark.read.parquet(str(tmp_path))
    text = FALLING.replace(" FROM one", "")
    options: dict[str, Any] = {"time": "ts", "row": "n", "reader": "workers"}
    found = in_order(match(frame, text, parts=2, **options).toArrow())
    events = [{name: row[name] for name in ("ts", "k", "v")} for row in rows]
    assert found == embedded(events, text, time="ts")
    assert len(found) > 50
    assert f"  workers read the files {SLICES}" in explain(text, frame, parts=2, **options)
