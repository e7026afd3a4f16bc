"""Files that workers read: the answers are those of rows that come through Spark."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PythonException
from tests.spark.comparing import in_order
from tests.spark.files.parts import shuffled

from tocsin.errors import ConfigurationError
from tocsin.plan.partition import PREFERENCE
from tocsin.spark import explain, match
from tocsin.spark.files import make_survey
from tocsin.spark.files.survey import Survey
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.intake import events_of
from tocsin.spark.job import Job, job_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)
TWICE = "SUBSCRIBE twice MATCH a:[v > 2 AND k = $k] ; b:[v > 2 AND k = $k]"
SOON = "SUBSCRIBE soon MATCH a:[v = 1] -> b:[v = 2] WITHIN 20 s EMIT t(b) AS at"
PROGRAM = f"""{TWICE}; {SOON};
SUBSCRIBE next MATCH a:[v = 1] , b:[v = 1];
SUBSCRIBE silent MATCH a:[v = 4 AND k = $k] ; !b:[k = $k] FOR 30 s
"""


def rows(count: int = 400) -> pa.Table:
    draw = np.random.default_rng(1)
    return pa.table(
        {
            "n": np.arange(count),
            "ts": pa.array([BEGAN + timedelta(seconds=n) for n in range(count)]),
            "k": pa.array([f"k{n}" for n in draw.integers(0, 9, count)]),
            "v": draw.integers(0, 5, count),
        }
    )


def written(table: pa.Table, path: Path, *, files: int = 3, **options: Any) -> str:
    """Write rows as files whose names say nothing about their order."""
    path.mkdir(parents=True)
    size = -(-table.num_rows // files)
    for number in range(files):
        part = table.slice(number * size, size)
        pq.write_table(part, path / f"{files - number}.parquet", row_group_size=50, **options)
    return os.fspath(path)


def with_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)


def both(frame: DataFrame, program: str = PROGRAM, **options: Any) -> tuple[Any, Any]:
    """Return the notifications of both readers."""
    found = [
        match(frame, program, reader=reader, parts=2, **options).toArrow()
        for reader in ("workers", "spark")
    ]
    return tuple(sorted(map(repr, one.to_pylist())) for one in found)  # type: ignore[return-value]


def files_of(frame: DataFrame, *, row: str | None = None, parts: int = 2) -> tuple[Job, Any]:
    """Return a job, and the files that its workers read."""
    given = events_of(frame, time="ts", end=None, order=None, streams=None, row=row)
    job = job_of(
        given, PROGRAM, stream=None, simultaneous="ordered", table=None, parts=parts,
        strategies=PREFERENCE,
    )  # fmt: skip
    return job, job.files()


def survey_of(frame: DataFrame, *, row: str | None = None) -> Survey:
    survey: Survey = files_of(frame, row=row)[1].reading.survey
    return survey


def why(frame: Any, program: str = PROGRAM, **options: Any) -> str:
    """Return why rows come through Spark."""
    options = {"time": "ts"} | options
    with pytest.raises(ConfigurationError) as told:
        match(frame, program, reader="workers", **options)
    return str(told.value).removeprefix("reader='workers': ")


@pytest.mark.parametrize("options", [{}, {"row": "n"}, {"order": "n"}], ids=["", "row", "order"])
def test_both_readers_give_the_same(
    spark: SparkSession, tmp_path: Path, options: dict[str, str]
) -> None:
    found, wanted = both(spark.read.parquet(written(rows(), tmp_path / "e")), time="ts", **options)
    assert found == wanted
    assert len(found) > 100


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param(pa.array([n % 7 for n in range(400)]), marks=pytest.mark.slow),
        pa.array([n % 7 / 2 - 1 if n % 11 else None for n in range(400)]),
        pa.array([None if n % 5 == 0 else -0.0 if n % 2 else 0.0 for n in range(400)]),
        pa.array([float("nan") if n % 3 else 1.5 for n in range(400)]),
        pytest.param(pa.array([n % 3 == 0 for n in range(400)]), marks=pytest.mark.slow),
        pa.array([f"k{n % 7}" if n % 11 else None for n in range(400)]),
        pytest.param(
            pa.array([f"k{n % 7}" for n in range(400)], pa.large_string()), marks=pytest.mark.slow
        ),
        pytest.param(pa.array([None] * 400, pa.string()), marks=pytest.mark.slow),
    ],
    ids=["integers", "floats", "zeros", "nan", "booleans", "texts", "large texts", "nothing"],
)
def test_keys_of_all_kinds_meet(spark: SparkSession, tmp_path: Path, keys: Any) -> None:
    path = written(with_column(rows(), "k", keys), tmp_path / "e")
    found, wanted = both(spark.read.parquet(path), TWICE, time="ts")
    assert found == wanted
    assert bool(found) == (keys.null_count < len(keys))


def _times(of: Any) -> Any:
    return rows()["ts"].cast(of)


@pytest.mark.parametrize(
    "times",
    [
        _times(pa.timestamp("us")),
        pytest.param(_times(pa.timestamp("ms")), marks=pytest.mark.slow),
        _times(pa.timestamp("us", "UTC")),
        pytest.param(_times(pa.timestamp("ms", "Asia/Tokyo")), marks=pytest.mark.slow),
        pa.array(range(400)),
        pytest.param(pa.array(range(400), pa.int32()), marks=pytest.mark.slow),
        pa.array([date(2000, 1, 1) + timedelta(days=n) for n in range(400)]),
    ],
    ids=["zoneless", "zoneless ms", "utc", "zoned ms", "integers", "short integers", "days"],
)
@pytest.mark.usefixtures("missing_hour")
def test_times_of_all_types_mean_the_same(spark: SparkSession, tmp_path: Path, times: Any) -> None:
    path = written(with_column(rows(), "ts", times), tmp_path / "e")
    found, wanted = both(spark.read.parquet(path), SOON, time="ts")
    assert found == wanted
    assert found or pa.types.is_date(pq.read_table(path)["ts"].type)  # days are too far apart


def test_times_of_96_bits_as_spark_writes_them(spark: SparkSession, tmp_path: Path) -> None:
    path = written(rows(), tmp_path / "e", use_deprecated_int96_timestamps=True)
    found, wanted = both(spark.read.parquet(path), SOON, time="ts")
    assert found == wanted
    assert found or pa.types.is_date(pq.read_table(path)["ts"].type)  # days are too far apart


def test_files_that_spark_wrote(spark: SparkSession, tmp_path: Path) -> None:
    plain = spark.read.parquet(written(rows(), tmp_path / "e"))
    own = os.fspath(tmp_path / "a folder with 50%")
    plain.repartitionByRange(4, "ts").sortWithinPartitions("ts").write.parquet(own)
    found, wanted = both(spark.read.parquet(own), TWICE, time="ts")
    assert found == wanted
    assert len(found) > 100


def test_numbers_that_rows_bring_may_have_gaps(spark: SparkSession, tmp_path: Path) -> None:
    table = with_column(rows(), "n", pa.array([7 + 3 * n for n in range(400)]))
    found, wanted = both(spark.read.parquet(written(table, tmp_path / "e")), time="ts", row="n")
    assert found == wanted


def test_numbers_that_follow_one_another_need_not_be_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Two files have such numbers, far apart, and the third one has gaps."""
    parts = [-5 + np.arange(134), 2**61 + np.arange(134), 2**62 + 3 * np.arange(132)]
    table = with_column(rows(), "n", pa.array(np.concatenate(parts)))
    frame = spark.read.parquet(written(table, tmp_path / "e", write_statistics=False))
    found, wanted = both(frame, time="ts", row="n")
    assert found == wanted
    survey = survey_of(frame, row="n")
    assert [file.first_number for file in survey.files] == [-5, 2**61, None]


def test_times_as_numbers_of_rows_are_read(spark: SparkSession, tmp_path: Path) -> None:
    table = with_column(rows(), "ts", pa.array(np.arange(400)))
    frame = spark.read.parquet(written(table, tmp_path / "e"))
    found, wanted = both(frame, time="ts", row="ts")
    assert found == wanted
    assert [file.first_number for file in survey_of(frame, row="ts").files] == [None] * 3


def test_a_file_is_looked_at_again_only_if_it_has_changed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    real = make_survey.open_file

    def spied(path: str, **options: Any) -> Any:
        opened.append(Path(path).name)
        return real(path, **options)

    monkeypatch.setattr(make_survey, "open_file", spied)
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    first = survey_of(frame)
    assert (len(opened), survey_of(frame), len(opened)) == (3, first, 3)
    pq.write_table(rows().slice(0, 134), tmp_path / "e" / "3.parquet", row_group_size=10)
    assert len(survey_of(frame).files[0].groups) == 14
    assert opened[3:] == ["3.parquet"]
    survey_of(frame, row="n")
    assert len(opened) == 7, "it is asked something else"


def test_a_file_of_the_same_size_and_time_is_another_one(
    spark: SparkSession, tmp_path: Path
) -> None:
    """As a copy is that keeps times."""
    path = Path(written(rows(), tmp_path / "e", files=1)) / "1.parquet"
    frame, seen = spark.read.parquet(os.fspath(path)), path.stat()
    first = survey_of(frame)
    pq.write_table(rows(), path, row_group_size=50)
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (seen.st_size, seen.st_mtime_ns)
    assert not first.files[0].is_unchanged()


def test_a_frame_of_one_named_stream(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    named = TWICE.replace(" MATCH", " FROM logins MATCH")
    found, wanted = both({"logins": frame}, named, time="ts")  # type: ignore[arg-type]
    assert found == wanted
    assert len(found) > 100


def test_what_spark_selects_may_be_read(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    frame.createOrReplaceTempView("logins_of_files")
    some = spark.sql("SELECT k, v, ts FROM logins_of_files")
    found, wanted = both(some, TWICE, time="ts")
    assert found == wanted
    assert len(found) > 100


def test_a_template_is_filled_in_by_workers(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    text = "SUBSCRIBE of_{key} MATCH a:[k = {key} AND v > 3] ; b:[k = {key} AND v > 3]"
    table = pa.table({"key": ["k1", "k2", "k3"]})
    found, wanted = both(frame, text, time="ts", table=table)
    assert found == wanted
    assert len(found) > 100


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ([0, None, 2], "rows are no events, since 'ts' is null"),
        ([0, 2, 1], "rows do not lie in the order of time"),
        ([9 * 10**15, -9 * 10**15, 0], "rows do not lie in the order of time"),
        ([0, 1, 1], "rows have the same time; row= or order= could tell them apart"),
        ([0, 1, 2**62], "rows are no events, since 'ts' is outside what milliseconds can tell"),
    ],
)
def test_spark_reads_rows_that_are_no_events_or_lie_otherwise(
    spark: SparkSession, tmp_path: Path, times: list[int], reason: str
) -> None:
    table = pa.table({"ts": times, "v": [1, 2, 3], "k": ["a", "a", "a"]})
    frame = spark.read.parquet(written(table, tmp_path / "e", files=1))
    assert why(frame) == f"workers cannot read the events themselves: {reason}"
    auto, wanted = (
        in_order(match(frame, SOON, time="ts", reader=reader).toArrow())  # type: ignore[arg-type]
        for reader in ("auto", "spark")
    )
    assert auto == wanted


def test_files_that_overlap_are_out_of_order(spark: SparkSession, tmp_path: Path) -> None:
    path = written(rows(), tmp_path / "e")
    pq.write_table(rows(100), tmp_path / "e" / "again.parquet")
    assert "rows do not lie in the order of time" in why(spark.read.parquet(path))


@pytest.mark.parametrize(
    ("numbers", "told", "reason"),
    [
        ([0, 1, 1], True, "numbers in 'n' come twice"),
        ([0, 1, 1], False, "the numbers in 'n' do not grow with time"),
        (
            [6 * 10**18, -6 * 10**18, 1 - 6 * 10**18], False,
            "the numbers in 'n' do not grow with time",
        ),
    ],
)  # fmt: skip
def test_numbers_that_do_not_grow_are_left_to_spark(
    spark: SparkSession, tmp_path: Path, numbers: list[int], *, told: bool, reason: str
) -> None:
    table = pa.table({"n": numbers, "ts": [1, 1, 1], "v": [1, 2, 3], "k": ["a", "a", "a"]})
    path = written(table, tmp_path / "e", files=1, write_statistics=told)
    frame = spark.read.parquet(path)
    assert reason in why(frame, row="n")
    assert "the same time, and 'n' does not grow among them" in why(frame, order="n")


@pytest.mark.parametrize("texts", [True, False], ids=["texts", "numbers"])
def test_workers_bring_the_rows_of_a_row_group_into_order(
    spark: SparkSession, tmp_path: Path, texts: bool
) -> None:
    keys = pa.array([n % 7 for n in range(400)])
    table = with_column(rows(), "k", keys.cast(pa.string()) if texts else keys)
    table = with_column(table, "ts", pa.array([n // 3 for n in range(400)]))
    table = with_column(table, "n", pa.array([n * 10**15 - 2 * 10**17 for n in range(400)]))
    lying = table.take(shuffled(400, group_rows=50))
    frame = spark.read.parquet(written(lying, tmp_path / "e", files=2))
    found, wanted = both(frame, TWICE, time="ts", row="n")
    assert found == wanted
    assert len(found) > 100
    assert not any(group.is_ordered for _, group in survey_of(frame, row="n").groups())


def test_what_orders_besides_the_numbers_may_be_nested(spark: SparkSession, tmp_path: Path) -> None:
    """No statistics are told of a struct; asking for them failed."""
    table = rows().append_column("s", pa.array([{"x": n} for n in range(400)]))
    frame = spark.read.parquet(written(table, tmp_path / "e"))
    found, wanted = both(frame, TWICE, time="ts", row="n", order="s")
    assert found == wanted
    assert len(found) > 100


def test_a_file_without_what_orders_besides_the_numbers_is_left_to_spark(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = written(rows(), tmp_path / "e")
    part = rows(500).slice(400).append_column("o", pa.array(range(100)))
    pq.write_table(part, tmp_path / "e" / "more.parquet")
    frame = spark.read.option("mergeSchema", "true").parquet(path)
    assert "a file has no column 'o'" in why(frame, row="n", order="o")


def test_row_groups_whose_numbers_fall_are_left_to_spark(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = with_column(rows(), "n", pa.array([400 - n for n in range(400)]))
    frame = spark.read.parquet(written(table, tmp_path / "e"))
    assert "the numbers in 'n' do not grow with time" in why(frame, row="n")


def test_numbers_that_fall_within_a_row_group_are_told_when_it_is_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    times = pa.array([n if n != 10 else 15 for n in range(400)])
    table = with_column(with_column(rows(), "ts", times), "v", pa.array([3] * 400))
    frame = spark.read.parquet(written(table, tmp_path / "e"))
    for reader in ("workers", "spark"):
        with pytest.raises(PythonException, match="the column that row= names must grow with time"):
            match(frame, TWICE, time="ts", row="n", parts=1, reader=reader).collect()


def test_large_row_groups_are_looked_at(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_survey, "MOST_AT_ONCE", 49)
    lying = rows().take(shuffled(400, group_rows=50))
    path = written(lying, tmp_path / "e", files=2)
    assert "rows do not lie in the order of time" in why(spark.read.parquet(path), row="n")


def test_rows_without_an_order_are_no_events_also_where_they_are_numbered(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = rows().append_column("o", pa.array([None if n % 4 == 0 else "x" for n in range(400)]))
    frame = spark.read.parquet(written(table, tmp_path / "e"))
    assert "rows are no events, since 'o' is null" in why(frame, row="n", order="o")
    whole = table.set_column(4, "o", pa.array(["x"] * 400))
    found, wanted = both(
        spark.read.parquet(written(whole, tmp_path / "w")), SOON, time="ts", row="n", order="o"
    )
    assert found == wanted


def test_the_time_may_be_the_key(spark: SparkSession, tmp_path: Path) -> None:
    days = pa.array([date(2026, 1, 1 + n // 40) for n in range(400)])
    frame = spark.read.parquet(written(with_column(rows(), "ts", days), tmp_path / "e"))
    program = "SUBSCRIBE s MATCH a:[ts = $d AND v = 1] ; b:[ts = $d AND v = 2]"
    found, wanted = both(frame, program, time="ts", row="n")
    assert found == wanted
    assert len(found) > 100


@pytest.mark.parametrize(
    "name",
    [
        "spark.sql.files.ignoreCorruptFiles",
        "spark.sql.files.ignoreMissingFiles",
        "spark.sql.parquet.int96TimestampConversion",
    ],
)
def test_what_settings_ask_of_spark_is_left_to_it(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    spark.conf.set(name, "true")
    try:
        assert f"{name} is set" in why(frame)
    finally:
        spark.conf.unset(name)


def test_a_file_that_vanished_is_told(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    found = match(frame, SOON, time="ts", reader="workers")
    (tmp_path / "e" / "1.parquet").unlink()
    with pytest.raises(PythonException, match=r"1\.parquet was changed since match was called"):
        found.toArrow()
    assert "workers cannot read a file" in why(frame)


def test_names_that_spark_takes_for_one_are_left_to_it(spark: SparkSession, tmp_path: Path) -> None:
    twice = rows().append_column("V", rows()["v"])
    path = written(twice, tmp_path / "e")
    frame = spark.read.schema("ts timestamp, k string, v bigint").parquet(path)
    assert "a file has no column 'v', or several that are called so" in why(frame)


def test_times_before_1900_are_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    old = [datetime(1582, 10, 1, tzinfo=UTC) + timedelta(days=n) for n in range(400)]
    frame = spark.read.parquet(written(with_column(rows(), "ts", pa.array(old)), tmp_path / "e"))
    assert "times before 1900" in why(frame)


def test_types_that_arrow_reads_otherwise_are_left_to_spark(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = written(rows(), tmp_path / "e")
    frame = spark.read.schema("ts timestamp, k string, v int, n bigint").parquet(path)
    assert "the column 'v' is a int, which only Spark reads exactly" in why(frame)
    more = spark.read.schema("ts timestamp, k string, v bigint, w bigint").parquet(path)
    assert "a file has no column 'w'" in why(more, "SUBSCRIBE s MATCH [w = 1]")


def test_frames_that_do_more_than_reading(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    more = "the frame is more than what spark.read.parquet gives"
    for other in (frame.filter("v > 1"), frame.withColumn("v", frame.v + 1), frame.union(frame)):
        assert more in why(other)
    chosen = frame.select("ts", "v", "k")
    match(chosen, SOON, time="ts")  # it has its plan now, and should notice what happens later
    frame.cache()
    assert more in why(frame)
    assert more in why(chosen)
    frame.unpersist()
    own = os.fspath(tmp_path / "by_key")
    frame.write.partitionBy("k").parquet(own)
    assert "names of folders are columns" in why(spark.read.parquet(own))
    lines = os.fspath(tmp_path / "lines")
    frame.write.json(lines)
    schema = "ts timestamp, k string, v bigint"
    assert "the events are JSON, not Parquet" in why(spark.read.schema(schema).json(lines))


def test_streams_and_events_that_last_are_left_to_spark(
    spark: SparkSession, tmp_path: Path
) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    program = "SUBSCRIBE s FROM a, b MATCH [v = 1]"
    assert "rows are of several streams" in why({"a": frame, "b": frame}, program)
    named = "SUBSCRIBE s FROM k1 MATCH x:[v = 1]"
    assert "rows are of several streams" in why(frame, named, streams="k")
    lasting = with_column(rows(), "n", rows()["ts"])
    frame = spark.read.parquet(written(lasting, tmp_path / "lasting"))
    assert "events last" in why(frame, end="n")


def test_declared_kinds_that_rows_may_not_have_are_left_to_spark(
    spark: SparkSession, tmp_path: Path
) -> None:
    made = rows()
    floats = made["v"].cast("double")
    made = made.set_column(made.column_names.index("v"), "v", floats)
    frame = spark.read.parquet(written(made, tmp_path / "e"))
    program = "STREAM s (ts TIMESTAMP, v INTEGER) TIME ts; SUBSCRIBE x FROM s MATCH [v = 1]"
    assert "values of 'v' may be refused" in why(frame, program)


def test_a_file_that_was_changed_is_told(spark: SparkSession, tmp_path: Path) -> None:
    path = written(rows(), tmp_path / "e")
    found = match(spark.read.parquet(path), PROGRAM, time="ts", reader="workers")
    pq.write_table(rows(100), tmp_path / "e" / "1.parquet")
    with pytest.raises(PythonException, match=r"1\.parquet was changed since match was called"):
        found.toArrow()


def test_auto_takes_the_workers_and_explain_says_so(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    told = explain(PROGRAM, frame, time="ts")
    assert "rows: workers read them from 3 files, in which they lie in the order of time" in told
    by_spark = explain(PROGRAM, frame, time="ts", reader="spark")
    assert "rows: come through Spark: reader='spark' asks for it" in by_spark
    plan = match(frame, PROGRAM, time="ts")._jdf.queryExecution().optimizedPlan().toString()
    assert "Relation" not in plan


def test_readers_that_are_unknown_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    with pytest.raises(ConfigurationError, match="reader='disk' is unknown; use 'auto', 'spark'"):
        match(frame, PROGRAM, time="ts", reader="disk")  # type: ignore[arg-type]


def test_by_key_many_readers_are_left_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.parquet(written(rows(), tmp_path / "e"))
    job, files = files_of(frame, parts=64)
    unbounded = job.plan.groups[0]
    assert unbounded.slices is None
    assert len(files.parts_of(unbounded).work) == 2
    with pytest.raises(ThroughSpark, match="by key more than 8 parts would each read all files"):
        replace(files, cores=64).parts_of(unbounded)
