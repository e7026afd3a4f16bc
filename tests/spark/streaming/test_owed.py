"""A query that ended between its last micro-batch and the empty one after it owes nothing later.

Spark applies the watermark of a micro-batch in the next one, and by itself runs none at a restart.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.streaming.test_restart import commits
from tests.spark.streams import (
    by_one_engine,
    in_order,
    micro_batches,
    read,
    read_sink,
    run_to_end,
    some_rows,
    watermark_of,
    write,
)

from tocsin.spark import match_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

DELAY_MS = 4000
PROGRAM = "SUBSCRIBE quiet MATCH a:[k = 'x' AND ip = $i] ; !b:[k = 'y' AND ip = $i] FOR 5 s"


def without_the_last_batch(out: Path) -> None:
    """Leave a checkpoint and its sink as they were before their last micro-batch."""
    last = max(int(one.name) for one in (out / "checkpoint" / "commits").glob("[0-9]*"))
    for folder in ("checkpoint/commits", "checkpoint/offsets", "found/_spark_metadata"):
        (out / folder / str(last)).unlink()
        (out / folder / f".{last}.crc").unlink(missing_ok=True)


def rows_with_an_end() -> list[dict[str, object]]:
    """Rows of which the last one lets the watermark pass all others."""
    rows = some_rows(3, 60)
    return [*rows, {"n": 60, "ts": rows[-1]["ts"] + 60_000, "ip": None, "k": "z", "v": None}]


def of_program(spark: SparkSession, out: Path, checkpoint: str | None = None) -> DataFrame:
    return match_stream(
        read(spark, out / "in"), PROGRAM, time="ts", order="n", row="n", delay="4 s", buckets=2,
        checkpoint=checkpoint,
    )  # fmt: skip


def of_table(spark: SparkSession, out: Path) -> DataFrame:
    table = out / "table"
    table.mkdir(exist_ok=True)
    pq.write_table(pa.table({"name": ["quiet"], "text": [PROGRAM]}), table / "all.parquet")
    return match_stream(
        read(spark, out / "in"), table, time="ts", order="n", row="n", delay="4 s", shards=2,
        versions=str(out / "versions"),
    )  # fmt: skip


@pytest.mark.parametrize("query_of", [of_program, pytest.param(of_table, marks=pytest.mark.slow)])
def test_what_was_owed_comes_without_another_event(
    spark: SparkSession, tmp_path: Path, query_of: Callable[[SparkSession, Path], DataFrame]
) -> None:
    rows = rows_with_an_end()
    write(micro_batches(rows, 3, size=20, delay_ms=DELAY_MS), tmp_path / "in")
    whole = run_to_end(query_of(spark, tmp_path), tmp_path)
    without_the_last_batch(tmp_path)
    assert read_sink(spark, tmp_path).num_rows < whole.num_rows, "nothing is owed"

    found = run_to_end(query_of(spark, tmp_path), tmp_path)
    assert in_order(found) == in_order(whole)
    assert len(set(found["id"].to_pylist())) == found.num_rows
    if query_of is of_program:
        wanted = by_one_engine(rows, PROGRAM, watermark_of(rows, DELAY_MS))
        assert in_order(found) == in_order(wanted)
    before = commits(tmp_path)
    again = run_to_end(query_of(spark, tmp_path), tmp_path)
    assert in_order(again) == in_order(whole), "a restart that owes nothing tells nothing"
    assert commits(tmp_path) == before + 1


def test_a_checkpoint_that_began_without_the_source_goes_on_without(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_with_an_end()
    batches = micro_batches(rows, 3, size=20, delay_ms=DELAY_MS)
    checkpoint = str(tmp_path / "checkpoint")
    write(batches[:1], tmp_path / "in")
    with monkeypatch.context() as older:
        older.setattr("tocsin.spark.streaming.start_source._SINCE", (99, 0))
        run_to_end(of_program(spark, tmp_path, checkpoint), tmp_path)
    write(batches[1:], tmp_path / "in", first=1)
    found = run_to_end(of_program(spark, tmp_path, checkpoint), tmp_path)
    assert in_order(found) == in_order(by_one_engine(rows, PROGRAM, watermark_of(rows, DELAY_MS)))
