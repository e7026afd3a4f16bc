"""Random programs on real streams of Spark, in random micro-batches, stopped and started again."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from tests.spark.streams import (
    in_order,
    micro_batches,
    read,
    read_sink,
    run_to_end,
    write,
)
from tests.spark.test_equals_the_embedded_engine import SCHEMA, many_cases

import tocsin
from tocsin.spark import match_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(7200)]

Rows = list[dict[str, Any]]
Stop = Callable[[Callable[[], "DataFrame"], list[Rows], Path, random.Random], None]

IS_LARGE = os.environ.get("TOCSIN_EXHAUSTIVE") == "1"
COLUMNS = pa.schema(
    [
        *((name, pa.int64()) for name in ("n", "ts", "fin", "v")),
        *((name, pa.string()) for name in ("s", "k")),
        *((name, pa.float64()) for name in ("g", "h")),
    ]
)
DELAY_MS = 2000
BEGIN_MS = 10_000  # Spark takes a watermark of 0 for none
ONE_SESSION = settings(
    max_examples=20 if IS_LARGE else 1,
    phases=[Phase.generate],  # a smaller case is found without Spark, in test_bucket
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.filter_too_much,
    ],
)


def moved(rows: Rows) -> Rows:
    """Return rows as files have them, later, and one of no subscription that ends the stream."""
    found = [
        {
            **row,
            "ts": row["ts"] + BEGIN_MS,
            "fin": row["$end"] + BEGIN_MS,
            "s": row["$stream"],
        }
        for row in rows
    ]
    end = max(row["fin"] for row in found) + 4 * DELAY_MS
    return [*found, {"n": len(found), "ts": end, "fin": end, "s": "nobody's"}]


def by_one_engine(rows: Rows, program: str, simultaneous: Any) -> pa.Table:
    """Return what one engine gives for all rows that the watermark passes."""
    watermark = rows[-1]["fin"] - DELAY_MS
    known = ("ts", "k", "v", "g", "h")
    named = [
        {name: row[name] for name in known if row.get(name) is not None}
        | {"$stream": row["s"], "$end": row["fin"]}
        for row in rows[:-1]
    ]
    options = {"time": "ts", "clock": watermark, "simultaneous": simultaneous}
    return tocsin.match(named, program, **options).to_arrow()


def end_between(
    query_of: Callable[[], DataFrame], batches: list[Rows], out: Path, draw: random.Random
) -> None:
    """Stop after some micro-batches, when all was run that had come."""
    many = draw.randint(1, len(batches) - 1) if len(batches) > 1 else 1
    write(batches[:many], out / "in", columns=COLUMNS)
    run_to_end(query_of(), out)
    write(batches[many:], out / "in", columns=COLUMNS, first=many)


def end_within(
    query_of: Callable[[], DataFrame], batches: list[Rows], out: Path, draw: random.Random
) -> None:
    """Stop at any moment, in the middle of a micro-batch say."""
    write(batches, out / "in", columns=COLUMNS)
    writer = query_of().writeStream.format("parquet").option("path", str(out / "found"))
    query = writer.option("checkpointLocation", str(out / "checkpoint")).start()
    enough = draw.randint(1, len(batches))
    while query.isActive and len(query.recentProgress) < enough:
        time.sleep(0.05)
    time.sleep(draw.random())
    query.stop()


@pytest.mark.parametrize(
    "stop", [None, pytest.param(end_between, marks=pytest.mark.slow), end_within]
)
@ONE_SESSION
@given(
    many_cases(),
    st.integers(0, 1000),
    st.sampled_from([1, 3]),
    st.sampled_from(["ordered", "unordered"]),
)
def test_random_programs_equal_one_engine(
    spark: SparkSession,
    stop: Stop | None,
    case: tuple[str, Rows],
    seed: int,
    buckets: int,
    simultaneous: Any,
) -> None:
    program, given_rows = case
    rows = moved(given_rows)
    wanted = by_one_engine(rows, program, simultaneous)
    assume(len(set(wanted["subscription"].to_pylist())) > 3)  # the simplest case tells little
    batches = micro_batches(rows, seed, size=-(-len(rows) // 4), delay_ms=DELAY_MS, time="fin")
    with TemporaryDirectory() as folder:
        out = Path(folder)

        def query_of() -> DataFrame:
            return match_stream(
                read(spark, out / "in", SCHEMA), program, time="ts", end="fin", order="n",
                row="n", streams="s", delay=f"{DELAY_MS // 1000} s", buckets=buckets, shards=2,
                simultaneous=simultaneous,
            )  # fmt: skip

        if stop is None:
            write(batches, out / "in", columns=COLUMNS)
        else:
            stop(query_of, batches, out, random.Random(seed))
        run_to_end(query_of(), out)
        found = read_sink(spark, out)
    assert in_order(found) == in_order(wanted)
    assert len(set(found["id"].to_pylist())) == found.num_rows
