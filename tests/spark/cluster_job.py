"""Run as a program against a cluster: a batch and a stream, compared with one engine.

Usage: cluster_job.py MASTER FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from tests.spark.streams import run_to_end

import tocsin
from tocsin.bench.spark.data import logins, write
from tocsin.bench.spark.subscriptions import INTRUSION, ten
from tocsin.spark import match, match_stream
from tocsin.spark.ids import with_ids

EVENTS = 5_000


def main(master: str, folder: Path) -> None:
    spark = (
        SparkSession.builder.master(master)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "1g")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    (folder / "answer.json").write_text(json.dumps(answers(spark, folder)), encoding="utf-8")
    spark.stop()


def answers(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """Return how batches and a stream compare with one engine."""
    table = logins(EVENTS)
    write(table, folder / "events", files=3)
    own = {text: with_ids(tocsin.match(table, text, time="ts").to_arrow())["id"].to_pylist()
           for text in (INTRUSION, ten())}  # fmt: skip
    events = spark.read.parquet(str(folder / "events"))
    batches = [
        sorted(match(events, text, time="ts", row="n").toArrow()["id"].to_pylist()) == sorted(ids)
        for text, ids in own.items()
    ]
    arriving = spark.readStream.schema(events.schema).option("maxFilesPerTrigger", 1)
    found = match_stream(
        arriving.parquet(str(folder / "events")), INTRUSION, time="ts", row="n", delay="1 s"
    )
    told = run_to_end(found, folder)["id"].to_pylist()
    return {
        "batches": batches,
        "told": len(told),
        "distinct": len(set(told)),
        "wrong": len(set(told) - set(own[INTRUSION])),
        "of": len(own[INTRUSION]),
    }


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
