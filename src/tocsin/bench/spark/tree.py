"""The processor time and the memory of this process and all below it: the JVM and its workers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def cpu_s() -> float | None:
    """Return the seconds that all of them have used so far; None where there is no /proc."""
    if not _PROC.exists():
        return None
    return sum(sum(map(int, one[11:15])) for one in _family()) / _TICKS


def memory_mb() -> dict[str, float]:
    """Return the resident memory of the JVM and of the workers together, in megabytes."""
    page = os.sysconf("SC_PAGE_SIZE") / 2**20
    found = {"jvm": 0.0, "python": 0.0}
    for stat in _family():
        found["jvm" if "java" in stat[-1] else "python"] += int(stat[21]) * page
    return found


def _family() -> Iterator[list[str]]:
    """Yield the fields of /proc/…/stat from the state on, and the command at the end."""
    stats = dict(_stats())
    parents = {pid: int(stat[1]) for pid, stat in stats.items()}
    for pid, stat in stats.items():
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            yield stat


def _stats() -> Iterator[tuple[int, list[str]]]:
    for path in _PROC.glob("[0-9]*/stat"):
        try:
            head, _, rest = path.read_text(encoding="utf-8", errors="replace").rpartition(") ")
        except OSError:  # it ended meanwhile
            continue
        yield int(head.partition(" ")[0]), [*rest.split(), head.partition("(")[2]]
