"""`tocsin.spark.match` against `tocsin.match`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import tocsin
from tocsin.plan.partition import Strategy
from tocsin.spark import explain, match

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

PROGRAM = """
SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] WITHIN 20 s;
SUBSCRIBE next MATCH a:[v = 1] , b:[v = 4];
SUBSCRIBE first MATCH a:[v = 3] -> b:[k = 'y' AND v > a.v] EMIT a.v + b.v AS both, b.ip AS ip;
SUBSCRIBE quiet MATCH a:[v = 3] ; !b:[k = 'y'] FOR 5 s;
SUBSCRIBE alone MATCH a:[v >= 6];
SUBSCRIBE few MATCH a:[k = 'x'] ; b:[k = 'y'] PAIRS UNIQUE LIMIT 3
"""


def rows(count: int = 60) -> list[dict[str, Any]]:
    return [
        {"ts": i * 1000, "ip": f"10.0.0.{i % 5}", "k": "x" if i % 4 else "y", "v": i * i % 7}
        for i in range(count)
    ]


def frame(spark: SparkSession, given: list[dict[str, Any]]) -> DataFrame:
    shuffled = random.Random(7).sample(given, len(given))
    return spark.createDataFrame(
        [tuple(row.values()) for row in shuffled], "ts bigint, ip string, k string, v int"
    )


def in_order(found: pa.Table) -> list[str]:
    columns = [name for name in found.column_names if name != "id"]
    return sorted(map(repr, found.select(columns).to_pylist()))


@pytest.mark.parametrize("parts", [1, 2, 7])
@pytest.mark.parametrize(
    "strategies",
    [tuple(Strategy), (Strategy.BY_TIME,), (Strategy.BY_SHARD,), ()],
    ids=["best", "by time", "by shard", "single"],
)
def test_every_split_equals_the_embedded_engine(
    spark: SparkSession, parts: int, strategies: tuple[Strategy, ...]
) -> None:
    given = rows()
    wanted = tocsin.match(pa.Table.from_pylist(given), PROGRAM, time="ts").to_arrow()
    found = match(frame(spark, given), PROGRAM, time="ts", parts=parts, strategies=strategies)
    assert in_order(found.toArrow()) == in_order(wanted)
    assert wanted.num_rows > 30


def test_ids_do_not_depend_on_the_split(spark: SparkSession) -> None:
    events = frame(spark, rows())
    ids = [
        sorted(match(events, PROGRAM, time="ts", parts=parts).toArrow()["id"].to_pylist())
        for parts in (1, 3)
    ]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == len(ids[0])


def test_matches_that_look_the_same_have_ids_of_their_own(spark: SparkSession) -> None:
    program = """
    SUBSCRIBE either MATCH a:[k = 'x'] | a:[v > 2];
    SUBSCRIBE pair MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] EMIT $i AS ip INTO pairs;
    SUBSCRIBE reads FROM pairs MATCH p:[ip = $j]
    """
    found = [
        match(frame(spark, rows()), program, time="ts", parts=parts).toArrow() for parts in (1, 3)
    ]
    ids = [sorted(one["id"].to_pylist()) for one in found]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == len(ids[0])
    assert len(set(in_order(found[0]))) < len(ids[0])


@pytest.mark.parametrize("parts", [1, 3])
def test_events_of_equal_time_have_one_order_wherever_their_nulls_are(
    spark: SparkSession, parts: int
) -> None:
    given = [(0, a, b) for a in (None, "x", "y") for b in (None, "x", "y")]
    program = "SUBSCRIBE s MATCH p:[a IS MISSING] ; q:[b IS MISSING] EMIT p.b AS b, q.a AS a"
    found = [
        match(
            spark.createDataFrame(ordered, "ts bigint, a string, b string"),
            program, time="ts", parts=parts,
        ).toArrow().to_pylist()
        for ordered in (given, given[::-1])
    ]  # fmt: skip
    assert sorted(map(repr, found[0])) == sorted(map(repr, found[1]))
    assert found[0]


@pytest.mark.parametrize(
    ("options", "said"),
    [({"parts": 0}, "parts=0: it must be"), ({"simultaneous": "no"}, "'no' is unknown")],
)
def test_options_that_make_no_sense_are_told(
    spark: SparkSession, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(frame(spark, rows(3)), PROGRAM, time="ts", **options)


def test_several_streams_are_frames_by_name(spark: SparkSession) -> None:
    program = "SUBSCRIBE s FROM logins, doors MATCH a:[v = 1] , b:[v = 4]"
    given = rows()
    logins = [row for i, row in enumerate(given) if i % 3]
    doors = [row for i, row in enumerate(given) if i % 3 == 0]
    streams = {"logins": frame(spark, logins), "doors": frame(spark, doors)}
    found = match(streams, program, time="ts").toArrow()
    named = [{**row, "$stream": "logins" if i % 3 else "doors"} for i, row in enumerate(given)]
    wanted = tocsin.match(named, program, time="ts").to_arrow()
    assert in_order(found) == in_order(wanted)
    assert wanted.num_rows > 0


def test_no_events_and_no_subscriptions_give_nothing(spark: SparkSession) -> None:
    assert match(frame(spark, rows()).limit(0), PROGRAM, time="ts").count() == 0
    assert match(frame(spark, rows()), "", time="ts").count() == 0


def test_a_parameter_table_is_a_frame(spark: SparkSession) -> None:
    template = "SUBSCRIBE at_{n} MATCH a:[v = {n}]"
    table = spark.createDataFrame([(1,), (2,)], "n int")
    found = match(frame(spark, rows()), template, time="ts", table=table).toArrow()
    wanted = tocsin.match(rows(), template, time="ts", table=[{"n": 1}, {"n": 2}]).to_arrow()
    assert in_order(found) == in_order(wanted)


def test_a_plain_subscription_beside_a_template_is_there_once(spark: SparkSession) -> None:
    program = "SUBSCRIBE at_{n} MATCH a:[v = {n}]; SUBSCRIBE plain MATCH a:[v = 0]"
    table = [{"n": 1}, {"n": 2}]
    found = match(frame(spark, rows()), program, time="ts", table=table).toArrow()
    wanted = tocsin.match(rows(), program, time="ts", table=table).to_arrow()
    assert in_order(found) == in_order(wanted)
    assert "plain" in found["subscription"].to_pylist()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"time": "when"}, "has no column 'when', which time= names"),
        ({"time": "ip"}, "the column 'ip' is a string"),
        ({"time": "ts", "order": "n"}, "no column 'n', which order= names"),
    ],
)
def test_wrong_columns_are_told_before_anything_runs(
    spark: SparkSession, options: dict[str, str], said: str
) -> None:
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(frame(spark, rows(3)), PROGRAM, **options)  # type: ignore[arg-type]


def test_a_subscription_that_reads_a_missing_column_is_told(spark: SparkSession) -> None:
    with pytest.raises(tocsin.ConfigurationError, match="reads 'size' of stream 'default'"):
        match(frame(spark, rows(3)), "SUBSCRIBE s MATCH a:[size > 3]", time="ts")


def test_rows_without_time_are_no_events(spark: SparkSession) -> None:
    given = spark.createDataFrame([(None, 1), (5, 1)], "ts bigint, v int")
    found = match(given, "SUBSCRIBE s MATCH a:[v = 1]", time="ts").toArrow()
    assert found["position"].to_pylist() == [0]


def test_the_plan_is_explained() -> None:
    assert "group 1: by key default.ip (keyed)" in explain(PROGRAM)
