"""Running the ways in turn, and what they took."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

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


class Way(NamedTuple):
    """Work that is measured, and the same over few rows, which is run right before it.

    Spark ends workers that have nothing to do for a minute, and a turn of the others may take
    longer.
    """

    work: Work
    first: Work


def run_ways(
    case: str, ways: Mapping[str, Way], *, rows: int, runs: int, steps: Steps
) -> list[Figure]:
    """Run ways in turn, once to warm up, so that what slows the machine down slows all of them."""
    steps.expect(len(ways) * (runs + 1))
    taken: dict[str, list[tuple[float, float | None]]] = {name: [] for name in ways}
    for number in range(runs + 1):
        for name, way in ways.items():
            steps.begin(f"{case}, {name}")
            way.first()
            measured = spent(way.work)
            if number:
                taken[name].append(measured)
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
