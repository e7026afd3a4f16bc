"""Which process runs a pipeline, and whether it is still there."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_PROCESSES: Final = Path("/proc")
_STARTED: Final = 19
"""The place of the start among the fields behind the name of a process in its `stat`."""
_PATIENCE_S: Final = 10


def this_process() -> dict[str, Any]:
    """Return how to find this process again: its host, its number, and when it began.

    A number is given again after a while; together with the beginning it means one process.
    """
    pid = os.getpid()
    return {"host": socket.gethostname(), "pid": pid, "process_began": process_began(pid)}


def is_running(told: Mapping[str, Any]) -> bool | None:
    """Say whether a process is there; None where that cannot be told from here.

    Parameters
    ----------
    told
        What `this_process` returned there, perhaps long ago.

    Examples
    --------
    >>> is_running(this_process())
    True
    >>> is_running({"host": "a host that is not this one", "pid": 1, "process_began": "1"}) is None
    True
    """
    pid, began = told.get("pid"), told.get("process_began")
    if told.get("host") != socket.gethostname() or not isinstance(pid, int) or began is None:
        return None
    return process_began(pid) == str(began)


def process_began(pid: int) -> str | None:
    """Return when a process began, as this system says it; None where there is none, or no way."""
    if (_PROCESSES / "self" / "stat").exists():
        return _began_of_linux(pid)
    command = shutil.which("ps")
    if command is None:
        return None
    asked = [command, "-o", "lstart=", "-p", str(pid)]
    said = subprocess.run(asked, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    return said.stdout.strip() or None


def _began_of_linux(pid: int) -> str | None:
    try:
        text = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()
    return None if state == "Z" else fields[_STARTED - 1]  # a zombie has ended
