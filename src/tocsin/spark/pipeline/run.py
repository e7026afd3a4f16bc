"""`run_pipeline`: a pipeline that was checked, run on Spark."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

from tocsin.model.counting import counted
from tocsin.spark.pipeline.batch import run_batch
from tocsin.spark.pipeline.formats import check_formats
from tocsin.spark.pipeline.frames import first_line
from tocsin.spark.pipeline.interrupt import Interruptible
from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.process import this_process
from tocsin.spark.pipeline.read import read_pipeline
from tocsin.spark.pipeline.sessions import place_of, started
from tocsin.spark.pipeline.settings import (
    AVAILABLE_NOW,
    BAD_PROGRAMS,
    DEAD_LETTERS,
    LATE,
    NOTIFICATIONS,
    REFUSED,
    Pipeline,
)
from tocsin.spark.pipeline.standing import Standing, shown_counts, shown_seconds
from tocsin.spark.pipeline.stream import run_stream, stop_stream


def run_pipeline(
    pipeline: Pipeline | str | Path,
    *,
    spark: SparkSession | None = None,
    tell: Callable[[str], None] | None = None,
    watch: Callable[[Standing], None] | None = None,
) -> dict[str, int]:
    """Run a pipeline to its end and return its counts.

    Parameters
    ----------
    pipeline
        As `read_pipeline` gives it, or the path of its file.
    spark
        The session to use; without, one on this machine is started, unless the settings name a
        master.
    tell
        Called with a sentence at each step.
    watch
        Called with how far a stream is, after each of its micro-batches.

    Raises
    ------
    ConfigurationError
        The file is wrong, or a source cannot be read or lacks a column.
    KeyboardInterrupt
        Somebody pressed Ctrl-C; the work on Spark has been stopped, and the log says so.
    """
    checked = pipeline if isinstance(pipeline, Pipeline) else read_pipeline(pipeline)
    run = _Run(checked, RunLog(checked.log), tell or _say_nothing, watch, spark)
    work = Interruptible(run.work, run.stop)
    try:
        counts = work.run()
    except KeyboardInterrupt:
        run.stopped(work.result)
        raise
    for sentence in left_out(checked, counts):
        run.say(sentence)
    return counts


@dataclass(slots=True)
class _Run:
    """One run of a pipeline.

    Attributes
    ----------
    session
        Where it runs; None until Spark has started.
    begun
        When that was; None before.
    """

    pipeline: Pipeline
    log: RunLog
    say: Callable[[str], None]
    watch: Callable[[Standing], None] | None
    session: SparkSession | None
    is_own: bool = field(init=False)
    tag: str = field(default_factory=lambda: f"tocsin-{uuid.uuid4()}")
    begun: float | None = None
    is_interrupted: bool = False

    def __post_init__(self) -> None:
        self.is_own = self.session is None

    def work(self) -> dict[str, int]:
        """Start Spark, run the pipeline, and log how that ended."""
        if self.session is None:
            self.say(f"starting Spark {place_of(self.pipeline)} ...")
            self.session = started(self.pipeline)
        self.begun = time.monotonic()
        pipeline = self.pipeline
        self.log.write("start", mode=pipeline.mode, file=str(pipeline.file), **this_process())
        for sentence in beginning(pipeline):
            self.say(sentence)
        try:
            check_formats(self.session, pipeline)
            counts = self._matched(self.session)
        except Exception as error:
            if not self.is_interrupted:
                self.log.write("failed", error=first_line(error))
            raise
        if not self.is_interrupted:
            self.log.write("end", seconds=self._seconds(), **counts)
        return counts

    def _matched(self, spark: SparkSession) -> dict[str, int]:
        if self.pipeline.mode == "stream":
            return run_stream(spark, self.pipeline, self.log, self.watch)
        spark.sparkContext.addJobTag(self.tag)
        try:
            return run_batch(spark, self.pipeline, self.log)
        finally:
            spark.sparkContext.removeJobTag(self.tag)

    def stop(self) -> bool:
        """Stop what runs on Spark; say whether there is anything to wait for."""
        if self.session is None:
            return False
        if self.is_own and not self.is_interrupted:
            self.session.sparkContext.setLogLevel("OFF")  # what is cut short is no error
        self.is_interrupted = True
        if self.pipeline.mode == "stream":
            stop_stream(self.session, self.pipeline)
        else:
            self.session.sparkContext.cancelJobsWithTag(self.tag)
        return True

    def stopped(self, counts: Mapping[str, int] | None) -> None:
        """Log and say that somebody stopped it."""
        if self.begun is None:
            self.say("stopped while Spark was starting; nothing was read")
            return
        seconds = self._seconds()
        is_whole = self.pipeline.mode == "batch" and counts is not None
        what = "ended" if is_whole else "stopped"
        self.log.write("end" if is_whole else what, seconds=seconds, **(counts or {}))
        some = {name: count for name, count in (counts or {}).items() if count}
        done = f": {shown_counts(some)}" if some else ""
        self.say(f"{what} after {shown_seconds(seconds)}{done}; {self._what_now(is_whole)}")

    def _what_now(self, is_whole: bool) -> str:
        if is_whole:
            return "it was done before it could be stopped"
        if self.pipeline.mode == "stream":
            return "the next run goes on from there"
        return "what it has written may not be whole"

    def _seconds(self) -> float:
        return round(time.monotonic() - (self.begun or 0.0), 3)


def beginning(pipeline: Pipeline) -> Iterator[str]:
    """Yield what to say when a run begins: what runs, where its output goes, how to stop it."""
    yield f"matching {_subscriptions(pipeline)}, mode {pipeline.mode}"
    sink = pipeline.sinks[NOTIFICATIONS]
    place = sink.path or sink.table or sink.format
    yield f"notifications go to {place}, progress to {pipeline.log}"
    if pipeline.streaming is None:
        return
    if pipeline.streaming.trigger == AVAILABLE_NOW:
        yield "it ends when what is there has been read; Ctrl-C stops it before"
    else:
        fix = "Ctrl-C stops it, and the next run goes on from there"
        yield f"a micro-batch every {pipeline.streaming.trigger}; {fix}"


def left_out(pipeline: Pipeline, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield what to say of rows that came out and that no sink got."""
    if LATE not in pipeline.sinks:
        if counts.get(LATE):
            yield f"late events: {counts[LATE]:,}, left out; [sinks.late] would tell of them"
        if counts.get(REFUSED):
            told = "[sinks.late]" if pipeline.mode == "stream" else "tocsin.spark.dead_letters"
            yield f"rows that the engine refused: {counts[REFUSED]:,}; {told} would tell of them"
        if counts.get(BAD_PROGRAMS):
            texts = f"subscriptions whose text is wrong: {counts[BAD_PROGRAMS]:,}, left out"
            yield f"{texts}; [sinks.late] would tell of them"
    if counts[DEAD_LETTERS] and DEAD_LETTERS not in pipeline.sinks:
        letters = f"rows that are no events: {counts[DEAD_LETTERS]:,}, left out"
        yield f"{letters}; [sinks.dead_letters] would keep them"


def _subscriptions(pipeline: Pipeline) -> str:
    if pipeline.watched is not None:
        return "a table of subscriptions that may change"
    return counted(len(pipeline.program.subscriptions), "subscription")


def _say_nothing(text: str) -> None:
    """Keep a sentence to oneself."""
