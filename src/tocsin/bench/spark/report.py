"""The benchmark `spark` as a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pyarrow as pa
from pyspark.sql import SparkSession

from tocsin.bench.report import Cell, Curve, Plot, Report, Section, columns
from tocsin.bench.spark.data import EVENTS_OF_AN_ADDRESS, logins, prices, uneven_logins, write
from tocsin.bench.spark.figures import Figure, Work, run_ways
from tocsin.bench.spark.scale import ADDRESSES, Length, lengths, parts_of
from tocsin.bench.spark.subscriptions import watches
from tocsin.bench.spark.ways import OWN, Case, falling, intrusion, many_keyed, ten_keyed
from tocsin.bench.steps import Steps
from tocsin.spark import local_session

_HISTORY: Final = 10
"""The longest history of `scale` has so many times its events."""

EVENTS: Final = {
    "ten": 2_000_000,
    "narrow": 2_000_000,
    "many": 300_000,
    "intrusion": 1_000_000,
    "uneven": 200_000,
    "falling": 20_000_000,
    "scale": 1_000_000,
}
"""What is measured (see `ways` and `scale`), and with how many events: so many that the slowest way
takes about a minute, or that the fastest one takes longer than Spark does to begin."""
CASES: Final = tuple(EVENTS)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is run.

    Attributes
    ----------
    events
        The same for all cases; without, each has its own.
    many
        The number of subscriptions where matching dominates.
    of_address
        How many logins an address has.
    """

    events: int | None = None
    many: int = 1_000
    cores: int = 2
    runs: int = 3
    cases: tuple[str, ...] = CASES
    of_address: int = EVENTS_OF_AN_ADDRESS

    def of(self, case: str) -> int:
        """Return how many events a case has.

        Examples
        --------
        >>> Sizes().of("many"), Sizes(events=5).of("many")
        (300000, 5)
        """
        return self.events or EVENTS[case]


def report(sizes: Sizes, steps: Steps) -> Report:
    """Measure the pipeline against what else one could do on Spark.

    Raises
    ------
    UnequalAnswersError
        A way does not give what the others give.
    """
    session = local_session(cores=sizes.cores)
    found: list[Figure] = []
    histories: list[Length] = []
    with TemporaryDirectory() as directory:
        for name in sizes.cases:
            path = Path(directory, name)
            if name == "scale":
                path.mkdir()
                longest = sizes.of(name) * _HISTORY
                histories = lengths(session, path, longest, watches(sizes.many), steps)
            else:
                found += _case(session, name, path, sizes, steps)
    sections = [_section(found, sizes)] if found else []
    sections += [_scale(histories, sizes)] if histories else []
    return Report(
        "spark", asdict(sizes), tuple(sections), (_plot(found),) if found else (),
        ("Rates are by the clock on the wall; the processor time is that of all processes.",),
    )  # fmt: skip


def _case(session: SparkSession, name: str, path: Path, sizes: Sizes, steps: Steps) -> list[Figure]:
    """Measure all ways of a case."""
    make, draw = _CASES[name]
    events = sizes.of(name)
    table = draw(events, sizes.of_address)
    write(table, path, files=2 * sizes.cores)
    parts = parts_of(events, sizes.cores)
    session.conf.set("spark.sql.shuffle.partitions", parts)  # by hand as well
    title = f"{sizes.many:,} keyed" if name == "many" else _TITLES[name]
    ways = make(Case(session, str(path), table, parts), sizes.many)
    return run_ways(title, ways, rows=events, runs=sizes.runs, steps=steps)


_TITLES: Final = {
    "ten": "10 keyed",
    "narrow": "10 keyed, for a tenth of the rows",
    "intrusion": "intrusion",
    "uneven": "intrusion, addresses as in a honeypot",
    "falling": "five falls",
}


def _logins(events: int, of_address: int) -> pa.Table:
    return logins(events, addresses=max(events // of_address, 1))


_CASES: Final[
    dict[str, tuple[Callable[[Case, int], dict[str, Work]], Callable[[int, int], pa.Table]]]
] = {
    "ten": (lambda case, _: ten_keyed(case), _logins),
    "narrow": (lambda case, _: ten_keyed(case, is_narrow=True), _logins),
    "many": (many_keyed, _logins),
    "intrusion": (lambda case, _: intrusion(case), _logins),
    "uneven": (lambda case, _: intrusion(case), lambda events, _: uneven_logins(events)),
    "falling": (lambda case, _: falling(case), lambda events, _: prices(events)),
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
            (one.case, one.rows, one.way, one.per_second, first.per_second / one.per_second,
             one.cpu_us, by_cpu, min(one.wall_s), max(one.wall_s))
        )  # fmt: skip
    shown = columns(
        "case", "events", "method", "rows/s", "tocsin faster by|x", "cpu a row|us",
        "tocsin cheaper by|x", "~least wall|s", "~most wall|s",
    )  # fmt: skip
    return Section(f"spark: {sizes.cores} cores", shown, tuple(rows))


def _scale(found: Sequence[Length], sizes: Sizes) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (one.events, one.notifications, one.events / one.wall_s, one.cpu_us,
         one.memory_mb["jvm"], one.memory_mb["workers"], one.memory_mb["driver"])
        for one in found
    ]  # fmt: skip
    shown = columns(
        "events", "notifications", "rows/s", "cpu a row|us", "JVM at most|MB",
        "workers at most|MB", "driver at most|MB",
    )  # fmt: skip
    title = f"scale: {sizes.many:,} subscriptions, {ADDRESSES:,} addresses"
    return Section(title, shown, tuple(rows))


def _plot(found: Sequence[Figure]) -> Plot:
    names = tuple(f"{one.case}: {one.way}" for one in found)
    return Plot(
        "Rows a second", "", "rows/s", (Curve("", names, tuple(one.per_second for one in found)),),
        log_y=True,
    )  # fmt: skip
