"""`tocsin pipeline` without Spark: what it writes, and how a run stands."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tocsin.cli import exits, sparks
from tocsin.cli.exits import TERMINATED
from tocsin.cli.pipeline_status import status_lines
from tocsin.errors import ConfigurationError

START: dict[str, Any] = {"what": "start", "logged": "2026-03-02T09:00:00+00:00", "mode": "stream"}
START |= {"host": "here", "pid": 41, "process_began": "7"}
BATCH = {
    "what": "progress",
    "logged": "2026-03-02T09:00:10+00:00",
    "batch": 7,
    "rows": 1000,
    "input_rows_per_s": 99.5,
    "processed_rows_per_s": 2000.0,
    "state_rows": 12,
    "state_bytes": 4096,
    "watermark": "2026-03-02T08:59:00.000Z",
    "lag_s": 70.25,
    "late": 3,
    "dead_letters": 10,
}


def facts(run: list[dict[str, Any]], *, is_running: bool | None) -> dict[str, str]:
    lines = status_lines(run, is_running=is_running)
    return {name: value.strip() for name, value in (line.split("  ", 1) for line in lines)}


def test_init_overwrites_nothing(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tocsin("pipeline", "init").exit_code == exits.FINE
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "events",
        "pipeline.toml",
        "rules.tocsin",
    ]
    result = tocsin("pipeline", "init")
    assert result.exit_code == exits.WRONG_USAGE
    assert "pipeline.toml is there already" in result.stderr


def test_a_running_stream_shows_rates_state_and_lag() -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    found = facts([START, BATCH, {**BATCH, "batch": 8}], is_running=True)
    assert found["state"] == "running"
    assert found["batch"] == "8"
    assert (found["events"], found["dead letters"]) == ("1,980", "20")
    assert (found["late"], found["notifications"]) == ("6", "0")
    assert found["events a second"] == "2,000.0"
    assert found["values in the state"] == "12"
    assert found["size of the state"] == "4 KiB"
    assert found["lag"] == "70.2 s"


@pytest.mark.parametrize(
    ("is_running", "state"),
    [
        (True, "running"),
        (False, "stopped without finishing (killed?)"),
        (None, "running when last heard of"),
    ],
)
def test_a_log_without_an_end_says_whether_the_process_is_there(
    is_running: bool | None, state: str
) -> None:
    query = {"what": "query", "logged": BATCH["logged"]}
    found = facts([START, query], is_running=is_running)
    assert found["state"] == state
    assert found["process"] == "41 on here"
    assert found["last heard of"] == BATCH["logged"]


def test_a_log_without_lines_says_that_nothing_was_written_yet(
    tocsin: Callable, tmp_path: Path
) -> None:
    (line,) = status_lines([])
    assert line == "state  no run has written anything yet; one may be starting Spark"
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    tocsin("pipeline", "init", str(tmp_path))
    (tmp_path / "pipeline.log.jsonl").touch()
    assert tocsin("pipeline", "status", str(tmp_path / "pipeline.toml")).stdout.strip() == line


def test_how_fast_a_stream_is_shows_where_it_had_something_to_do() -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    idle = {**BATCH, "batch": 8, "rows": 0, "dead_letters": 0, "processed_rows_per_s": 0.0}
    idle |= {"input_rows_per_s": 0.0, "lag_s": 16_966_050.1}
    found = facts([START, BATCH, idle], is_running=True)
    assert (found["events a second"], found["coming in a second"]) == ("2,000.0", "0.0")
    assert found["lag"] == "196 days"
    assert facts([START, idle], is_running=True)["events a second"] == "-"


def test_a_run_that_ended_needs_no_process() -> None:
    found = facts([START, {"what": "end", "logged": "…", "events": 1}], is_running=False)
    assert found["state"] == "ended"
    assert "process" not in found


def test_an_interrupt_ends_the_command_with_130(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipelines = pytest.importorskip("tocsin.spark.pipeline", exc_type=ImportError)

    def interrupted(*_: object, **more: Any) -> None:
        more["tell"]("stopped after 3.0 s")
        raise KeyboardInterrupt

    monkeypatch.setattr(pipelines, "run_pipeline", interrupted)
    tocsin("pipeline", "init", str(tmp_path))
    result = tocsin("pipeline", "run", str(tmp_path / "pipeline.toml"))
    assert result.exit_code == exits.INTERRUPTED
    assert result.stderr == "stopped after 3.0 s\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
def test_a_process_that_is_told_to_end_is_interrupted(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipelines = pytest.importorskip("tocsin.spark.pipeline", exc_type=ImportError)
    before = signal.getsignal(signal.SIGTERM)

    def told_to_end(*_: object, **more: Any) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)
        except KeyboardInterrupt:
            more["tell"]("stopped after 3.0 s")
            raise

    monkeypatch.setattr(pipelines, "run_pipeline", told_to_end)
    tocsin("pipeline", "init", str(tmp_path))
    result = tocsin("pipeline", "run", str(tmp_path / "pipeline.toml"))
    assert result.exit_code == TERMINATED
    assert result.stderr == "stopped after 3.0 s\n"
    assert signal.getsignal(signal.SIGTERM) is before


def test_an_error_of_java_is_told_in_a_sentence(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipelines = pytest.importorskip("tocsin.spark.pipeline", exc_type=ImportError)
    protocol = pytest.importorskip("py4j.protocol")

    class Java:
        """An exception of Java."""

        _target_id = "o1"
        _gateway_client = None

        def __init__(self, message: str, cause: Java | None = None) -> None:
            self.getMessage = lambda: message
            self.getCause = lambda: cause

    def broken(*_: object, **__: object) -> None:
        msg = "calling"
        raise protocol.Py4JJavaError(msg, Java("Job aborted", Java("no space\nat Disk.java")))

    monkeypatch.setattr(pipelines, "run_pipeline", broken)
    monkeypatch.setattr(protocol.Py4JJavaError, "__str__", lambda _: "a trace of Java")
    tocsin("pipeline", "init", str(tmp_path))
    file = tmp_path / "pipeline.toml"
    result = tocsin("pipeline", "run", str(file))
    assert result.exit_code == exits.WRONG_USAGE
    assert result.stderr.replace("\n", " ").strip().endswith("Spark says: no space")


def test_a_run_that_failed_says_why() -> None:
    lines = status_lines([START, {"what": "failed", "logged": "…", "error": "no space"}])
    assert lines[0].split() == ["state", "failed"]
    assert lines[-1].split("  ")[-1] == "no space"


def test_work_that_was_left_alone_may_go_on() -> None:
    found = facts([START, {"what": "stopped", "logged": "…", "goes_on": True}], is_running=False)
    assert (found["state"], found["goes on"]) == ("stopped", "yes")


def test_without_spark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparks, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"pip install 'tocsin\[spark\]'"):
        sparks.check_spark("a pipeline")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("kafka", "note: sources.orders.format: kafka needs a package; add spark.jars.packages = "),
        ("wells", "Spark itself brings no 'wells'; jars may, or the session. It has parquet, "),
        ("jsno", "Spark itself brings no 'jsno'; jars may, or the session. Did you mean 'json'?"),
    ],
)
def test_check_tells_of_formats_that_spark_does_not_bring(
    tocsin: Callable, tmp_path: Path, form: str, told: str
) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    tocsin("pipeline", "init", str(tmp_path))
    file = tmp_path / "pipeline.toml"
    text = file.read_text("utf-8").replace('format = "json"', f'format = "{form}"', 1)
    file.write_text(text, encoding="utf-8")
    result = tocsin("pipeline", "check", str(file))
    assert result.exit_code == exits.FINE
    assert told in result.stderr
    file.write_text(f'{text}\njars.packages = "a:b:1"\n', encoding="utf-8")
    assert "note" not in tocsin("pipeline", "check", str(file)).stderr


def test_check_tells_of_a_watched_table(tocsin: Callable, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    tocsin("pipeline", "init", str(tmp_path))
    file = tmp_path / "pipeline.toml"
    text = file.read_text("utf-8").replace('mode = "batch"', 'mode = "stream"', 1)
    watched = '[subscriptions.watched]\ntable = "rules"\n[stream]\ncheckpoint = "checkpoint"'
    file.write_text(text.replace('[subscriptions]\nfiles = ["rules.tocsin"]', watched), "utf-8")
    result = tocsin("pipeline", "check", str(file))
    assert "1 source, a watched table of subscriptions, 2 sinks" in result.stderr, result.output


def test_check_tells_of_modes_that_a_stream_does_not_heed(tocsin: Callable, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    tocsin("pipeline", "init", str(tmp_path))
    file = tmp_path / "pipeline.toml"
    assert "note" not in tocsin("pipeline", "check", str(file)).stderr
    text = file.read_text("utf-8").replace('mode = "batch"', 'mode = "stream"', 1)
    file.write_text(f'{text}\n[stream]\ncheckpoint = "checkpoint"\n', encoding="utf-8")
    result = tocsin("pipeline", "check", str(file))
    assert result.exit_code == exits.FINE
    for sink in ("notifications", "dead_letters"):
        assert f"note: sinks.{sink}.mode: a stream always appends, 'overwrite' " in result.stderr


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_column_that_no_schema_has_is_told_without_spark(
    tocsin: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    from tocsin.spark.pipeline import running  # noqa: PLC0415 - needs Spark

    monkeypatch.setattr(running, "started", lambda _: pytest.fail("Spark was started"))
    tocsin("pipeline", "init", str(tmp_path))
    file = tmp_path / "pipeline.toml"
    text = file.read_text("utf-8").replace("status string", "stauts string", 1)
    file.write_text(text, encoding="utf-8")
    result = tocsin("pipeline", command, str(file))
    assert result.exit_code == exits.WRONG_USAGE
    assert "sources.orders.schema: subscription 'unpaid' reads 'status'" in result.stderr
    assert "did you mean 'stauts'?" in result.stderr


def test_check_tells_of_columns_that_folders_may_give(tocsin: Callable, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    tocsin("pipeline", "init", str(tmp_path))
    file = tmp_path / "pipeline.toml"
    text = file.read_text("utf-8").replace("status string", "state string", 1)
    file.write_text(text.replace('path = "events"', 'path = "s3://b/events"'), encoding="utf-8")
    result = tocsin("pipeline", "check", str(file))
    assert result.exit_code == exits.FINE
    assert "note: sources.orders.schema: subscription 'unpaid' reads 'status'" in result.stderr
