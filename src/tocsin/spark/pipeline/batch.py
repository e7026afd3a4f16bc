"""A pipeline over history: read, match, write, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType

from tocsin.model.times import SEEM_SECONDS, seem_seconds
from tocsin.plan.partition import PREFERENCE
from tocsin.spark.intake import Frames, events_of, quoted
from tocsin.spark.job import job_of
from tocsin.spark.match import dead_letters, notifications_of
from tocsin.spark.pipeline.column_check import check_source_columns
from tocsin.spark.pipeline.frames import read_frame, write_frame
from tocsin.spark.pipeline.halt import Halt
from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.settings import DEAD_LETTERS, NOTIFICATIONS, REFUSED, Pipeline


def run_batch(
    spark: SparkSession, pipeline: Pipeline, log: RunLog, *, halt: Halt, say: Callable[[str], None]
) -> dict[str, int]:
    """Run a pipeline once and return how many events, notifications and dead letters there were.

    Notifications are counted while they are written. Rows that the engine refuses are told by all
    parts that read them: where there are any, the work is done again to count each once.

    Parameters
    ----------
    halt
        Is looked at between the steps.
    say
        Is told what looks wrong on the way.

    Raises
    ------
    HaltedError
        Somebody asked to stop before the notifications were written.
    """
    frames = source_frames(spark, pipeline, is_stream=False)
    watched = Observation("tocsin")
    found = _notifications(spark, pipeline, frames, watched)
    halt.look()
    counts = {"events": _count_rows(frames, pipeline.columns.time, say)}
    log.write("read", rows=counts["events"])
    halt.look()
    counts[DEAD_LETTERS] = _write_dead_letters(pipeline, bad_rows(pipeline, frames))
    counts["events"] -= counts[DEAD_LETTERS]
    halt.look()
    write_frame(found, pipeline.sinks[NOTIFICATIONS])
    counts[NOTIFICATIONS] = int(watched.get[NOTIFICATIONS])
    counts[REFUSED] = _count_refused(spark, pipeline, frames) if watched.get[REFUSED] else 0
    return counts


def _count_rows(
    frames: Frames, time: str, say: Callable[[str], None], what: str = "the events"
) -> int:
    """Return how many rows there are, and tell of times that look like seconds.

    For that, whole numbers as times are read once more; otherwise rows are only counted.
    """
    if not isinstance(frames, DataFrame):
        each = frames.items()
        return sum(_count_rows(one, time, say, f"stream '{name}'") for name, one in each)
    if not isinstance(frames.schema[time].dataType, LongType | IntegerType):
        return frames.count()
    times = F.col(quoted(time))
    ((rows, least, most),) = frames.agg(F.count(F.lit(1)), F.min(times), F.max(times)).collect()
    if least is not None and seem_seconds(least, most):
        say(f"the times of {what} {SEEM_SECONDS}")
    return int(rows)


def _notifications(
    spark: SparkSession, pipeline: Pipeline, frames: Frames, watched: Observation
) -> DataFrame:
    """Return the notifications; while they are written they are counted, and what is refused.

    It is `match`, but for the pass in which that looks for rows that are no events, to count them.
    """
    columns = pipeline.columns
    events = events_of(
        frames,
        time=columns.time,
        end=columns.end,
        order=columns.order,
        streams=columns.streams,
        row=columns.row,
    )
    job = job_of(
        events,
        pipeline.program,
        stream=columns.stream,
        simultaneous=columns.simultaneous,
        table=parameter_frame(spark, pipeline),
        parts=pipeline.parts,
        strategies=PREFERENCE,
        reader=pipeline.reader,
    )
    return notifications_of(job.run(), watched)


def _count_refused(spark: SparkSession, pipeline: Pipeline, frames: Frames) -> int:
    """Return how many rows the engine refuses, apart from those that are no events."""
    table = parameter_frame(spark, pipeline)
    own = dead_letters(
        frames, pipeline.program, **_of_rows(pipeline), table=table, parts=pipeline.parts
    )
    every, bad = (one.where("row IS NOT NULL") for one in (own, bad_rows(pipeline, frames)))
    return every.select("row").distinct().count() - bad.select("row").distinct().count()


def source_frames(spark: SparkSession, pipeline: Pipeline, *, is_stream: bool) -> Frames:
    """Return the frames of a pipeline, by stream; one, where a column names the streams.

    Raises
    ------
    ConfigurationError
        Spark cannot read a source, or it lacks a column or has another type there; the message
        names its key.
    """
    frames = {
        name: read_frame(spark, source, f"{pipeline.file}: sources.{name}", is_stream=is_stream)
        for name, source in pipeline.sources.items()
    }
    check_source_columns(pipeline, {name: frame.schema for name, frame in frames.items()})
    if pipeline.columns.streams is not None:
        return next(iter(frames.values()))
    return frames


def parameter_frame(spark: SparkSession, pipeline: Pipeline) -> DataFrame | None:
    """Return the parameter table, where there is one."""
    if pipeline.table is None:
        return None
    key = f"{pipeline.file}: subscriptions.table"
    return read_frame(spark, pipeline.table, key, is_stream=False)


def watched_frame(spark: SparkSession, pipeline: Pipeline) -> DataFrame:
    """Return the table of subscriptions that is watched, as it is now."""
    assert pipeline.watched is not None
    key = f"{pipeline.file}: subscriptions.watched"
    return read_frame(spark, pipeline.watched, key, is_stream=False)


def bad_rows(pipeline: Pipeline, frames: Frames) -> DataFrame:
    """Return the rows that are no events, each with its reason."""
    return dead_letters(frames, **_of_rows(pipeline))


def _of_rows(pipeline: Pipeline) -> dict[str, Any]:
    """Return the options that say something about rows."""
    options = pipeline.columns.options()
    del options["simultaneous"]
    return options


def _write_dead_letters(pipeline: Pipeline, letters: DataFrame) -> int:
    """Write dead letters, where somebody wants them; return how many there are."""
    sink = pipeline.sinks.get(DEAD_LETTERS)
    if sink is None:
        return letters.count()
    watched = Observation("tocsin dead letters")
    write_frame(letters.observe(watched, F.count(F.lit(1)).alias("count")), sink)
    return int(watched.get["count"])
