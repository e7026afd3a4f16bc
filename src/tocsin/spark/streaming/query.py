"""Events on their way through Spark: into buckets, through their engines, and out as rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupStateTimeout

from tocsin.spark.intake import quoted
from tocsin.spark.placing import TIME
from tocsin.spark.schema import notification_schema
from tocsin.spark.streaming.columns import (
    BUCKET,
    BUCKETS,
    CHANGES,
    EVENTS,
    PACKED,
    TOLD,
    WATCHED,
)
from tocsin.spark.streaming.packing import packer, unpack
from tocsin.spark.streaming.processor import STATE, processor
from tocsin.spark.streaming.task import StreamTask

_WATERMARK: Final = "spark.watermarkDelayMs"
"""By this Spark knows a column that is under a watermark."""


def run_fixed(
    frame: DataFrame,
    buckets: list[Column],
    starts: DataFrame | None,
    task: StreamTask,
    places: tuple[str, ...],
) -> DataFrame:
    """Run a program that stays as it is; `buckets` are those that an event goes to."""
    return _run(_routed(frame, buckets, task, places), starts, task, places)


def run_changing(
    frame: DataFrame, changes: DataFrame, task: StreamTask, places: tuple[str, ...]
) -> DataFrame:
    """Let every bucket read the whole stream, and the changes of its share of subscriptions."""
    (home,) = task.homes
    buckets = [F.lit(number) for number in range(home.size)]
    task = replace(task, is_changing=True)
    return _run(_routed(frame, buckets, task, places), changes, task, places)


def _routed(
    frame: DataFrame, buckets: list[Column], task: StreamTask, places: tuple[str, ...]
) -> DataFrame:
    """Return the events that go to a bucket, with what their engines read."""
    carried = dict.fromkeys([*places, *(name for home in task.homes for name in home.columns)])
    found = F.array_compact(F.array(*buckets)).alias(BUCKETS)
    routed = frame.select(found, *[F.col(quoted(name)) for name in carried])
    none = F.col(quoted(TIME)) * 0  # reads the time, so that the filter stays above the watermark
    return routed.filter(F.size(quoted(BUCKETS)) > none)


def _run(
    events: DataFrame, beside: DataFrame | None, task: StreamTask, places: tuple[str, ...]
) -> DataFrame:
    """Run events, and what stands beside them: changes of subscriptions, or mere starts."""
    # mapInArrow does not find columns with dots in their names.
    plain = events.toDF(*[f"c{number}" for number in range(len(events.columns))])
    packed = plain.mapInArrow(packer(task, places, tuple(events.columns)), PACKED)
    packed = packed.withColumn(CHANGES, F.lit(None).cast("binary"))
    if beside is not None:
        packed = packed.unionByName(beside, allowMissingColumns=True)
    # Spark has timeouts only where rows carry a time under a watermark, and drops those that are
    # late by it. The real one stands at the events; what is packed has no time, and is never late.
    untimed = F.lit(None).cast("timestamp").alias(WATCHED, metadata={_WATERMARK: 0})
    return (
        packed.select(BUCKET, EVENTS, CHANGES, untimed)
        .groupBy(BUCKET)
        .applyInPandasWithState(
            processor(task), f"{TOLD} binary", STATE, "append", GroupStateTimeout.EventTimeTimeout
        )
        .mapInArrow(unpack, notification_schema())
    )
