"""Frames from rows, and notifications that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

import tocsin

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = list[dict[str, Any]]


def in_order(found: pa.Table) -> list[str]:
    """Return notifications without an order, which frames do not have."""
    columns = [name for name in found.column_names if name != "id"]
    return sorted(map(repr, found.select(columns).to_pylist()))


def embedded(rows: Rows, program: str, **options: Any) -> list[str]:
    """Return what the embedded engine finds."""
    return in_order(tocsin.match(rows, program, **options).to_arrow())


def frame_of(spark: SparkSession, rows: Rows, schema: str) -> DataFrame:
    """Return rows as a frame; a value that a row does not have is null."""
    names = spark.createDataFrame([], schema).columns
    return spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], schema)
