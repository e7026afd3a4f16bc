"""The processor time and the memory of this process and all below it: the JVM and its workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Final

_PROC: Final = Path("/proc")
_PID: Final = -2
_EVERY_S: Final = 0.25
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(slots=True)
class Spent:
    """The processor time of all of them.

    Attributes
    ----------
    seconds
        Known when what was watched is over; None where there is no /proc.
    """

    seconds: float | None = None


@contextmanager
def cpu_spent() -> Iterator[Spent]:
    """Watch the processor time while something runs.

    Workers come and go meanwhile, and what has ended is no longer listed: so the last that was seen
    of each of them counts.
    """
    spent = Spent()
    if not _PROC.exists():
        yield spent
        return
    before = _ticks()
    last = dict(before)
    with _looking(lambda: last.update(_ticks())):
        yield spent
    used = sum(ticks - before.get(process, 0) for process, ticks in last.items())
    spent.seconds = used / _TICKS


def _ticks() -> dict[tuple[str, str], int]:
    """Return what each process has used itself; a number that is used again began later."""
    return {(one[_PID], one[19]): int(one[11]) + int(one[12]) for one in _family()}


def memory_mb() -> dict[str, float]:
    """Return the resident memory of this process, of the JVM and of its workers, in megabytes."""
    page = os.sysconf("SC_PAGE_SIZE") / 2**20
    found = {"driver": 0.0, "jvm": 0.0, "workers": 0.0}
    for stat in _family():
        is_own = stat[_PID] == str(os.getpid())
        kind = "driver" if is_own else "jvm" if "java" in stat[-1] else "workers"
        found[kind] += int(stat[21]) * page
    return found


@contextmanager
def peak_memory_mb() -> Iterator[dict[str, float]]:
    """Watch the memory while something runs; what is yielded holds the most that each had."""
    most = memory_mb()

    def look() -> None:
        for kind, now in memory_mb().items():
            most[kind] = max(most[kind], now)

    with _looking(look):
        yield most


@contextmanager
def _looking(look: Callable[[], object]) -> Iterator[None]:
    """Look again and again while something runs, and once more at its end."""
    is_over = Event()

    def watch() -> None:
        while not is_over.wait(_EVERY_S):
            look()

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        look()


def _family() -> Iterator[list[str]]:
    """Yield the fields of /proc/…/stat from the state on, the process's number and its command."""
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
        pid = head.partition(" ")[0]
        yield int(pid), [*rest.split(), pid, head.partition("(")[2]]
