"""Lengths of time as keys: equal ones meet, whatever their types and wherever the work is split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tocsin
from tocsin.spark import match, match_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

PROGRAM = "SUBSCRIBE s FROM one, two MATCH p:one[d = $d] ; q:two[e = $d] WITHIN 60 s"
ALIKE = ("interval day to second", "interval day to second")
DIFFERENT = ("interval day", "interval hour to second")


def frames_of(numbers: dict[str, DataFrame], types: tuple[str, str]) -> dict[str, DataFrame]:
    """Nine events of each stream, with lengths of 0, 1 and 2 days."""
    days = "make_dt_interval(int(id % 3))"
    one, two = types
    return {
        "one": numbers["one"].selectExpr("id * 1000 AS ts", f"CAST({days} AS {one}) AS d"),
        "two": numbers["two"].selectExpr("id * 1000 + 20000 AS ts", f"CAST({days} AS {two}) AS e"),
    }


def wanted(spark: SparkSession, types: tuple[str, str]) -> int:
    numbers = spark.range(1, 10)
    frames = frames_of({"one": numbers, "two": numbers}, types)
    rows = [
        {**row.asDict(), "$stream": name} for name, frame in frames.items()
        for row in frame.collect()
    ]  # fmt: skip
    found = len(tocsin.match(rows, PROGRAM, time="ts"))
    assert found == 27
    return found


@pytest.mark.parametrize("types", [ALIKE, DIFFERENT])
def test_equal_lengths_of_time_meet_in_a_batch(spark: SparkSession, types: tuple[str, str]) -> None:
    numbers = spark.range(1, 10)
    found = match(frames_of({"one": numbers, "two": numbers}, types), PROGRAM, time="ts", parts=4)
    assert found.count() == wanted(spark, types)


@pytest.mark.parametrize("types", [ALIKE, pytest.param(DIFFERENT, marks=pytest.mark.slow)])
def test_equal_lengths_of_time_meet_in_a_stream(
    spark: SparkSession, tmp_path: Path, types: tuple[str, str]
) -> None:
    numbers = {}
    for name in ("one", "two"):
        folder = str(tmp_path / name)
        spark.range(1, 10).coalesce(1).write.parquet(folder)
        last = 100  # moves the watermark
        spark.range(last, last + 1).coalesce(1).write.mode("append").parquet(folder)
        numbers[name] = spark.readStream.schema("id bigint").parquet(folder)
    found = match_stream(frames_of(numbers, types), PROGRAM, time="ts", delay="0 s", buckets=8)
    query = (
        found.writeStream.format("memory").queryName("intervals")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True).start()
    )  # fmt: skip
    query.awaitTermination()
    assert spark.table("intervals").count() == wanted(spark, types)
