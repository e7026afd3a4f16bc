"""Whether the process of a run is still there."""

from __future__ import annotations

import subprocess
import sys

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
