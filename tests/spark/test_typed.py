"""`typed=True`: variables and EMIT fields of one subscription with types of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.spark.comparing import frame_of

import tocsin
from tocsin.spark import match

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PROGRAM = """
SUBSCRIBE s MATCH a:[ip = $x] ; b:[ip = $x AND v > a.v]
EMIT $x AS ip, a.v + b.v AS both, a.f AS f, t(a) AS first, t(b) - t(a) AS took, b.ok AS ok
"""
ROWS = [
    {"ts": 1500, "ip": 'a"b', "v": 1, "f": None, "ok": None},
    {"ts": 2250, "ip": 'a"b', "v": 2, "f": 0.5, "ok": True},
]


@pytest.mark.parametrize("time", ["bigint", "timestamp"])
def test_every_field_has_its_type(spark: SparkSession, time: str) -> None:
    events = frame_of(spark, ROWS, "ts bigint, ip string, v int, f double, ok boolean")
    if time == "timestamp":
        events = events.withColumn("ts", events.ts.cast("decimal(20,3)") / 1000)
        events = events.withColumn("ts", events.ts.cast("timestamp"))
    found = match(events, PROGRAM, time="ts", typed=True)
    assert found.select("emit").schema["emit"].dataType.simpleString() == (
        "struct<ip:string,both:bigint,f:double,first:timestamp,"
        "took:interval day to second,ok:boolean>"
    )
    (row,) = found.select("variables.x", "emit.*", "events").collect()
    assert (row.x, row.ip, row.both, row.f, row.ok) == ('a"b', 'a"b', 3, None, True)
    assert row.took == timedelta(milliseconds=750)
    assert row.first.astimezone(UTC) == datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC)


def test_several_subscriptions_are_refused(spark: SparkSession) -> None:
    events = spark.createDataFrame([], "ts bigint, v int")
    with pytest.raises(tocsin.ConfigurationError, match="needs one subscription, but here are 2"):
        match(events, "SUBSCRIBE a MATCH [v = 1]; SUBSCRIBE b MATCH [v = 2]", time="ts", typed=True)
