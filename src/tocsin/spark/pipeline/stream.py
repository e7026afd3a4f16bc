"""A pipeline over a live stream: micro-batches, a checkpoint, and a log of their progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.utils import is_remote

from tocsin.spark.intake import Frames
from tocsin.spark.pipeline.batch import bad_rows, parameter_frame, source_frames, watched_frame
from tocsin.spark.pipeline.checkpoint import check_checkpoint
from tocsin.spark.pipeline.frames import flat, write_frame
from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.progress import OBSERVED, ProgressLog
from tocsin.spark.pipeline.queries import Queries
from tocsin.spark.pipeline.settings import (
    AVAILABLE_NOW,
    DEAD_LETTERS,
    LATE,
    NOTIFICATIONS,
    Pipeline,
    Sink,
    Streaming,
)
from tocsin.spark.pipeline.standing import Standing
from tocsin.spark.streaming import match_stream
from tocsin.spark.streaming.counts import IS_TOLD
from tocsin.spark.streaming.task import zero_ms


def run_stream(
    spark: SparkSession,
    pipeline: Pipeline,
    log: RunLog,
    queries: Queries,
    watch: Callable[[Standing], None] | None = None,
) -> dict[str, int]:
    """Run a pipeline until its stream ends or somebody stops it; return its counts.

    Rows that are no events are read by a query of their own, with its own checkpoint.

    Parameters
    ----------
    queries
        Gets those that are started, for whoever wants to stop them.
    watch
        Called after each micro-batch.

    Raises
    ------
    HaltedError
        Somebody asked to stop before the query of the notifications was started.
    """
    streaming = pipeline.streaming
    assert streaming is not None
    frames = source_frames(spark, pipeline, is_stream=True)
    check_checkpoint(pipeline)
    found = _matched(spark, pipeline, frames)
    name = f"tocsin {pipeline.file.stem}"
    start_us = None if streaming.start is None else int(streaming.start)
    listener = ProgressLog(log, name, zero_ms=zero_ms(start_us), watch=watch)
    _flush_connect(spark)
    spark.streams.addListener(listener)
    try:
        letters = _start_letters(pipeline, frames, streaming, queries)
        queries.add(partial(_start, found, pipeline, streaming, name)).awaitTermination()
        if letters is not None and streaming.trigger == AVAILABLE_NOW:
            letters.awaitTermination()
        listener.wait()
    finally:
        queries.stop()
        spark.streams.removeListener(listener)
    return listener.counts()


def _flush_connect(spark: SparkSession) -> None:
    """Let a session of Connect send what Python sources have counted on the server.

    It sends that with the end of the next command. If that is the one that adds a listener, the
    client takes it for an event that it does not know, and hears no more of them: the log of the
    pipeline would tell of no micro-batch, see `tests/spark/test_connect.py`.
    """
    if is_remote():
        spark.range(0).collect()


def _matched(spark: SparkSession, pipeline: Pipeline, frames: Frames) -> DataFrame:
    assert pipeline.streaming is not None
    return match_stream(
        frames,
        pipeline.program if pipeline.watched is None else partial(watched_frame, spark, pipeline),
        **pipeline.columns.options(),
        **pipeline.streaming.options(),
        table=parameter_frame(spark, pipeline),
        checkpoint=pipeline.streaming.checkpoint,
        observed=OBSERVED,
    )


def _start(found: DataFrame, pipeline: Pipeline, streaming: Streaming, name: str) -> StreamingQuery:
    """Start the query of the notifications; sinks of files get each micro-batch exactly once."""
    sink, late = pipeline.sinks[NOTIFICATIONS], pipeline.sinks.get(LATE)
    if late is None:
        return _started(found.filter(IS_TOLD), sink, streaming, streaming.checkpoint, name)
    writer = found.writeStream.foreachBatch(LateApart(sink, late))
    return _triggered(writer, streaming, streaming.checkpoint, name).start()


def _start_letters(
    pipeline: Pipeline, frames: Frames, streaming: Streaming, queries: Queries
) -> StreamingQuery | None:
    sink = pipeline.sinks.get(DEAD_LETTERS)
    if sink is None:
        return None
    checkpoint = f"{streaming.checkpoint}/{DEAD_LETTERS}"
    rows = bad_rows(pipeline, frames)
    return queries.add(partial(_started, rows, sink, streaming, checkpoint, None))


def _started(
    frame: DataFrame, sink: Sink, streaming: Streaming, checkpoint: str, name: str | None
) -> StreamingQuery:
    writer = flat(frame, sink).writeStream.options(**sink.options)
    writer = writer.partitionBy(*sink.partition_by)
    writer = writer.format(sink.format) if sink.format is not None else writer
    writer = _triggered(writer, streaming, checkpoint, name)
    if sink.table is not None:
        return writer.toTable(sink.table)
    return writer.start() if sink.path is None else writer.start(sink.path)


def _triggered(
    writer: DataStreamWriter, streaming: Streaming, checkpoint: str, name: str | None
) -> DataStreamWriter:
    writer = writer.outputMode("append").option("checkpointLocation", checkpoint)
    writer = writer if name is None else writer.queryName(name)
    if streaming.trigger == AVAILABLE_NOW:
        return writer.trigger(availableNow=True)
    return writer.trigger(processingTime=streaming.trigger)


class LateApart:
    """Writes the notifications of a micro-batch, and what tells of late events, apart.

    Files of a batch replace those of an earlier attempt at it, so that a restart writes nothing
    twice. A table gets them again.
    """

    def __init__(self, sink: Sink, late: Sink) -> None:
        self.sinks = ((sink, IS_TOLD), (late, f"NOT ({IS_TOLD})"))

    def __call__(self, found: DataFrame, batch: int) -> None:
        """Write a micro-batch."""
        kept = found.persist()
        try:
            for sink, wanted in self.sinks:
                _write_batch(kept.filter(wanted), sink, batch)
        finally:
            kept.unpersist()


def _write_batch(frame: DataFrame, sink: Sink, batch: int) -> None:
    """Write a micro-batch; into a directory of its own, where the sink is one."""
    if sink.path is None:
        write_frame(frame, sink, mode="append")
    else:
        own = replace(sink, path=f"{sink.path}/batch={batch}", mode="overwrite")
        write_frame(frame, own)
