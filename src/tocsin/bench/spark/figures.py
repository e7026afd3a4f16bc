"""Running the ways in turn, with answers checked first."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tocsin.bench.answers import check_equal
from tocsin.bench.spark import by_hand, tree
from tocsin.bench.spark.subscriptions import FALLING, INTRUSION, WATCH, ten, watches
from tocsin.bench.steps import Steps
from tocsin.engine import Engine
from tocsin.spark import match

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
    """Run ways in turn, once to warm up, so that what slows the machine down slows all of them."""
    steps.expect(len(ways) * (runs + 1))
    taken: dict[str, list[tuple[float, float | None]]] = {way: [] for way in ways}
    for number in range(runs + 1):
        for way, work in ways.items():
            steps.begin(f"{case}, {way}")
            spent = _spent(work)
            if number:
                taken[way].append(spent)
    return [
        Figure(
            case, way, rows, tuple(wall for wall, _ in spent),
            tuple(cpu for _, cpu in spent if cpu is not None),
        )
        for way, spent in taken.items()
    ]  # fmt: skip


def _spent(work: Work) -> tuple[float, float | None]:
    cpu, wall = tree.cpu_s(), time.perf_counter()
    work()
    wall, after = time.perf_counter() - wall, tree.cpu_s()
    return wall, None if cpu is None or after is None else after - cpu


@dataclass(frozen=True)
class Case:
    """Events on disk and in memory, and into how many parts work is split."""

    session: SparkSession
    path: str
    table: pa.Table
    parts: int

    @cached_property
    def events(self) -> DataFrame:
        """The events as a frame; all ways share it, so that none lists the files again."""
        return self.session.read.parquet(self.path)

    def match(self, text: str, **options: object) -> DataFrame:
        """Return the notifications of the pipeline."""
        return match(self.events, text, time="ts", row="n", parts=self.parts, **options)  # type: ignore[arg-type]

    def embedded(self, text: str, table: pa.Table | None = None) -> int:
        """Return how many notifications the embedded engine gives on one core."""
        engine = Engine(text, time="ts", table=table)
        return int(engine.process(self.table).to_arrow().num_rows)


def ten_keyed(case: Case) -> dict[str, Work]:
    """Return the ways to run ten keyed subscriptions, and to hand over the rows without them."""
    text = ten()
    check_equal("ten", case.match(text).count(), case.embedded(text), of="the embedded engine")
    read = case.events.select("n", "ts", "ip", "status", "port", "bytes")
    shuffled = by_hand.identity_by_key(read, "ip", case.parts)
    return {
        "tocsin on Spark": lambda: to_nowhere(case.match(text)),
        "identity": lambda: to_nowhere(by_hand.identity(read)),
        "identity after shuffle and sort": lambda: to_nowhere(shuffled),
        "embedded, one core": lambda: case.embedded(text),
    }


def many_keyed(case: Case, count: int) -> dict[str, Work]:
    """Return the ways to run many keyed subscriptions."""
    table = watches(count)
    found = case.match(WATCH, table=table).count()
    check_equal("watches", found, case.embedded(WATCH, table), of="the embedded engine")
    return {
        "tocsin on Spark": lambda: to_nowhere(case.match(WATCH, table=table)),
        "embedded, one core": lambda: case.embedded(WATCH, table),
    }


def intrusion(case: Case) -> dict[str, Work]:
    """Return the ways to find three times denied, then success."""
    aliases = ("d1", "d2", "d3", "s")
    own = _answers(case.match(INTRUSION), [F.col("events")[name][0] for name in aliases])
    joined = by_hand.intrusion_by_join(case.events)
    looped = by_hand.intrusion_by_loop(case.events)
    check_equal("intrusion", own, _answers(looped, [F.col(n) for n in aliases]), of="the loop")
    places = joined.toDF(*aliases)
    check_equal("intrusion", own, _answers(places, [F.col(n) for n in aliases]), of="the join")
    return {
        "tocsin on Spark": lambda: to_nowhere(case.match(INTRUSION)),
        "self-join": lambda: to_nowhere(joined),
        "Python loop (applyInPandas)": lambda: to_nowhere(looped),
        "embedded, one core": lambda: case.embedded(INTRUSION),
    }


def falling(case: Case) -> dict[str, Work]:
    """Return the ways to find five falls in a row."""
    last = F.col("events")["p5"][0]
    own = _answers(case.match(FALLING), [last])
    windowed = by_hand.falling_by_window(case.events)
    looped = by_hand.falling_by_loop(case.events)
    joined = by_hand.falling_by_join(case.events)
    check_equal("falling", own, _answers(windowed, [F.col("n")]), of="the window functions")
    check_equal("falling", own, _answers(looped, [F.col("n")]), of="the loop")
    check_equal("falling", own[0], joined.count(), of="the join")
    return {
        "tocsin on Spark": lambda: to_nowhere(case.match(FALLING)),
        "window functions": lambda: to_nowhere(windowed),
        "self-join": lambda: to_nowhere(joined),
        "Python loop (applyInPandas)": lambda: to_nowhere(looped),
        "embedded, one core": lambda: case.embedded(FALLING),
    }


def to_nowhere(frame: DataFrame) -> None:
    """Compute all rows of a frame and keep none."""
    frame.write.format("noop").mode("overwrite").save()


def _answers(found: DataFrame, places: list[Column]) -> tuple[int, object]:
    """Return how many answers there are, and a sum that tells other answers from these."""
    digest = F.sum(F.xxhash64(*[place.cast("bigint") for place in places]).cast("decimal(38,0)"))
    row = found.agg(F.count(F.lit(1)), digest).first()
    assert row is not None
    return row[0], row[1]
