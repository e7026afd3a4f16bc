"""Ctrl-C: the work is stopped where it runs, and whoever waits for it hears of it."""

from __future__ import annotations

import _thread
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.spark.pipeline import read_log, run_pipeline
from tocsin.spark.pipeline.interrupt import Interruptible
from tocsin.spark.pipeline.standing import Standing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
