"""`run_pipeline`: a pipeline that was checked, run on Spark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from tocsin.spark.pipeline.batch import run_batch
from tocsin.spark.pipeline.frames import first_line
from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.read import read_pipeline
from tocsin.spark.pipeline.settings import BAD_PROGRAMS, DEAD_LETTERS, LATE, REFUSED, Pipeline
from tocsin.spark.pipeline.stream import run_stream
from tocsin.spark.session import local_session

_MASTER = "spark.master"


def run_pipeline(
    pipeline: Pipeline | str | Path,
    *,
    spark: SparkSession | None = None,
    tell: Callable[[str], None] | None = None,
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

    Raises
    ------
    ConfigurationError
        The file is wrong, or a source cannot be read or lacks a column.
    """
    checked = pipeline if isinstance(pipeline, Pipeline) else read_pipeline(pipeline)
    say = tell or _say_nothing
    log = RunLog(checked.log)
    if spark is None:
        say(f"starting Spark {_where(checked)} ...")
        spark = session_of(checked)
    begun = time.monotonic()
    log.write("start", mode=checked.mode, file=str(checked.file))
    say(f"matching {_subscriptions(checked)}, mode {checked.mode}")
    try:
        run = run_batch if checked.mode == "batch" else run_stream
        counts = run(spark, checked, log)
    except KeyboardInterrupt:
        log.write("stopped", seconds=round(time.monotonic() - begun, 3))
        raise
    except Exception as error:
        log.write("failed", error=first_line(error))
        raise
    log.write("end", seconds=round(time.monotonic() - begun, 3), **counts)
    for sentence in left_out(checked, counts):
        say(sentence)
    return counts


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


def session_of(pipeline: Pipeline) -> SparkSession:
    """Return a session with the settings of a pipeline; an existing one is used as it is."""
    settings = dict(pipeline.settings)
    master = settings.pop(_MASTER, None)
    if master is None or master.startswith("local"):
        return local_session(cores=cores_of(master or "local[*]"), settings=settings)
    builder = SparkSession.builder.master(master).appName(f"tocsin {pipeline.file.stem}")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def cores_of(master: str) -> int | None:
    """Return how many cores a local master may use, None for all.

    Examples
    --------
    >>> cores_of("local"), cores_of("local[4]"), cores_of("local[2,3]"), cores_of("local[*]")
    (1, 4, 2, None)
    """
    cores = master.removeprefix("local").strip("[]").partition(",")[0]
    if cores == "*":
        return None
    return int(cores) if cores.isdigit() else 1


def _subscriptions(pipeline: Pipeline) -> str:
    if pipeline.watched is not None:
        return "a table of subscriptions that may change"
    return f"{len(pipeline.program.subscriptions):,} subscriptions"


def _where(pipeline: Pipeline) -> str:
    master = pipeline.settings.get(_MASTER, "local")
    return "on this machine" if master.startswith("local") else f"at {master}"


def _say_nothing(text: str) -> None:
    """Keep a sentence to oneself."""
