"""The benchmark `spark` as a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pyarrow as pa

from tocsin.bench.report import Cell, Curve, Plot, Report, Section, columns
from tocsin.bench.spark.data import logins, prices, write
from tocsin.bench.spark.figures import (
    Case,
    Figure,
    Work,
    falling,
    intrusion,
    many_keyed,
    run_ways,
    ten_keyed,
)
from tocsin.bench.steps import Steps
from tocsin.spark import local_session

OWN: Final = "tocsin on Spark"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is run; `many` is the number of subscriptions where matching dominates."""

    events: int = 1_000_000
    many: int = 1_000
    cores: int = 2
    runs: int = 3
    cases: tuple[str, ...] = ("ten", "many", "intrusion", "falling")


def report(sizes: Sizes, steps: Steps) -> Report:
    """Measure the pipeline against what else one could do on Spark.

    Raises
    ------
    UnequalAnswersError
        A way does not give what the others give.
    """
    session = local_session(cores=sizes.cores)
    found: list[Figure] = []
    with TemporaryDirectory() as directory:
        for name in sizes.cases:
            make, draw = _CASES[name]
            table = draw(sizes.events)
            path = Path(directory, name)
            write(table, path, files=2 * sizes.cores)
            case = Case(session, str(path), table, sizes.cores)
            title = f"{sizes.many:,} keyed" if name == "many" else _TITLES[name]
            ways = make(case, sizes.many)
            found += run_ways(title, ways, rows=sizes.events, runs=sizes.runs, steps=steps)
    return Report(
        "spark", asdict(sizes), (_section(found, sizes),), (_plot(found),),
        ("Rates are by the clock on the wall; the processor time is that of all processes.",),
    )  # fmt: skip


_TITLES: Final = {"ten": "10 keyed", "intrusion": "intrusion", "falling": "five falls"}
_CASES: Final[
    dict[str, tuple[Callable[[Case, int], dict[str, Work]], Callable[[int], pa.Table]]]
] = {
    "ten": (lambda case, _: ten_keyed(case), logins),
    "many": (many_keyed, logins),
    "intrusion": (lambda case, _: intrusion(case), logins),
    "falling": (lambda case, _: falling(case), prices),
}


def _section(found: Sequence[Figure], sizes: Sizes) -> Section:
    own = {one.case: one for one in found if one.way == OWN}
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        first = own[one.case]
        by_cpu = None
        if one.cpu_us and first.cpu_us:
            by_cpu = one.cpu_us / first.cpu_us
        rows.append(
            (one.case, one.way, one.per_second, first.per_second / one.per_second, one.cpu_us,
             by_cpu, min(one.wall_s), max(one.wall_s))
        )  # fmt: skip
    shown = columns(
        "case", "method", "rows/s", "tocsin faster by|x", "cpu a row|us", "tocsin cheaper by|x",
        "~least wall|s", "~most wall|s",
    )  # fmt: skip
    return Section(f"spark: {sizes.events:,} events on {sizes.cores} cores", shown, tuple(rows))


def _plot(found: Sequence[Figure]) -> Plot:
    names = tuple(f"{one.case}: {one.way}" for one in found)
    return Plot(
        "Rows a second", "", "rows/s", (Curve("", names, tuple(one.per_second for one in found)),),
        log_y=True,
    )  # fmt: skip
