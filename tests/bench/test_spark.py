"""The benchmark `spark` runs, and every way gives the same answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tocsin.bench.spark.data import logins, prices, uneven_logins
from tocsin.bench.spark.report import CASES, Sizes, report
from tocsin.bench.spark.tree import cpu_spent, memory_mb
from tocsin.bench.steps import Silent
from tocsin.cli import bench_spark

if TYPE_CHECKING:
    from tocsin.bench.report import Section

pytestmark = pytest.mark.spark


def ways(section: Section) -> dict[str, int]:
    found: dict[str, int] = {}
    for case, *_ in section.rows:
        found[str(case)] = found.get(str(case), 0) + 1
    return found


WAYS = {
    "ten": {"10 keyed": 6},
    "narrow": {"10 keyed, for a tenth of the rows": 6},
    "many": {"5 keyed": 4},
    "intrusion": {"intrusion": 7},
    "uneven": {"intrusion, addresses as in a honeypot": 7},
    "falling": {"five falls": 8},
}


@pytest.mark.parametrize(
    "cases",
    [
        ("ten", "intrusion", "falling", "scale"),
        pytest.param(("narrow", "many", "uneven"), marks=pytest.mark.slow),
    ],
)
def test_every_way_gives_the_same_answers(cases: tuple[str, ...]) -> None:
    found = report(Sizes(events=3_000, many=5, runs=1, cases=cases), Silent())
    wanted = [WAYS[one].items() for one in cases if one in WAYS]
    assert ways(found.sections[0]) == {title: count for each in wanted for title, count in each}
    if "scale" in cases:
        assert [row[0] for row in found.sections[1].rows] == [3_000, 9_000, 30_000]
    assert found.to_dict()["name"] == "spark"


def test_the_command_knows_every_case() -> None:
    assert bench_spark.CASES == CASES
    assert {*WAYS, "scale"} == {*CASES}


def test_the_same_seed_gives_the_same_events() -> None:
    assert logins(50).equals(logins(50))
    assert prices(50).equals(prices(50))
    assert uneven_logins(50).equals(uneven_logins(50))


def test_some_addresses_have_hundreds_of_logins_and_most_have_few() -> None:
    table = uneven_logins(200_000)
    counts = np.sort([one["counts"] for one in table["ip"].value_counts().to_pylist()])
    assert counts.sum() == table.num_rows == 200_000
    assert np.median(counts) in {2, 3, 4}
    assert 10 <= counts[int(len(counts) * 0.9)] <= 20
    assert 1_000 <= counts[-1] <= 2_000
    assert (np.diff(table["ts"].cast("int64").to_numpy()) >= 0).all()


@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc here")
def test_processes_below_this_one_are_counted_also_those_that_have_ended() -> None:
    burn = "import time; end = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
    with cpu_spent() as spent:
        subprocess.run([sys.executable, "-c", burn], check=True)
    assert spent.seconds is not None
    assert spent.seconds > 0.3
    assert memory_mb()["driver"] > 10
