"""One run at a time: a log and a checkpoint belong to one process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline.log import last_run, read_log
from tocsin.spark.pipeline.process import is_running
from tocsin.spark.pipeline.settings import Pipeline

_ENDS: Final = frozenset(("end", "stopped", "failed"))


def check_alone(pipeline: Pipeline) -> None:
    """Refuse a run while the last one of the same log goes on in another process.

    What cannot be known from here, such as a process of another machine, is in nobody's way. Nor is
    a run of this very process: whoever starts a second one here knows what became of the first.

    Raises
    ------
    ConfigurationError
        The log has no end of that run, and its process is certainly there.
    """
    found = running_elsewhere(pipeline)
    if found is not None:
        pid = found["pid"]
        apart = "a log and a checkpoint" if pipeline.mode == "stream" else "a log"
        msg = (
            f"{pipeline.file}: the process {pid} runs it already, says {pipeline.log}; stop that "
            f"one with `kill {pid}`, or give this one {apart} of its own, and other sinks"
        )
        raise ConfigurationError(msg)


def running_elsewhere(pipeline: Pipeline) -> Mapping[str, Any] | None:
    """Return the start of the last run, if that certainly goes on in another process."""
    try:
        lines = last_run(read_log(pipeline.log))
    except (ConfigurationError, ValueError):  # no log, or none that can be read
        return None
    if not lines or any(line.get("what") in _ENDS for line in lines):
        return None
    start = lines[0]
    is_here = start.get("pid") == os.getpid()
    return start if not is_here and is_running(start) else None
