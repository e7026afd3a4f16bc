"""Many subscriptions over a long history: what an event costs, and how much memory it takes."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyspark.sql import Observation, SparkSession

from tocsin.bench.spark.data import logins, write
from tocsin.bench.spark.figures import spent
from tocsin.bench.spark.subscriptions import WATCH
from tocsin.bench.spark.tree import peak_memory_mb
from tocsin.bench.spark.ways import to_nowhere
from tocsin.bench.steps import Steps
from tocsin.spark import match

ADDRESSES: Final = 20_000
"""As many for every length of history, so that only its length differs."""
ROWS_OF_A_PART: Final = 250_000
"""With more, state outgrows the caches, and rows are sorted on disk in Spark's default memory."""
_FIRST: Final = 100_000
_SHARES: Final = (0.1, 0.3, 1.0)


@dataclass(frozen=True, slots=True)
class Length:
    """What a history of some length took.

    Attributes
    ----------
    cpu_s
        None where it is not known.
    memory_mb
        The most that the driver, the JVM and its workers had.
    """

    events: int
    notifications: int
    wall_s: float
    cpu_s: float | None
    memory_mb: dict[str, float]

    @property
    def cpu_us(self) -> float | None:
        """Microseconds of all processors an event."""
        return None if self.cpu_s is None else self.cpu_s * 1e6 / self.events


def lengths(
    session: SparkSession, folder: Path, events: int, table: pa.Table, steps: Steps
) -> list[Length]:
    """Run the watches of a table over histories of several lengths, the longest of `events`."""
    cores = session.sparkContext.defaultParallelism
    sizes = [_FIRST, *(round(events * share) for share in _SHARES)]
    parts = parts_of(events, cores)  # the same for all: a part has the same addresses then
    steps.expect(len(sizes))
    found = []
    for number, size in enumerate(sizes):
        steps.begin(f"{size:,} events")
        path = folder / f"history {number}"
        write(logins(size, addresses=ADDRESSES), path, files=parts)
        gc.collect()
        found.append(_length(session, path, size, table, parts))
    return found[1:]  # the first one has warmed up


def parts_of(events: int, cores: int) -> int:
    """Return into how many parts so many events are split: the same number for each core.

    Examples
    --------
    >>> parts_of(1_000, 2), parts_of(2_600_000, 2)
    (2, 12)
    """
    each = -(-events // (ROWS_OF_A_PART * cores))
    return max(each, 1) * cores


def _length(session: SparkSession, path: Path, events: int, table: pa.Table, parts: int) -> Length:
    counts = Observation()
    frame = session.read.parquet(str(path))
    with peak_memory_mb() as memory:
        wall, cpu = spent(
            lambda: to_nowhere(
                match(
                    frame, WATCH, time="ts", row="n", table=table, parts=parts, observation=counts
                )
            )
        )
    return Length(events, int(counts.get["notifications"]), wall, cpu, dict(memory))
