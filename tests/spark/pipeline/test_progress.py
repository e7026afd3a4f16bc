"""What Spark says of a micro-batch, as a line of the log."""

from __future__ import annotations

import datetime as dt
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pyspark.sql import Row

from tocsin.spark.pipeline import RunLog, read_log
from tocsin.spark.pipeline.log import last_run
from tocsin.spark.pipeline.progress import ProgressLog, progress_facts


def progress(**more: Any) -> Any:
    states = [SimpleNamespace(numRowsTotal=3, memoryUsedBytes=100)] * 2
    facts = {
        "name": "mine",
        "batchId": 4,
        "numInputRows": 10,
        "sources": [],
        "inputRowsPerSecond": math.inf,
        "processedRowsPerSecond": 12.34,
        "stateOperators": states,
        "eventTime": {"watermark": "2026-03-02T08:59:00.000Z"},
        "durationMs": {"triggerExecution": 80},
        "observedMetrics": {"tocsin": Row(late=2), "tocsin 0": Row(dead_letters=3)},
    }
    return SimpleNamespace(**(facts | more))


def test_states_add_up_and_what_is_no_number_is_left_out() -> None:
    found = progress_facts(progress())
    assert (found["state_rows"], found["state_bytes"]) == (6, 200)
    assert (found["input_rows_per_s"], found["processed_rows_per_s"]) == (None, 12.3)
    assert found["lag_s"] > 0
    json.dumps(found, allow_nan=False)


def test_a_query_without_a_watermark_has_no_lag() -> None:
    assert progress_facts(progress(eventTime=None))["lag_s"] is None
    first = progress(eventTime={"watermark": "1970-01-01T00:00:00.000Z"})
    assert progress_facts(first)["lag_s"] is None


def test_changes_of_a_table_of_subscriptions_are_no_events() -> None:
    sources = [
        SimpleNamespace(description=f"{said}@1d60bf53", endOffset=offset, numInputRows=rows)
        for said, offset, rows in (
            ("FileStreamSource[in]", '{"logOffset": 0}', 3),
            ("python.PythonMicroBatchStream", '{"version": 1, "other": 2}', 3),
            ("python.PythonMicroBatchStreamWithTriggerAvailableNow", '{"version": 12}', 1),
            ("python.PythonMicroBatchStream", '{"version": 2, "tocsin_start": "0b4f"}', 3),
        )
    ]
    found = progress_facts(progress(sources=sources))
    assert (found["rows"], found["processed_rows_per_s"]) == (6, 7.4)


def test_the_watermark_of_a_stream_that_began_before_1970_is_its_own() -> None:
    spark_says = {"watermark": "1970-01-02T00:00:00.500Z"}
    found = progress_facts(progress(eventTime=spark_says), dt.timedelta(days=-3))
    assert found["watermark"] == "1969-12-30T00:00:00.500Z"
    assert progress_facts(progress(eventTime=spark_says))["watermark"] == spark_says["watermark"]


def test_only_the_query_of_that_name_is_counted(tmp_path: Path) -> None:
    listener = ProgressLog(RunLog(tmp_path / "logs" / "log.jsonl"), "mine")
    for name in ("mine", "another", "mine"):
        listener.onQueryProgress(SimpleNamespace(progress=progress(name=name)))
    told = {"notifications": 0, "late": 4, "bad_programs": 0, "refused": 0, "dead_letters": 6}
    assert listener.counts() == {"events": 14, "batches": 2, **told}
    lines = read_log(tmp_path / "logs" / "log.jsonl")
    assert [line["late"] for line in lines] == [2, 2]


def test_the_end_of_another_query_ends_nothing(tmp_path: Path) -> None:
    listener = ProgressLog(RunLog(tmp_path / "log.jsonl"), "mine")
    listener.onQueryStarted(SimpleNamespace(name="mine", id="a", runId="r1"))
    listener.onQueryTerminated(SimpleNamespace(runId="r2"))
    assert not listener.ended.is_set()
    listener.onQueryTerminated(SimpleNamespace(runId="r1"))
    assert listener.ended.is_set()


def test_a_line_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "log.jsonl")
    log.write("start", mode="batch")
    with log.path.open("a", encoding="utf-8") as file:
        file.write('{"what": "en')
    (line,) = last_run(read_log(log.path))
    assert line["mode"] == "batch"
