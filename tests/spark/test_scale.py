"""A long history in bounded memory; `tocsin bench spark --case scale` shows the figures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tocsin.bench.spark.scale import lengths
from tocsin.bench.spark.subscriptions import watches
from tocsin.bench.steps import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(3000)]

IS_LARGE = os.environ.get("TOCSIN_EXHAUSTIVE") == "1"
EVENTS = 10_000_000
SPARE_MB = 300


@pytest.mark.skipif(not IS_LARGE, reason="takes ten minutes; `make test-all` runs it")
@pytest.mark.skipif(not Path("/proc").exists(), reason="memory is read from /proc")
def test_ten_times_the_history_takes_no_more_memory(spark: SparkSession, tmp_path: Path) -> None:
    found = lengths(spark, tmp_path, EVENTS, watches(1_000), Silent())
    assert [one.events for one in found] == [EVENTS // 10, EVENTS * 3 // 10, EVENTS]
    assert all(one.notifications > one.events // 10 for one in found)
    short, _, long = (one.memory_mb for one in found)
    for who in ("jvm", "workers"):
        assert long[who] < 1.5 * short[who] + SPARE_MB, who
