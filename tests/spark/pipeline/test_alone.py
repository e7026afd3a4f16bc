"""A pipeline that another process runs is not run a second time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import RunLog, read_pipeline, run_pipeline, sessions
from tocsin.spark.pipeline.alone import check_alone
from tocsin.spark.pipeline.process import process_began, this_process
from tocsin.spark.pipeline.settings import Pipeline


@pytest.fixture
def pipeline(tmp_path: Path) -> Pipeline:
    write_pipeline(tmp_path)
    return read_pipeline(tmp_path / "pipeline.toml")


@pytest.fixture
def other() -> Iterator[dict[str, Any]]:
    """A process that waits, as the log names it."""
    waiting = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as child:
        yield this_process() | {"pid": child.pid, "process_began": process_began(child.pid)}
        child.kill()


def test_a_second_run_is_refused_before_spark_starts(
    pipeline: Pipeline, other: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: object) -> None:
        msg = "Spark is not to start"
        raise AssertionError(msg)

    monkeypatch.setattr(sessions, "session_of", start)
    RunLog(pipeline.log).write("start", mode="batch", **other)
    before = pipeline.log.read_text("utf-8")
    with pytest.raises(ConfigurationError, match=f"the process {other['pid']} runs it already"):
        run_pipeline(pipeline)
    assert pipeline.log.read_text("utf-8") == before


@pytest.mark.parametrize("end", ["end", "stopped", "failed"])
def test_after_the_end_of_a_run_comes_the_next(
    pipeline: Pipeline, other: dict[str, Any], end: str
) -> None:
    log = RunLog(pipeline.log)
    log.write("start", mode="batch", **other)
    log.write(end)
    check_alone(pipeline)
    log.write("start", mode="batch", **other)
    with pytest.raises(ConfigurationError, match=f"kill {other['pid']}"):
        check_alone(pipeline)


def test_a_run_that_was_killed_is_in_nobodys_way(pipeline: Pipeline, other: dict[str, Any]) -> None:
    RunLog(pipeline.log).write("start", mode="batch", **other | {"process_began": "long ago"})
    check_alone(pipeline)


def test_what_is_not_known_is_in_nobodys_way(pipeline: Pipeline, other: dict[str, Any]) -> None:
    check_alone(pipeline)  # no log yet
    log = RunLog(pipeline.log)
    check_alone(pipeline)  # an empty one
    log.write("start", mode="batch", **other | {"host": "elsewhere"})
    check_alone(pipeline)
    log.write("start", mode="batch")
    check_alone(pipeline)
    pipeline.log.write_bytes(b"\xff\xfe\n")
    check_alone(pipeline)


def test_the_same_process_may_run_it_again(pipeline: Pipeline) -> None:
    RunLog(pipeline.log).write("start", mode="batch", **this_process())
    assert this_process()["pid"] == os.getpid()
    check_alone(pipeline)
