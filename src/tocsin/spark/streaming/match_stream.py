"""`match_stream`: subscriptions over a live stream."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Final, Literal, cast

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupStateTimeout
from pyspark.sql.types import IntegerType, LongType

from tocsin.errors import ConfigurationError
from tocsin.language.live import LiveProgram
from tocsin.language.load import Subscriptions
from tocsin.language.tree import Program
from tocsin.model.durations import parse_duration
from tocsin.model.times import parse_time
from tocsin.plan.partition import explain_partitions
from tocsin.spark.frames import check_options
from tocsin.spark.intake import Frames, quoted
from tocsin.spark.job import program_of
from tocsin.spark.kinds import is_carried
from tocsin.spark.placing import TIME
from tocsin.spark.reading import check_readable
from tocsin.spark.schema import END, STREAM, notification_schema
from tocsin.spark.streaming.columns import (
    BUCKET,
    BUCKETS,
    CHANGES,
    EVENTS,
    PACKED,
    TOLD,
    WATCHED,
)
from tocsin.spark.streaming.counts import with_counts
from tocsin.spark.streaming.frames import placed, watched
from tocsin.spark.streaming.packing import packer, unpack
from tocsin.spark.streaming.processor import STATE, processor
from tocsin.spark.streaming.routes import plan_stream, routes_of
from tocsin.spark.streaming.subscription_tables import Tables, changes_of, is_folder, is_table
from tocsin.spark.streaming.task import Home, StreamTask

_WATERMARK: Final = "spark.watermarkDelayMs"
"""By this Spark knows a column that is under a watermark."""


def match_stream(  # noqa: PLR0913 - every option is a keyword of its own
    events: Frames,
    subscriptions: Subscriptions | Tables,
    *,
    time: str,
    delay: str,
    end: str | None = None,
    order: str | None = None,
    row: str | None = None,
    streams: str | None = None,
    stream: str | None = None,
    start: object = None,
    simultaneous: Literal["ordered", "unordered"] = "ordered",
    table: object = None,
    buckets: int = 32,
    shards: int = 4,
    versions: str | None = None,
    observed: str | None = None,
) -> DataFrame:
    """Return the notifications of subscriptions over a stream, as a stream.

    They are those that one engine gives for the same events in the order of their time. Columns
    are those of `match`. Events that come too late are told of by rows of the kind `late`. A query
    that goes on from a checkpoint needs the program and the options it began with.

    Parameters
    ----------
    events
        A streaming frame, or one for each stream, without a watermark of their own.
    subscriptions
        A program as text, a path to one, a tree, or what the builder makes. Or a table with the
        columns `name` and `text`, which is read again at every micro-batch: a folder of Parquet or
        JSON files as a `Path`, the name of a table, a frame, or a function that gives a frame.
    time, end
        The columns with the time of an event, and with its end where events last.
    delay
        How much later than a later event an event may still come, as `"10 min"`.
    order
        A column that orders events of equal time. Without, what they hold decides.
    row
        A column of whole numbers that name rows, as offsets do. Without, rows are named by a hash
        of what they hold.
    streams
        The column that names the stream of a row; without, all are of one stream.
    stream
        The stream of rows that name none.
    start
        When the stream began, for patterns that ask for it. Without, with its first event.
    simultaneous
        `"unordered"`: events with equal end times never follow one another.
    table
        The parameter table of a program that is a template: a frame, an Arrow table or rows.
    buckets
        Into how many buckets keys are hashed.
    shards
        Into how many buckets subscriptions are dealt that cannot be split by key; each reads the
        whole stream.
    versions
        For a table of subscriptions: the folder where its versions are written down.
    observed
        A name for counts in Spark's progress of each micro-batch, which `counts_of` reads:
        `notifications`, `late` events, `refused` rows, and `dead_letters`, rows that are no events.

    Raises
    ------
    ConfigurationError
        A column is missing or has the wrong type, or the frame is no stream.
    LanguageError
        A subscription is wrong.
    """
    check_options(simultaneous, buckets=buckets, shards=shards)
    delay_us = parse_duration(delay)
    timed = watched(events, time, end, order, row, streams, delay_us, observed)
    frame, places = placed(timed)
    given = replace(timed, frame=timed.frame.drop(TIME))
    task = StreamTask(
        name=uuid.uuid4().hex,
        homes=(),
        time=time,
        stream=stream,
        simultaneous=simultaneous,
        start_us=None if start is None else int(parse_time(start)),
        is_whole_ms=isinstance(given.frame.schema[time].dataType, LongType | IntegerType),
        ordered_by=order,
        named_by=row,
    )
    own = [name for name in (time, END, STREAM) if name in given.frame.columns]
    is_changing = is_folder(subscriptions) or is_table(subscriptions)
    _check_used(is_changing=is_changing, table=table, versions=versions)
    if is_changing:
        changes = changes_of(frame.sparkSession, subscriptions, versions, shards)
        carried = [one.name for one in given.frame.schema.fields if is_carried(one.dataType)]
        home = Home(Program(()), 0, shards, tuple(dict.fromkeys([*own, *carried])))
        changing = _run_changing(frame, changes, replace(task, homes=(home,)), places)
        return with_counts(changing, observed)
    program = program_of(cast("Subscriptions", subscriptions), table)
    plan = plan_stream(
        program,
        stream=stream,
        unordered=simultaneous == "unordered",
        knows_start=start is not None,
    )
    default = LiveProgram(program, default_stream=stream).default_stream
    check_readable(program, plan, given, default)
    routes = routes_of(
        plan, program, columns=own, known=given.frame.columns, buckets=buckets, shards=shards,
        knows_start=start is not None, stream=default,
    )  # fmt: skip
    task = replace(task, homes=tuple(home for route in routes for home in route.homes))
    found = [bucket for route in routes for bucket in route.buckets(frame)]
    return with_counts(_run(_routed(frame, found, task, places), None, task, places), observed)


def _run_changing(
    frame: DataFrame, changes: DataFrame, task: StreamTask, places: tuple[str, ...]
) -> DataFrame:
    """Let every bucket read the whole stream, and the changes of its share of subscriptions."""
    (home,) = task.homes
    buckets = [F.lit(number) for number in range(home.size)]
    task = replace(task, is_changing=True)
    return _run(_routed(frame, buckets, task, places), changes, task, places)


def _check_used(*, is_changing: bool, table: object, versions: str | None) -> None:
    """Refuse options that would change nothing."""
    if is_changing and table is not None:
        msg = "table= fills in a program, and this is a table of subscriptions; leave it out"
        raise ConfigurationError(msg)
    if not is_changing and versions is not None:
        msg = "versions= is for a table of subscriptions, and this is a program; leave it out"
        raise ConfigurationError(msg)


def explain_stream(
    subscriptions: Subscriptions,
    *,
    stream: str | None = None,
    start: object = None,
    simultaneous: Literal["ordered", "unordered"] = "ordered",
    table: object = None,
) -> str:
    """Return in words how `match_stream` would split the work, and why that is exact."""
    return explain_partitions(
        plan_stream(
            program_of(subscriptions, table),
            stream=stream,
            unordered=simultaneous == "unordered",
            knows_start=start is not None,
        )
    )


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
    events: DataFrame, changes: DataFrame | None, task: StreamTask, places: tuple[str, ...]
) -> DataFrame:
    # mapInArrow does not find columns with dots in their names.
    plain = events.toDF(*[f"c{number}" for number in range(len(events.columns))])
    packed = plain.mapInArrow(packer(task, places, tuple(events.columns)), PACKED)
    packed = packed.withColumn(CHANGES, F.lit(None).cast("binary"))
    if changes is not None:
        packed = packed.unionByName(changes, allowMissingColumns=True)
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
