"""Whether the process of a run is still there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tocsin.spark.pipeline import process
from tocsin.spark.pipeline.process import is_running, process_began, this_process


def test_a_process_that_was_killed_runs_no_more() -> None:
    waiting = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as child:
        told = this_process() | {"pid": child.pid, "process_began": process_began(child.pid)}
        assert is_running(told) is True
        child.kill()
        child.wait()
        assert is_running(told) is False


def test_another_process_may_have_the_number_by_now() -> None:
    assert is_running(this_process() | {"process_began": "long ago"}) is False


def test_of_other_hosts_and_old_logs_nothing_is_known() -> None:
    assert is_running(this_process() | {"host": "elsewhere"}) is None
    assert is_running({"what": "start", "mode": "batch"}) is None


def test_in_another_container_the_number_means_another_process() -> None:
    told = this_process() | {"pid_namespace": "pid:[1]"}
    assert is_running(told) is None
    assert is_running(told | {"boot": "before", "process_began": "long ago"}) is None


def test_nothing_outlives_a_start_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_boot", lambda: "now")
    assert is_running(this_process() | {"boot": "before"}) is False
    monkeypatch.setattr(process, "_boot", lambda: None)
    assert is_running(this_process() | {"boot": "before"}) is True


def test_a_log_without_the_newer_keys_is_understood() -> None:
    told = this_process()
    del told["boot"], told["pid_namespace"]
    assert is_running(told) is True


def test_a_process_that_is_hidden_from_others_may_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = this_process()
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "stat").touch()
    monkeypatch.setattr(process, "_PROCESSES", tmp_path)
    assert is_running(told) is None  # no directory of that number, and yet a signal reaches it


def test_ps_is_asked_for_the_same_words_everywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[dict[str, Any]] = []

    def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        asked.append(more["env"])
        return subprocess.CompletedProcess(command, 0, "Mon Mar  2 09:00:00 2026\n", "")

    monkeypatch.setattr(process, "_PROCESSES", tmp_path)
    monkeypatch.setattr(process.shutil, "which", lambda _: "ps")
    monkeypatch.setattr(process.subprocess, "run", run)
    assert process_began(os.getpid()) == "Mon Mar  2 09:00:00 2026"
    assert (asked[0]["LC_ALL"], asked[0]["TZ"]) == ("C", "UTC")


def test_a_ps_that_does_not_answer_ends_no_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = this_process()

    def run(command: list[str], **_: Any) -> None:
        raise subprocess.TimeoutExpired(command, 10)

    monkeypatch.setattr(process, "_PROCESSES", tmp_path)
    monkeypatch.setattr(process.shutil, "which", lambda _: "ps")
    monkeypatch.setattr(process.subprocess, "run", run)
    assert this_process()["process_began"] is None
    assert is_running(told) is None
