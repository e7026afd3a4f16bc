"""What Spark says about the progress of a stream, as lines of the log."""

from __future__ import annotations

import datetime as dt
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from pyspark.sql.streaming.listener import StreamingQueryListener

from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.standing import Standing
from tocsin.spark.streaming.counts import counts_of
from tocsin.spark.streaming.subscription_source import is_own_source

OBSERVED: Final = "tocsin"
"""Under this name Spark counts what comes out."""
_PATIENCE_S: Final = 30
_NO_WATERMARK: Final = "1970-01-01T00:00:00.000Z"
_NO_TIME: Final = dt.timedelta()


class ProgressLog(StreamingQueryListener):
    """Writes a line for each micro-batch of a query: rows, rates, state, lag, what came out.

    Parameters
    ----------
    zero_ms
        The moment that Spark's watermark calls 0.
    watch
        Called after each line with how far the query is.
    """

    def __init__(
        self,
        log: RunLog,
        name: str,
        *,
        zero_ms: int = 0,
        watch: Callable[[Standing], None] | None = None,
    ) -> None:
        super().__init__()
        self.log = log
        self.watch = watch
        self.name = name
        self.zero = dt.timedelta(milliseconds=zero_ms)
        self.run: str | None = None
        self.ended = threading.Event()
        self.rows = self.batches = 0
        self.told: Counter[str] = Counter()

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802 - Spark's name
        """Take note that the query began."""
        if event.name == self.name:
            self.run = str(event.runId)
            self.log.write("query", id=str(event.id), run=self.run)

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802 - Spark's name
        """Write down what a micro-batch did."""
        if event.progress.name == self.name:
            facts = progress_facts(event.progress, self.zero)
            told = counts_of(event.progress.observedMetrics, OBSERVED)
            self.rows += facts["rows"]
            self.told.update(told)
            self.batches += 1
            self.log.write("progress", **facts, **told)
            if self.watch is not None:
                self.watch(self._standing(facts))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802 - Spark's name
        """Let silence pass."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802 - Spark's name
        """Take note that all was told."""
        if str(event.runId) == self.run:
            self.ended.set()

    def wait(self) -> None:
        """Wait until Spark has told of everything; it does so a little after the query's end."""
        self.ended.wait(_PATIENCE_S)

    def _standing(self, facts: Mapping[str, Any]) -> Standing:
        counts = self.counts()
        return Standing(
            counts["batches"],
            counts["events"],
            counts["notifications"],
            facts["processed_rows_per_s"],
            facts["lag_s"],
        )

    def counts(self) -> dict[str, int]:
        """Return how many events, micro-batches and rows of each kind there were."""
        told = counts_of({OBSERVED: self.told}, OBSERVED)
        events = self.rows - told["dead_letters"]
        return {"events": events, "batches": self.batches, **told}


def progress_facts(progress: Any, zero: dt.timedelta = _NO_TIME) -> dict[str, Any]:
    """Return what is worth a line of a micro-batch's progress.

    `rows` are those of events, and rates theirs; changes of a table of subscriptions are none.
    `lag_s` is how far the watermark is behind the clock of this machine; a watermark at Spark's 0
    stands for none yet.

    Parameters
    ----------
    zero
        How far the 0 of Spark's watermark is from 1970.
    """
    states = progress.stateOperators
    own = (progress.eventTime or {}).get("watermark")
    watermark = _moved(own, zero)
    rows = progress.numInputRows - _changes(progress)
    share = rows / progress.numInputRows if progress.numInputRows else 1.0
    return {
        "batch": progress.batchId,
        "rows": rows,
        "input_rows_per_s": _finite(progress.inputRowsPerSecond, share),
        "processed_rows_per_s": _finite(progress.processedRowsPerSecond, share),
        "state_rows": sum(one.numRowsTotal for one in states),
        "state_bytes": sum(one.memoryUsedBytes for one in states),
        "watermark": watermark,
        "lag_s": None if own == _NO_WATERMARK else _lag_s(watermark),
        "duration_ms": (progress.durationMs or {}).get("triggerExecution"),
    }


def _changes(progress: Any) -> int:
    """Return how many of the rows are changes of a table of subscriptions."""
    own = (one for one in progress.sources if is_own_source(one.description, one.endOffset))
    return sum(one.numInputRows for one in own)


def _moved(watermark: str | None, by: dt.timedelta) -> str | None:
    if watermark is None or not by:
        return watermark
    moved = dt.datetime.fromisoformat(watermark) + by
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _finite(rate: float | None, share: float) -> float | None:
    """Return a share of a rate that JSON can write: the first micro-batch has none."""
    return round(rate * share, 1) if rate is not None and rate - rate == 0 else None


def _lag_s(watermark: str | None) -> float | None:
    if watermark is None:
        return None
    behind = dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(watermark)
    return round(behind.total_seconds(), 1)
