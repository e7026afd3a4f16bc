"""`tocsin pipeline` without Spark: what it writes, and how a run stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tocsin.cli import exits, sparks
from tocsin.cli.pipeline_status import status_lines
from tocsin.errors import ConfigurationError

START = {"what": "start", "logged": "2026-03-02T09:00:00+00:00", "mode": "stream"}
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
    shown = dict(
        line.split("  ", 1) for line in status_lines([START, BATCH, {**BATCH, "batch": 8}])
    )
    found = {name: value.strip() for name, value in shown.items()}
    assert found["state"] == "running"
    assert found["batch"] == "8"
    assert (found["events"], found["dead letters"]) == ("1,980", "20")
    assert (found["late"], found["notifications"]) == ("6", "0")
    assert found["events a second"] == "2,000.0"
    assert found["values in the state"] == "12"
    assert found["size of the state"] == "4 KiB"
    assert found["lag"] == "70.2 s"


def test_a_run_that_failed_says_why() -> None:
    lines = status_lines([START, {"what": "failed", "logged": "…", "error": "no space"}])
    assert lines[0].split() == ["state", "failed"]
    assert lines[-1].split("  ")[-1] == "no space"


def test_without_spark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparks, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"pip install 'tocsin\[spark\]'"):
        sparks.check_spark("a pipeline")


def test_check_tells_of_a_watched_table(tocsin: Callable, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")
    tocsin("pipeline", "init", str(tmp_path))
    file = tmp_path / "pipeline.toml"
    text = file.read_text("utf-8").replace('mode = "batch"', 'mode = "stream"', 1)
    watched = '[subscriptions.watched]\ntable = "rules"\n[stream]\ncheckpoint = "checkpoint"'
    file.write_text(text.replace('[subscriptions]\nfiles = ["rules.tocsin"]', watched), "utf-8")
    result = tocsin("pipeline", "check", str(file))
    assert "1 source, a watched table of subscriptions, 2 sinks" in result.stderr, result.output
