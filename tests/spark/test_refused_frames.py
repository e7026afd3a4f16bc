"""Frames and programs that do not go together are refused before anything runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import tocsin
from tocsin.spark import explain, local_session, match

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAIR = "SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2] WITHIN 2 d"


@pytest.mark.parametrize(
    ("schema", "options", "said"),
    [
        ("ts string, v int", {"time": "ts"}, "to_timestamp, zone included"),
        ("ts double, v int", {"time": "ts"}, "is a double, not a timestamp"),
        ("ts bigint, `$v` int, v int", {"time": "ts"}, r"'\$v' begins with \$"),
        ("ts bigint, v struct<a: int>", {"time": "ts"}, "no event carries that"),
        ("ts bigint, v binary", {"time": "ts"}, "is a binary"),
        ("ts bigint, v int, V int", {"time": "ts"}, "two columns called 'v'"),
        ("ts bigint, v int", {"time": "ts", "end": "ts"}, "both name 'ts'"),
        ("ts bigint, v int, n string", {"time": "ts", "row": "n"}, "must number events"),
        ("ts bigint, v int", {"time": "ts", "streams": "v"}, "is a int, not a string"),
        ("ts bigint, vv int", {"time": "ts"}, "they have ts, vv; did you mean 'vv'"),
    ],
)
def test_wrong_frames_are_told_before_anything_runs(
    spark: SparkSession, schema: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(spark.createDataFrame([], schema), PAIR, **options)


@pytest.mark.parametrize("given", [PAIR, {"s": [1]}, pa.table({"ts": [1]})])
def test_what_is_no_frame_is_told(given: Any) -> None:
    with pytest.raises(tocsin.ConfigurationError, match="not a DataFrame of Spark"):
        match(given, PAIR, time="ts")


def test_explain_tells_frames_from_subscriptions(spark: SparkSession) -> None:
    events = spark.createDataFrame([], "ts bigint, v int")
    with pytest.raises(tocsin.ConfigurationError, match="is a str, not a DataFrame of Spark"):
        explain(events, PAIR, time="ts")  # type: ignore[arg-type]


def test_a_session_that_is_there_keeps_its_messages(spark: SparkSession) -> None:
    root = spark.sparkContext._jvm.org.apache.log4j.LogManager.getRootLogger()  # type: ignore[union-attr]
    parts = {"spark.sql.shuffle.partitions": str(spark.conf.get("spark.sql.shuffle.partitions"))}
    spark.sparkContext.setLogLevel("FATAL")
    try:
        with ThreadPoolExecutor(1) as other:  # pipelines ask in a thread of their own
            other.submit(local_session, settings=parts).result()
        assert str(root.getLevel()) == "FATAL"
    finally:
        spark.sparkContext.setLogLevel("ERROR")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("STREAM s (at TIMESTAMP, v INTEGER) TIME at; SUBSCRIBE x FROM s MATCH a:[v = 1]", "TIME"),
        (
            "SUBSCRIBE x FROM s MATCH a:[v = 1]; SUBSCRIBE y FROM u MATCH a:[v = 1]",
            "say stream='s'",
        ),
    ],
)
def test_streams_that_do_not_fit_are_told(spark: SparkSession, program: str, said: str) -> None:
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(spark.createDataFrame([], "ts bigint, v int"), program, time="ts")


def test_columns_of_one_name_hold_one_kind(spark: SparkSession) -> None:
    frames = {
        "one": spark.createDataFrame([], "ts bigint, v int"),
        "two": spark.createDataFrame([], "ts bigint, v string"),
    }
    with pytest.raises(tocsin.ConfigurationError, match="is a int in stream 'one' and a string"):
        match(frames, "SUBSCRIBE s FROM one, two MATCH a:[v = 1]", time="ts")


def test_a_stream_that_no_frame_gives_is_named(spark: SparkSession) -> None:
    frames = {"logins": spark.createDataFrame([], "ts bigint, v int")}
    said = r"reads the stream 'login', but there are frames for logins; did you mean 'logins'\?"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(frames, "SUBSCRIBE s FROM logins, login MATCH [v = 1]", time="ts")


def test_a_stream_that_is_declared_without_its_time_is_refused(spark: SparkSession) -> None:
    """Engines took the clock's time for its events, and slices of time dropped their matches."""
    program = "STREAM s (v INTEGER); SUBSCRIBE x FROM s MATCH a:[v = 1] -> b:[v = 2] WITHIN 1 hour"
    events = spark.createDataFrame([], "ts bigint, v bigint")
    said = r"stream 's' is declared without TIME, but time= names 'ts'; write STREAM s \(… ts TIM"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(events, program, time="ts")
    kept = """
    STREAM s (ts TIMESTAMP, v INTEGER) TIME ts;
    STREAM d (v INTEGER);
    SUBSCRIBE x FROM s MATCH a:[v = 1] EMIT a.v AS v INTO d
    """
    assert match(events, kept, time="ts").count() == 0


def test_decimals_of_many_digits_are_refused_before_anything_runs(spark: SparkSession) -> None:
    events = spark.createDataFrame([], "ts bigint, d decimal(20,2)")
    with pytest.raises(tocsin.ConfigurationError, match=r"'d' is a decimal\(20,2\), of which few"):
        match(events, "SUBSCRIBE s MATCH a:[d > 1] , b:[d > 1]", time="ts")


def test_what_is_declared_and_no_event_carries_is_refused(spark: SparkSession) -> None:
    events = spark.createDataFrame([], "ts bigint, v int, tags array<string>")
    program = (
        "STREAM s (ts TIMESTAMP, v INTEGER, tags STRING) TIME ts; SUBSCRIBE x FROM s MATCH [v = 1]"
    )
    with pytest.raises(tocsin.ConfigurationError, match=r"'tags' is a array<string>, but stream"):
        match(events, program, time="ts")


def test_what_only_the_engine_can_tell_is_refused_before_anything_runs(
    spark: SparkSession,
) -> None:
    declared = "STREAM s (ts TIMESTAMP, at TIMESTAMP) TIME ts"
    program = f"{declared}; SUBSCRIBE x FROM s MATCH a:[TRUE] , b:[TRUE]"
    events = spark.createDataFrame([], "ts bigint, at string")
    said = r"the column 'at' is a string, but TIMESTAMP is declared; cast it, or declare"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(events, program, time="ts")


def test_a_column_that_holds_nothing_of_what_is_declared_is_refused(spark: SparkSession) -> None:
    """All of its rows were dead letters, and nobody was told before the end."""
    program = "STREAM s (ts TIMESTAMP, v {}) TIME ts; SUBSCRIBE x FROM s MATCH [v = 1]"
    texts = spark.createDataFrame([], "ts bigint, v string")
    said = r"'v' is a string, but stream 's' declares INTEGER: every row .* cast it, declare it"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(texts, program.format("INTEGER"), time="ts")
    floats = spark.createDataFrame([], "ts bigint, v double")
    assert match(floats, program.format("INTEGER"), time="ts").count() == 0


def test_the_frame_of_each_stream_is_held_against_what_is_declared_of_it(
    spark: SparkSession,
) -> None:
    program = """STREAM s (ts TIMESTAMP, v INTEGER) TIME ts;
        STREAM t (ts TIMESTAMP, v STRING) TIME ts;
        SUBSCRIBE x FROM s MATCH [v = 1]; SUBSCRIBE y FROM t MATCH [v = 'a']"""
    texts = spark.createDataFrame([], "ts bigint, v string")
    said = r"the column 'v' is a string, but stream 's' declares INTEGER: every row"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match({"t": texts, "s": texts}, program, time="ts")


def test_a_column_of_another_stream_contradicts_no_declaration(spark: SparkSession) -> None:
    """Frames are put together, so that events of all streams have the columns of all."""
    program = """STREAM s (ts TIMESTAMP, v INTEGER) TIME ts;
        STREAM t (ts TIMESTAMP, v STRING) TIME ts;
        SUBSCRIBE x FROM s MATCH [v IS MISSING]; SUBSCRIBE y FROM t MATCH [v = 'a']"""
    frames = {
        "s": spark.createDataFrame([(1,)], "ts bigint"),
        "t": spark.createDataFrame([(2, "a")], "ts bigint, v string"),
    }
    assert sorted(row.subscription for row in match(frames, program, time="ts").collect()) == [
        "x",
        "y",
    ]
