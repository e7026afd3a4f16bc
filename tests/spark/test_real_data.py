"""The reference counts of the shared data sets, by subscriptions on Spark.

The data are not part of the project: `TOCSIN_DATA` names their folder, else they are looked for in
`../shared/data`, beside the project.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from tocsin import parse
from tocsin.spark import match

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("TOCSIN_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = parse((Path(__file__).parent / "real_data.tocsin").read_text(encoding="utf-8"))

COUNTS: dict[str, dict[str, tuple[int, int]]] = {
    "city_temperature": {"hot_days": (3111, 134)},
    "ssh_honeypot": {"knocking": (47, 47), "let_in": (34, 34), "abused": (1833, 1833)},
    "ssh_server": {"guessed": (8, 2), "failing": (105, 105), "knocking_hard": (101, 101)},
    "us_stocks_daily": {"falling": (5934, 999)},
    "rss_items": {"shutdown": (1798, 81)},
    "building_rooms": {"stuffy": (42, 11)},
    "loan_process": {
        "accepted": (5113, 5113),
        "cancelled": (1706, 1706),
        "sent_back": (3254, 3254),
        "taken": (2243, 2243),
    },
}
"""By stream and subscription: the number of notifications, and that of keys with any."""


def test_every_subscription_has_its_count() -> None:
    counted = [name for counts in COUNTS.values() for name in counts]
    assert sorted(counted) == sorted(one.name for one in PROGRAM.subscriptions)


@pytest.mark.parametrize("stream", COUNTS)
def test_the_reference_counts_are_found(spark: SparkSession, stream: str) -> None:
    path = DATA / stream / f"{stream}.parquet"
    if not path.exists():
        pytest.skip(f"there is no {path}; TOCSIN_DATA names the folder of the shared data")
    events = {stream: spark.read.parquet(str(path))}
    found = match(events, PROGRAM.only(set(COUNTS[stream])), time="ts", order="seq", row="seq")
    keys = F.count_distinct(F.map_values("variables"))
    rows = found.groupBy("subscription").agg(F.count(F.lit(1)), keys).collect()
    assert {name: (count, many) for name, count, many in rows} == COUNTS[stream]
