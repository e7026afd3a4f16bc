"""Running the ways in turn, and what they took."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tocsin.bench.spark import tree
from tocsin.bench.steps import Steps

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """What one way took, run by run.

    Attributes
    ----------
    case, way
        Which pattern, and by which means.
    wall_s
        Seconds by the clock on the wall.
    cpu_s
        Seconds of this process, the JVM and its workers; empty where that is not known.
    """

    case: str
    way: str
    rows: int
    wall_s: tuple[float, ...]
    cpu_s: tuple[float, ...]

    @property
    def per_second(self) -> float:
        """Rows a second on the wall, of the middle run."""
        return self.rows / statistics.median(self.wall_s)

    @property
    def cpu_us(self) -> float | None:
        """Microseconds of all processors a row, of the middle run."""
        return statistics.median(self.cpu_s) * 1e6 / self.rows if self.cpu_s else None


def run_ways(
    case: str, ways: Mapping[str, Work], *, rows: int, runs: int, steps: Steps
) -> list[Figure]:
    """Run ways in turn, so that what slows the machine down slows all of them.

    Each one is run twice in a row, and the second run counts: Spark ends workers that have nothing
    to do for a minute, and a turn of the others may take longer.
    """
    steps.expect(len(ways) * runs)
    taken: dict[str, list[tuple[float, float | None]]] = {way: [] for way in ways}
    for _ in range(runs):
        for way, work in ways.items():
            steps.begin(f"{case}, {way}")
            work()
            taken[way].append(spent(work))
    return [
        Figure(
            case, way, rows, tuple(wall for wall, _ in measured),
            tuple(cpu for _, cpu in measured if cpu is not None),
        )
        for way, measured in taken.items()
    ]  # fmt: skip


def spent(work: Work) -> tuple[float, float | None]:
    """Run work; return the seconds by the clock on the wall, and those of all processors."""
    began = time.perf_counter()
    with tree.cpu_spent() as cpu:
        work()
        wall = time.perf_counter() - began
    return wall, cpu.seconds
