"""Which process runs a pipeline, and whether it is still there."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

_PROCESSES: Final = Path("/proc")
_BOOT: Final = _PROCESSES / "sys" / "kernel" / "random" / "boot_id"
_NUMBERING: Final = _PROCESSES / "self" / "ns" / "pid"
"""The namespace of processes: in another one, such as that of a container, numbers mean others."""
_STARTED: Final = 19
"""The place of the start among the fields behind the name of a process in its `stat`."""
_PATIENCE_S: Final = 10
_GONE: Final = ""
"""The beginning of a process that is not there."""


def this_process() -> dict[str, Any]:
    """Return how to find this process again.

    Its host, its number, and when it began: a number is given again after a while, and together
    with the beginning it means one process. Then the start of the system, and among which
    processes the number counts; None where the system does not tell.
    """
    pid = os.getpid()
    return {
        "host": socket.gethostname(),
        "pid": pid,
        "process_began": process_began(pid),
        "boot": _boot(),
        "pid_namespace": _pid_namespace(),
    }


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
    if told.get("pid_namespace") not in (None, _pid_namespace()):
        return None  # a container of the same name, say
    boot = _boot()
    if boot is not None and told.get("boot") not in (None, boot):
        return False  # the system has started again since
    found = process_began(pid)
    return None if found is None else found == str(began)


def process_began(pid: int) -> str | None:
    """Return when a process began, as this system says it.

    An empty text means that there is no such process, None that the system does not tell.
    """
    if (_PROCESSES / "self" / "stat").exists():
        return _began_of_linux(pid)
    command = shutil.which("ps")
    return None if command is None else _began_of_ps(command, pid)


def _began_of_linux(pid: int) -> str | None:
    try:
        text = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None if _is_hidden(pid) else _GONE
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()
    return _GONE if state == "Z" else fields[_STARTED - 1]  # a zombie has ended


def _is_hidden(pid: int) -> bool:
    """Say whether a process is there that `/proc` shows to its owner alone (`hidepid`)."""
    try:
        os.kill(pid, 0)  # a signal that does nothing
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _began_of_ps(command: str, pid: int) -> str | None:
    asked = [command, "-o", "lstart=", "-p", str(pid)]
    same_everywhere = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    try:
        said = subprocess.run(
            asked, env=same_everywhere, capture_output=True, text=True, timeout=_PATIENCE_S,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip() or (None if said.stderr.strip() else _GONE)


def _boot() -> str | None:
    with suppress(OSError):
        return _BOOT.read_text(encoding="utf-8").strip()
    return None


def _pid_namespace() -> str | None:
    with suppress(OSError, NotImplementedError):
        return str(_NUMBERING.readlink())
    return None
