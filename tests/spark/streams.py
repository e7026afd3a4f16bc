"""Streams from files, for tests: rows in random micro-batches, and what one engine finds."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

import tocsin

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

SCHEMA = "n bigint, ts bigint, ip string, k string, v int"
COLUMNS = pa.schema(
    [("n", "int64"), ("ts", "int64"), ("ip", "string"), ("k", "string"), ("v", "int32")]
)


def some_rows(seed: int, count: int) -> list[dict[str, Any]]:
    """Rows in the order of their time, some of them simultaneous, some with missing values."""
    draw = random.Random(seed)
    moment, rows = 1_000_000, []
    for number in range(count):
        moment += draw.choice([0, 500, 1000, 1000, 3000])
        rows.append(
            {
                "n": number,
                "ts": moment,
                "ip": draw.choice(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", None]),
                "k": draw.choice("xyz"),
                "v": draw.choice([1, 2, 3, 4, 5, 6, None]),
            }
        )
    return rows


def micro_batches(
    rows: Sequence[dict[str, Any]], seed: int, *, size: int, delay_ms: int, time: str = "ts"
) -> list[list[dict[str, Any]]]:
    """Return rows in an order of arrival in which none is late, cut at random."""
    draw = random.Random(seed)
    arrival = sorted(rows, key=lambda row: row[time] + draw.randrange(delay_ms))
    batches, begin = [], 0
    while begin < len(arrival):
        end = begin + draw.randint(1, 2 * size - 1)
        batches.append(arrival[begin:end])
        begin = end
    return batches


def write(
    batches: Sequence[list[dict[str, Any]]],
    folder: Path,
    *,
    columns: pa.Schema = COLUMNS,
    first: int = 0,
) -> None:
    """Write a file for each batch; Spark takes them by the time of their change, then by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, batch in enumerate(batches, first):
        path = folder / f"{number:05}.parquet"
        pq.write_table(pa.Table.from_pylist(batch, schema=columns), path)
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def read(spark: SparkSession, folder: Path, schema: str = SCHEMA) -> DataFrame:
    """Return the files as a stream, each a micro-batch."""
    options = {"maxFilesPerTrigger": "1"}
    return spark.readStream.schema(schema).options(**options).parquet(str(folder))


def run_to_end(found: DataFrame, out: Path) -> pa.Table:
    """Run a stream until its source is empty; return all that came out."""
    query = (
        found.writeStream.format("parquet")
        .option("path", str(out / "found"))
        .option("checkpointLocation", str(out / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return read_sink(found.sparkSession, out)


def read_sink(spark: SparkSession, out: Path) -> pa.Table:
    """Return what a stream has written, as Spark reads it."""
    return spark.read.parquet(str(out / "found")).toArrow()


def wait_for(query: StreamingQuery, watermark_ms: int) -> None:
    """Wait until a micro-batch has run with a watermark."""
    wanted = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(watermark_ms / 1000))
    query.processAllAvailable()
    while query.isActive:
        progress = query.lastProgress
        if progress is not None and progress["eventTime"].get("watermark", "") >= wanted:
            return
        time.sleep(0.2)
    raise AssertionError(query.exception())


def watermark_of(rows: Sequence[dict[str, Any]], delay_ms: int) -> int:
    """Return where the watermark ends."""
    return int(max(row["ts"] for row in rows)) - delay_ms


def by_one_engine(rows: Sequence[dict[str, Any]], program: str, watermark: int) -> pa.Table:
    """Return what one engine gives for all rows up to a watermark."""
    ordered = sorted(rows, key=lambda row: (row["ts"], row["n"]))
    assert [row["n"] for row in ordered] == list(range(len(ordered)))
    taken = [row for row in ordered if row["ts"] <= watermark]
    table = pa.Table.from_pylist(taken, schema=COLUMNS)
    return tocsin.match(table, program, time="ts", clock=watermark).to_arrow()


def in_order(found: pa.Table) -> list[str]:
    """Return notifications so that they can be compared."""
    columns = [name for name in found.column_names if name != "id"]
    return sorted(map(repr, found.select(columns).to_pylist()))
