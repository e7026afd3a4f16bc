"""The benchmark `spark` as a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pyarrow as pa

from tocsin.bench.report import Cell, Curve, Plot, Report, Section, columns
from tocsin.bench.spark.data import EVENTS_OF_AN_ADDRESS, logins, prices, uneven_logins, write
from tocsin.bench.spark.figures import Figure, Work, run_ways
from tocsin.bench.spark.scale import ADDRESSES, Length, lengths, parts_of
from tocsin.bench.spark.subscriptions import watches
from tocsin.bench.spark.ways import Case, falling, intrusion, many_keyed, ten_keyed
from tocsin.bench.steps import Steps
from tocsin.spark import local_session

OWN: Final = "tocsin on Spark"


CASES: Final = ("ten", "narrow", "many", "intrusion", "uneven", "falling", "scale")
"""What is measured: see `ways` and `scale`."""
_HISTORY: Final = 10
"""The longest history of `scale` has so many times the events of the other cases."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is run.

    Attributes
    ----------
    many
        The number of subscriptions where matching dominates.
    of_address
        How many logins an address has.
    """

    events: int = 1_000_000
    many: int = 1_000
    cores: int = 2
    runs: int = 3
    cases: tuple[str, ...] = CASES
    of_address: int = EVENTS_OF_AN_ADDRESS


def report(sizes: Sizes, steps: Steps) -> Report:
    """Measure the pipeline against what else one could do on Spark.

    Raises
    ------
    UnequalAnswersError
        A way does not give what the others give.
    """
    parts = parts_of(sizes.events, sizes.cores)
    session = local_session(cores=sizes.cores)
    session.conf.set("spark.sql.shuffle.partitions", parts)  # by hand as well
    found: list[Figure] = []
    histories: list[Length] = []
    with TemporaryDirectory() as directory:
        for name in sizes.cases:
            path = Path(directory, name)
            if name == "scale":
                path.mkdir()
                longest = sizes.events * _HISTORY
                histories = lengths(session, path, longest, watches(sizes.many), steps)
                continue
            make, draw = _CASES[name]
            table = draw(sizes)
            write(table, path, files=2 * sizes.cores)
            case = Case(session, str(path), table, parts)
            title = f"{sizes.many:,} keyed" if name == "many" else _TITLES[name]
            ways = make(case, sizes.many)
            found += run_ways(title, ways, rows=sizes.events, runs=sizes.runs, steps=steps)
    sections = [_section(found, sizes)] if found else []
    sections += [_scale(histories, sizes)] if histories else []
    return Report(
        "spark", asdict(sizes), tuple(sections), (_plot(found),) if found else (),
        ("Rates are by the clock on the wall; the processor time is that of all processes.",),
    )  # fmt: skip


_TITLES: Final = {
    "ten": "10 keyed",
    "narrow": "10 keyed, for a tenth of the rows",
    "intrusion": "intrusion",
    "uneven": "intrusion, addresses as in a honeypot",
    "falling": "five falls",
}
_Case = tuple[Callable[[Case, int], dict[str, Work]], Callable[[Sizes], pa.Table]]


def _logins(sizes: Sizes) -> pa.Table:
    return logins(sizes.events, addresses=max(sizes.events // sizes.of_address, 1))


_CASES: Final[dict[str, _Case]] = {
    "ten": (lambda case, _: ten_keyed(case), _logins),
    "narrow": (lambda case, _: ten_keyed(case, is_narrow=True), _logins),
    "many": (many_keyed, _logins),
    "intrusion": (lambda case, _: intrusion(case), _logins),
    "uneven": (lambda case, _: intrusion(case), lambda sizes: uneven_logins(sizes.events)),
    "falling": (lambda case, _: falling(case), lambda sizes: prices(sizes.events)),
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
