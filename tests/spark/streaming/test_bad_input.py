"""Streams that cannot be matched are refused before anything runs; bad rows are counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest
from pyspark.sql import functions as F
from tests.spark.streams import in_order, read, run_to_end, write

import tocsin
from tocsin.spark import explain, explain_stream, match, match_stream
from tocsin.spark.streaming.counts import counts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

PAIR = "SUBSCRIBE s MATCH a:[k = 'x'] ; b:[k = 'y']"


def stream_of(spark: SparkSession, folder: Path, schema: str) -> DataFrame:
    folder.mkdir(exist_ok=True)
    return spark.readStream.schema(schema).parquet(str(folder))


@pytest.mark.parametrize(
    ("schema", "options", "said"),
    [
        ("at bigint, k string", {}, "has no column 'ts', which time= names"),
        ("ts string, k string", {}, "to_timestamp, zone included"),
        ("ts double, k string", {}, "is a double, not a timestamp"),
        ("ts bigint", {}, "reads 'k' of stream 'default'"),
        ("ts bigint, k string", {"order": "n"}, "no column 'n', which order= names"),
        ("ts bigint, k string", {"end": "fin"}, "no column 'fin', which end= names"),
        ("ts bigint, k string", {"row": "n"}, "no column 'n', which row= names"),
        ("ts bigint, k string", {"row": "k"}, "it must number events with integers"),
        ("ts bigint, k string, K int", {}, "two columns called 'k'"),
    ],
)
def test_wrong_frames_are_told_before_anything_runs(
    spark: SparkSession, tmp_path: Path, schema: str, options: dict[str, Any], said: str
) -> None:
    events = stream_of(spark, tmp_path / "in", schema)
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match_stream(events, PAIR, time="ts", delay="1 s", **options)


def test_a_frame_with_a_watermark_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Spark refused it in words of its own, once the query ran."""
    plain = stream_of(spark, tmp_path / "in", "ts timestamp, k string")
    said = "the frame has a watermark on 'ts'; leave withWatermark out, and say with delay="
    for frames in (
        plain.withWatermark("ts", "5 hours"),
        {"default": plain.withWatermark("ts", "0 seconds")},
    ):
        with pytest.raises(tocsin.ConfigurationError, match=said):
            match_stream(frames, PAIR, time="ts", delay="1 s")


def test_a_path_of_subscriptions_that_leads_nowhere_is_told(
    spark: SparkSession, tmp_path: Path
) -> None:
    """It was taken for a program, to which versions= means nothing."""
    events = stream_of(spark, tmp_path / "in", "ts bigint, k string")
    with pytest.raises(tocsin.ConfigurationError, match="there is no file or folder of subscript"):
        match_stream(events, tmp_path / "no", time="ts", delay="1 s", versions=str(tmp_path / "v"))


def test_a_delay_has_a_unit_and_history_is_no_stream(spark: SparkSession, tmp_path: Path) -> None:
    events = stream_of(spark, tmp_path / "in", "ts bigint, k string")
    delay: Any = 5
    with pytest.raises(tocsin.DurationError, match="5 is not a duration; write a text with a unit"):
        match_stream(events, PAIR, time="ts", delay=delay)
    with pytest.raises(tocsin.ConfigurationError, match=r"this is a stream, .* use match_stream"):
        match(events, PAIR, time="ts")


def test_the_stream_of_each_frame_is_held_against_what_is_declared_of_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    program = """STREAM s (ts TIMESTAMP, k INTEGER) TIME ts;
        STREAM t (ts TIMESTAMP, k STRING) TIME ts;
        SUBSCRIBE x FROM s MATCH [k = 1]; SUBSCRIBE y FROM t MATCH [k = 'a']"""
    events = stream_of(spark, tmp_path / "in", "ts bigint, k string")
    said = "the column 'k' is a string, but stream 's' declares INTEGER"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match_stream({"t": events, "s": events}, program, time="ts", delay="1 s")


def test_a_stream_is_not_said_to_be_split_by_time() -> None:
    keyed = "SUBSCRIBE s MATCH a:[k = 'x' AND i = $i] ; b:[k = 'y' AND i = $i] WITHIN 5 min"
    assert "a hot key" in explain(keyed)
    assert "a hot key" not in explain_stream(keyed)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("ts timestamp_ntz, k string", "'ts' is a timestamp in stream 'one' and a timestamp_ntz"),
        ("ts timestamp, k int", "'k' is a string in stream 'one' and a int in stream 'two'"),
    ],
)
def test_columns_of_one_name_hold_one_kind(
    spark: SparkSession, tmp_path: Path, column: str, said: str
) -> None:
    frames = {
        "one": stream_of(spark, tmp_path / "one", "ts timestamp, k string"),
        "two": stream_of(spark, tmp_path / "two", column),
    }
    program = "SUBSCRIBE s FROM one, two MATCH a:[k = 'x']"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match_stream(frames, program, time="ts", delay="1 s")


def test_bad_rows_are_left_out_and_counted_and_equal_numbers_only_name(
    spark: SparkSession, tmp_path: Path
) -> None:
    def event(n: int | None, ts: int | None, k: str) -> dict[str, Any]:
        return {"n": n, "ts": ts, "ip": "10.0.0.1", "k": k, "v": 1}

    good = [event(1, 100_000, "x"), event(1, 100_500, "y"), event(1, 101_500, "y")]
    bad = [event(2, None, "y"), event(None, 100_600, "y")]
    batches = [[*good[:2], *bad], good[2:], [event(9, 200_000, "z")]]
    write(batches, tmp_path / "in")
    found = match_stream(
        read(spark, tmp_path / "in"), PAIR, time="ts", row="n", delay="1 s", observed="mine"
    )
    writer = found.writeStream.format("memory").queryName("bad_rows").outputMode("append")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    query.processAllAvailable()
    counts = [counts_of(one.observedMetrics, "mine") for one in query.recentProgress]
    query.stop()
    assert sum(one["dead_letters"] for one in counts) == 2
    assert sum(one["notifications"] for one in counts) == 2
    told = spark.table("bad_rows").collect()
    assert sorted(row.at.timestamp() for row in told) == [100.5, 101.5]
    assert {str(row.events) for row in told} == {"{'a': [1], 'b': [1]}"}


@pytest.mark.usefixtures("far_from_utc")
def test_times_without_a_zone_are_those_of_utc(spark: SparkSession, tmp_path: Path) -> None:
    rows = [{"n": n, "ts": 1_000_000 * (n + 1), "k": "xyz"[n], "v": 1} for n in range(3)]
    write([rows], tmp_path / "in")
    after = "timestamp_ntz'1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, ts / 1000) AS ts"
    events = read(spark, tmp_path / "in").selectExpr("n", "k", after)
    assert dict(events.dtypes)["ts"] == "timestamp_ntz"
    program = f"{PAIR} EMIT t(a) AS first"
    found = run_to_end(match_stream(events, program, time="ts", row="n", delay="1 s"), tmp_path)
    (told,) = found.to_pylist()
    assert told["at"].timestamp() == 2000
    assert told["emit"] == [("first", '"1970-01-01T00:16:40Z"')]


@pytest.mark.slow  # it starts four queries
def test_columns_of_another_type_are_told_where_a_checkpoint_has_the_old_ones(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = [{"n": 0, "ts": 100_000, "ip": "10.0.0.1", "k": "x", "v": 1}]
    write([rows], tmp_path / "in")
    program = "SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2]"
    options = {"time": "ts", "delay": "1 s", "shards": 1}
    events = read(spark, tmp_path / "in")
    run_to_end(match_stream(events, program, **options), tmp_path)
    write([[{**rows[0], "ts": 200_000}]], tmp_path / "in", first=1)
    changed = events.withColumn("v", events.v.cast("string"))
    said = "'v' is a string, and was a int when the checkpoint was made; cast it to int"
    with pytest.raises(Exception, match=said):
        run_to_end(match_stream(changed, program, **options), tmp_path)
    unread = events.withColumn("ip", F.length(events.ip))
    with pytest.raises(Exception, match="'ip' is a int, and was a string when the checkpoint"):
        run_to_end(match_stream(unread, program, **options), tmp_path)
    run_to_end(match_stream(events, program, **options), tmp_path)


def test_a_row_that_several_buckets_refuse_is_told_and_counted_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    program = """
    STREAM s (ts TIMESTAMP, n FLOAT, ip STRING, k STRING, v INTEGER) TIME ts;
    SUBSCRIBE one FROM s MATCH a:[n >= 0] , b:[n >= 0];
    SUBSCRIBE two FROM s MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'x' AND ip = $i];
    SUBSCRIBE three FROM s MATCH a:[v > 0]
    """
    rows = [
        {"n": n, "ts": 10_000 * (n + 1), "ip": "10.0.0.1", "k": "x", "v": n + 1} for n in range(4)
    ]
    write([rows], tmp_path / "in")
    events = read(spark, tmp_path / "in").withColumn("v", F.expr("IF(n = 1, 2.5D, double(v))"))
    options = {"time": "ts", "row": "n", "stream": "s"}
    found = run_to_end(match_stream(events, program, delay="0 s", **options), tmp_path)
    kinds = Counter(found["kind"].to_pylist())
    taken = [{**row, "v": 2.5 if row["n"] == 1 else float(row["v"])} for row in rows]
    wanted = tocsin.match(taken, program, time="ts", stream="s")
    assert [letter.kind for letter in wanted.dead_letters] == ["bad_type"]
    assert kinds == {"match": len(wanted), "bad_type": 1}
    matches = found.filter(pc.equal(found["kind"], "match"))
    assert in_order(matches) == in_order(wanted.to_arrow())
