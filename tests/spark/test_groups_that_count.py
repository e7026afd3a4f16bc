"""A group that needs no positions, beside one that counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import tocsin
from tocsin.spark import match

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PROGRAM = """
SUBSCRIBE next FROM s MATCH a:[v > 2 AND k = $k] , b:[v > 3 AND k = $k];
SUBSCRIBE alone FROM s MATCH [v > 5]
"""


def test_slices_do_not_go_by_what_only_another_group_counts(spark: SparkSession) -> None:
    rows = [{"ts": i * 1000, "k": i // 3 % 2, "v": i % 8} for i in range(40)]
    wanted = tocsin.match(pa.Table.from_pylist(rows), PROGRAM, time="ts").to_arrow()
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], "ts bigint, k int, v int")
    found = match({"s": frame}, PROGRAM, time="ts", parts=3).toArrow()
    shown = sorted(map(repr, found.drop_columns(["id"]).to_pylist()))
    assert shown == sorted(map(repr, wanted.to_pylist()))
    assert {one["subscription"] for one in wanted.to_pylist()} == {"next", "alone"}
