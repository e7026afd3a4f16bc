"""Ctrl-C: the work is stopped where it runs, and whoever waits for it hears of it."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark import SparkContext

from tocsin.cli.pipeline import write_pipeline
from tocsin.spark.pipeline import batch, read_log, read_pipeline, run, run_pipeline, sessions
from tocsin.spark.pipeline.interrupt import Interruptible
from tocsin.spark.pipeline.job_tag import JobTag
from tocsin.spark.pipeline.log import RunLog
from tocsin.spark.pipeline.running import Run
from tocsin.spark.pipeline.standing import Standing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POOL = "spark.scheduler.pool"
FILES = 80
"""More than a query reads one by one in the seconds before it is stopped."""


def test_work_is_stopped_and_what_it_gave_is_kept() -> None:
    wanted = threading.Event()
    asked: list[int] = []

    def work() -> str:
        _thread.interrupt_main()
        wanted.wait(30)
        return "as far as it came"

    def stop() -> bool:
        asked.append(1)
        if len(asked) > 1:  # the first time there was nothing to stop yet
            wanted.set()
        return True

    one = Interruptible(work, stop)
    with pytest.raises(KeyboardInterrupt):
        one.run()
    assert one.result == "as far as it came"
    assert len(asked) == 2


def test_spark_cancels_no_jobs_of_others() -> None:
    cancelled: list[int] = []

    def cancel_all(*_: object) -> None:
        cancelled.append(1)
        raise KeyboardInterrupt

    cancel_all.__module__ = SparkContext.__module__  # which sets such a one in the main thread
    wanted = threading.Event()

    def work() -> str:
        _thread.interrupt_main()
        wanted.wait(30)
        return ""

    before = signal.signal(signal.SIGINT, cancel_all)
    try:
        with pytest.raises(KeyboardInterrupt):
            Interruptible(work, lambda: wanted.set() or True).run()
        assert signal.getsignal(signal.SIGINT) is cancel_all
    finally:
        signal.signal(signal.SIGINT, before)
    assert cancelled == []


def test_nobody_waits_for_work_that_cannot_be_stopped() -> None:
    def work() -> str:
        _thread.interrupt_main()
        threading.Event().wait(5)
        return ""

    one = Interruptible(work, lambda: False)
    with pytest.raises(KeyboardInterrupt):
        one.run()
    assert one.result is None


def test_an_error_of_the_work_is_raised_where_one_waits() -> None:
    def work() -> str:
        msg = "no space"
        raise OSError(msg)

    with pytest.raises(OSError, match="no space"):
        Interruptible(work, lambda: True).run()


def test_an_error_of_stopping_does_not_hide_the_interrupt() -> None:
    wanted = threading.Event()
    asked: list[int] = []

    def work() -> str:
        _thread.interrupt_main()
        wanted.wait(30)
        return "all"

    def stop() -> bool:
        asked.append(1)
        if len(asked) == 1:
            msg = "Spark does not answer"
            raise OSError(msg)
        wanted.set()
        return True

    one = Interruptible(work, stop)
    with pytest.raises(KeyboardInterrupt):
        one.run()
    assert str(one.trouble) == "Spark does not answer"
    assert one.result == "all"


def test_patience_has_an_end_even_where_stopping_has_none() -> None:
    wanted = threading.Event()

    def work() -> str:
        _thread.interrupt_main()
        wanted.wait(30)
        return ""

    one = Interruptible(work, lambda: wanted.wait(30), patience_s=0.1)
    with pytest.raises(KeyboardInterrupt):
        one.run()
    assert not one.ended.is_set()
    wanted.set()
    assert one.ended.wait(30)


def test_a_second_interrupt_waits_for_nothing() -> None:
    wanted = threading.Event()

    def wait() -> bool:
        _thread.interrupt_main()
        return wanted.wait(30)

    one = Interruptible(wait, wait)
    with pytest.raises(KeyboardInterrupt):
        one.run()
    assert not one.ended.is_set()
    wanted.set()
    assert one.ended.wait(30)


@pytest.mark.spark
def test_work_has_the_pool_of_whoever_asked_for_it(spark: SparkSession) -> None:
    def pool() -> str:
        return str(spark.sparkContext.getLocalProperty(POOL))

    spark.sparkContext.setLocalProperty(POOL, "slow")
    try:
        assert Interruptible(pool, lambda: True, session=spark).run() == "slow"
    finally:
        spark.sparkContext.setLocalProperty(POOL, None)  # type: ignore[arg-type]


@pytest.mark.spark
def test_a_stream_tells_how_far_it_came(spark: SparkSession, tmp_path: Path) -> None:
    write_pipeline(tmp_path)
    text = (tmp_path / "pipeline.toml").read_text("utf-8").replace('"batch"', '"stream"', 1)
    text += '[stream]\ncheckpoint = "checkpoint"\ntrigger = "1 second"\n'
    (tmp_path / "pipeline.toml").write_text(text, encoding="utf-8")
    said: list[str] = []
    seen: list[Standing] = []

    def watch(standing: Standing) -> None:
        seen.append(standing)
        _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        run_pipeline(tmp_path / "pipeline.toml", spark=spark, tell=said.append, watch=watch)
    assert (seen[0].batches, seen[0].events) == (1, 6)
    assert said[2] == (
        "a micro-batch every 1 second; Ctrl-C stops it, and the next run goes on from there"
    )
    assert said[-1].startswith("stopped after ")
    assert "6 events" in said[-1]
    last = read_log(tmp_path / "pipeline.log.jsonl")[-1]
    assert (last["what"], last["events"], last["dead_letters"]) == ("stopped", 6, 1)
    assert spark.streams.active == []


@pytest.mark.spark
def test_a_batch_is_cut_short(spark: SparkSession, tmp_path: Path) -> None:
    write_pipeline(tmp_path)
    said: list[str] = []

    def tell(sentence: str) -> None:
        said.append(sentence)
        if sentence.startswith("notifications go to "):
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        run_pipeline(tmp_path / "pipeline.toml", spark=spark, tell=tell)
    assert said[-1].startswith("stopped after ")
    lines = read_log(tmp_path / "pipeline.log.jsonl")
    assert (lines[0]["what"], lines[-1]["what"]) == ("start", "stopped")
    assert not (tmp_path / "out" / "notifications" / "_SUCCESS").exists()


@pytest.mark.spark
def test_while_spark_starts_nothing_is_begun_any_more(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pipeline(tmp_path)
    said: list[str] = []
    wanted = threading.Event()
    workers: list[threading.Thread] = []

    def start_slowly(_: object) -> SparkSession:
        workers.append(threading.current_thread())
        _thread.interrupt_main()
        wanted.wait(30)
        return spark

    monkeypatch.setattr(sessions, "session_of", start_slowly)
    with pytest.raises(KeyboardInterrupt):
        run_pipeline(tmp_path / "pipeline.toml", tell=said.append)
    assert said[-1] == "stopped while Spark was starting; nothing was read"
    wanted.set()
    workers[0].join(60)
    assert not workers[0].is_alive()
    assert read_log(tmp_path / "pipeline.log.jsonl") == []
    assert not (tmp_path / "out").exists()
    assert len(said) == 2


@pytest.mark.spark
def test_the_query_of_dead_letters_is_stopped_too(spark: SparkSession, tmp_path: Path) -> None:
    write_pipeline(tmp_path)
    events = (tmp_path / "events" / "orders.jsonl").read_text("utf-8")
    for number in range(FILES):
        (tmp_path / "events" / f"more-{number}.jsonl").write_text(events, encoding="utf-8")
    text = (tmp_path / "pipeline.toml").read_text("utf-8").replace('"batch"', '"stream"', 1)
    text = text.replace('path = "events"', 'path = "events"\noptions = { maxFilesPerTrigger = 1 }')
    text += '[stream]\ncheckpoint = "checkpoint"\n'
    (tmp_path / "pipeline.toml").write_text(text, encoding="utf-8")
    told: list[Standing] = []

    def interrupt_once(standing: Standing) -> None:
        told.append(standing)
        if len(told) == 1:  # a second one would wait for nothing
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        run_pipeline(tmp_path / "pipeline.toml", spark=spark, watch=interrupt_once)
    read = list((tmp_path / "checkpoint" / "dead_letters" / "commits").glob("[0-9]*"))
    assert len(read) < FILES
    assert spark.streams.active == []
    last = read_log(tmp_path / "pipeline.log.jsonl")[-1]
    assert last["what"] == "stopped"
    assert last["batches"] < FILES
    assert "goes_on" not in last


class LateLog(RunLog):
    """A log after one of whose lines somebody presses Ctrl-C."""

    last = "end"

    def write(self, what: str, **facts: object) -> None:
        """Add a line."""
        super().write(what, **facts)
        if what == self.last:
            _thread.interrupt_main()


@pytest.mark.spark
def test_after_its_end_nothing_is_logged(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pipeline(tmp_path)
    monkeypatch.setattr(run, "RunLog", LateLog)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_pipeline(tmp_path / "pipeline.toml", spark=spark, tell=said.append)
    lines = read_log(tmp_path / "pipeline.log.jsonl")
    assert [line["what"] for line in lines] == ["start", "read", "end"]
    assert said[-1].startswith("ended after ")
    assert said[-1].endswith("; that was before it could be stopped")


@pytest.mark.spark
def test_a_batch_stops_between_two_steps(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pipeline(tmp_path)
    asked = threading.Event()
    monkeypatch.setattr(run, "RunLog", LateLog)
    monkeypatch.setattr(LateLog, "last", "read")
    monkeypatch.setattr(JobTag, "stop_jobs", lambda *_: asked.set())  # no job to stop just then
    write = batch._write_dead_letters
    monkeypatch.setattr(
        batch, "_write_dead_letters", lambda *given: asked.wait(30) and write(*given)
    )
    with pytest.raises(KeyboardInterrupt):
        run_pipeline(tmp_path / "pipeline.toml", spark=spark)
    lines = read_log(tmp_path / "pipeline.log.jsonl")
    assert [line["what"] for line in lines] == ["start", "read", "stopped"]
    assert not (tmp_path / "out" / "notifications").exists()


@pytest.mark.spark
def test_work_that_does_not_stop_is_told_of(spark: SparkSession, tmp_path: Path) -> None:
    write_pipeline(tmp_path)
    checked = read_pipeline(tmp_path / "pipeline.toml")
    said: list[str] = []
    one = Run(checked, RunLog(checked.log), said.append, None, spark)
    one.begun = time.monotonic()
    one.stopped(None, has_ended=False, trouble=OSError("Spark does not answer"))
    (line,) = read_log(checked.log)
    assert (line["what"], line["goes_on"]) == ("stopped", True)
    assert line["error"] == "Spark does not answer"
    assert said[0] == "Spark could not be asked to stop: Spark does not answer"
    assert said[1].endswith("; Spark has not stopped yet, and may go on with it")
