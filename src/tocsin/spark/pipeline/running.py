"""`Run`: one run of a pipeline, which can be stopped from another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tocsin.spark.pipeline.alone import check_alone
from tocsin.spark.pipeline.batch import run_batch
from tocsin.spark.pipeline.formats import check_formats
from tocsin.spark.pipeline.frames import first_line
from tocsin.spark.pipeline.halt import Halt, HaltedError
from tocsin.spark.pipeline.job_tag import JobTag
from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.process import this_process
from tocsin.spark.pipeline.queries import Queries
from tocsin.spark.pipeline.sentences import beginning
from tocsin.spark.pipeline.sessions import existing, place_of, started
from tocsin.spark.pipeline.settings import Pipeline
from tocsin.spark.pipeline.standing import Standing, shown_counts, shown_seconds
from tocsin.spark.pipeline.stream import run_stream

_Outcome: TypeAlias = Literal["end", "stopped", "failed"]
_SAID: Final = {"end": "ended", "stopped": "stopped", "failed": "failed"}


@dataclass(slots=True)
class Run:
    """One run of a pipeline: `work` in one thread, and after an interrupt `stop` in another.

    Attributes
    ----------
    session
        Where it runs; None until Spark has started.
    begun
        When the log got its first line; None before.
    outcome
        What the log says last; None before. It gets one such line, whichever thread comes first.
    """

    pipeline: Pipeline
    log: RunLog
    say: Callable[[str], None]
    watch: Callable[[Standing], None] | None
    session: SparkSession | None
    halt: Halt = field(default_factory=Halt)
    queries: Queries = field(init=False)
    tag: JobTag = field(default_factory=JobTag)
    has_started_spark: bool = False
    begun: float | None = None
    outcome: _Outcome | None = None
    _closing: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.queries = Queries(self.halt)

    def work(self) -> dict[str, int]:
        """Start Spark, run the pipeline, and log how that ended.

        Raises
        ------
        HaltedError
            It was stopped between two steps.
        """
        spark = self._spark()
        self.halt.look()
        check_alone(self.pipeline)  # another one may have begun while Spark started
        self.begun = time.monotonic()
        pipeline = self.pipeline
        self.log.write("start", mode=pipeline.mode, file=str(pipeline.file), **this_process())
        for sentence in beginning(pipeline):
            self.say(sentence)
        try:
            check_formats(spark, pipeline)
            self.halt.look()
            counts = self._matched(spark)
        except Exception as error:
            if self.halt.is_asked or isinstance(error, HaltedError):
                self._close("stopped")
            else:
                self._close("failed", error=first_line(error))
            raise
        is_cut = self.halt.is_asked and pipeline.mode == "stream"
        self._close("stopped" if is_cut else "end", **counts)
        return counts

    def _spark(self) -> SparkSession:
        if self.session is None:
            before = existing()
            self.say(f"starting Spark {place_of(self.pipeline)} ...")
            spark = started(self.pipeline)
            self.has_started_spark = before is None
            self.session = spark
        return self.session

    def _matched(self, spark: SparkSession) -> dict[str, int]:
        if self.pipeline.mode == "stream":
            return run_stream(spark, self.pipeline, self.log, self.queries, self.watch)
        with self.tag.on_jobs(spark):
            return run_batch(spark, self.pipeline, self.log, halt=self.halt, say=self.say)

    def stop(self) -> bool:
        """Stop what runs on Spark; say whether there is anything to wait for."""
        is_first = not self.halt.is_asked
        self.halt.ask()
        if self.session is None:  # `work` looks whether to go on when it has one
            return False
        if is_first and self.has_started_spark:
            with suppress(PySparkException):  # Connect has no such level
                self.session.sparkContext.setLogLevel("OFF")  # what is cut short is no error
        if self.pipeline.mode == "stream":
            self.queries.stop()
        else:
            self.tag.stop_jobs(self.session)
        return True

    def stopped(
        self, counts: Mapping[str, int] | None, *, has_ended: bool, trouble: Exception | None
    ) -> None:
        """Log, unless that was done, and say that somebody stopped it.

        Parameters
        ----------
        counts
            What came out; None where that is not known.
        has_ended
            Whether the work has ended; else nobody waits for it any longer.
        trouble
            What was in the way of stopping it; no matter where it has ended all the same.
        """
        if self.begun is None:
            when = "while Spark was starting" if self.session is None else "before it began"
            self.say(f"stopped {when}; nothing was read")
            return
        if not has_ended:
            why = {} if trouble is None else {"error": first_line(trouble)}
            self._close("stopped", goes_on=True, **why)
            for reason in why.values():
                self.say(f"Spark could not be asked to stop: {reason}")
        some = {name: count for name, count in (counts or {}).items() if count}
        done = f": {shown_counts(some)}" if some else ""
        said = f"{_SAID[self.outcome or 'stopped']} after {shown_seconds(self._seconds())}{done}"
        self.say(f"{said}; {self._what_now(has_ended)}")

    def _what_now(self, has_ended: bool) -> str:
        if self.outcome in ("end", "failed"):
            return "that was before it could be stopped"
        if not has_ended:
            return "Spark has not stopped yet, and may go on with it"
        if self.pipeline.mode == "stream":
            return "the next run goes on from there"
        return "what it has written may not be whole"

    def _close(self, outcome: _Outcome, **facts: object) -> None:
        """Write the last line of the log, unless it has one."""
        with self._closing:
            if self.outcome is None:
                seconds = {} if outcome == "failed" else {"seconds": self._seconds()}
                self.log.write(outcome, **seconds, **facts)
                self.outcome = outcome

    def _seconds(self) -> float:
        return round(time.monotonic() - (self.begun or 0.0), 3)
