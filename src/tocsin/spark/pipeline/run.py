"""`run_pipeline`: a pipeline that was checked, run on Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from tocsin.spark.pipeline.alone import check_alone
from tocsin.spark.pipeline.interrupt import Interruptible
from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.read import read_pipeline
from tocsin.spark.pipeline.running import Run
from tocsin.spark.pipeline.sentences import left_out
from tocsin.spark.pipeline.sessions import existing
from tocsin.spark.pipeline.settings import Pipeline
from tocsin.spark.pipeline.standing import Standing


def run_pipeline(
    pipeline: Pipeline | str | Path,
    *,
    spark: SparkSession | None = None,
    tell: Callable[[str], None] | None = None,
    watch: Callable[[Standing], None] | None = None,
) -> dict[str, int]:
    """Run a pipeline to its end and return its counts.

    So that Ctrl-C can stop it, the work is done in a thread of its own when this is called from the
    main thread. It has the properties that the caller's thread has in Spark, such as its pool.

    Parameters
    ----------
    pipeline
        As `read_pipeline` gives it, or the path of its file.
    spark
        The session to use; without, one on this machine is started, unless the settings name a
        master.
    tell
        Called with a sentence at each step, mostly from that other thread.
    watch
        Called with how far a stream is, after each of its micro-batches, from another thread.

    Raises
    ------
    ConfigurationError
        The file is wrong, a source cannot be read or lacks a column, or another process runs this
        pipeline.
    KeyboardInterrupt
        Somebody pressed Ctrl-C. The work on Spark has been stopped, and the log says so. Where that
        takes too long, or Ctrl-C was pressed again, it may still go on.
    """
    checked = pipeline if isinstance(pipeline, Pipeline) else read_pipeline(pipeline)
    check_alone(checked)
    run = Run(checked, RunLog(checked.log), tell or _say_nothing, watch, spark)
    there = existing()
    work = Interruptible(run.work, run.stop, session=None if there is None else spark or there)
    try:
        counts = work.run()
    except KeyboardInterrupt:
        run.stopped(work.result, has_ended=work.ended.is_set(), trouble=work.trouble)
        raise
    for sentence in left_out(checked, counts):
        run.say(sentence)
    return counts


def _say_nothing(text: str) -> None:
    """Keep a sentence to oneself."""
