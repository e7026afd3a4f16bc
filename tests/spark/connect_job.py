"""Run as a program, since a process has either Connect or none: the calls against one engine.

Usage: connect_job.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import Observation, SparkSession
from tests.spark.cluster_job import answers
from tests.spark.streams import (
    by_one_engine,
    read,
    run_to_end,
    some_rows,
    watermark_of,
    write,
)

import tocsin
from tocsin.bench.spark.subscriptions import INTRUSION, WATCH, ten, watches
from tocsin.spark import explain, match, match_stream, register
from tocsin.spark.pipeline import run_pipeline
from tocsin.spark.session import SETTINGS

MANY = 300
DELAY_MS = 3000
PIPELINE = """
mode = "{mode}"
[events]
time = "ts"
row = "n"
[sources.logins]
format = "parquet"
path = "events"
schema = "n bigint, ts timestamp, ip string, status string, port bigint, bytes bigint"
[subscriptions]
files = ["rules.tocsin"]
[sinks.notifications]
format = "json"
path = "out/{mode}"
[stream]
checkpoint = "out/checkpoint"
delay = "1 s"
"""


def main(folder: Path) -> None:
    builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "3")
    for name, value in SETTINGS.items():
        if name.startswith("spark.sql."):  # a server has its other settings when it starts
            builder = builder.config(name, value)
    spark = builder.getOrCreate()
    found = answers(spark, folder) | {
        "is_remote": "connect" in type(spark).__module__,
        "many": many(spark, folder),
        "observed": observed(spark, folder),
        "explained": explain(ten(), events_of(spark, folder), time="ts", row="n"),
        "sql": by_sql(spark, folder),
        "watched": watched(spark, folder),
        "pipelines": [piped(spark, folder, mode) for mode in ("batch", "stream")],
    }
    (folder / "answer.json").write_text(json.dumps(found), encoding="utf-8")
    spark.stop()


def events_of(spark: SparkSession, folder: Path) -> Any:
    return spark.read.parquet(str(folder / "events"))


def many(spark: SparkSession, folder: Path) -> list[int]:
    """More subscriptions than a plan may nest."""
    events, table = events_of(spark, folder), watches(MANY)
    found = match(events, WATCH, table=table, time="ts", row="n").count()
    own = tocsin.match(logins_of(folder), WATCH, table=table, time="ts")
    return [found, len(own)]


def logins_of(folder: Path) -> Any:
    return pq.read_table(folder / "events").sort_by("n")


def observed(spark: SparkSession, folder: Path) -> dict[str, Any]:
    counts = Observation()
    match(events_of(spark, folder), INTRUSION, time="ts", row="n", observation=counts).count()
    return counts.get


def by_sql(spark: SparkSession, folder: Path) -> int:
    register(spark)
    events_of(spark, folder).createOrReplaceTempView("logins")
    text = INTRUSION.replace("'", "''")
    found = spark.sql(f"SELECT count(*) FROM tocsin_match(TABLE(logins), '{text}', 'ts')").first()
    assert found is not None
    return int(found[0])


def watched(spark: SparkSession, folder: Path) -> list[int]:
    """Return how many notifications a table of subscriptions gives, and one engine."""
    rows, out = some_rows(5, 60), folder / "watching"
    write([rows[:30], rows[30:]], out / "in")
    text = "SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i]"
    table = spark.createDataFrame([("keyed", text)], "name string, text string")
    found = match_stream(
        read(spark, out / "in"), lambda: table, time="ts", order="n", row="n", shards=2,
        delay=f"{DELAY_MS // 1000} s", versions=str(out / "versions"),
    )  # fmt: skip
    wanted = by_one_engine(rows, text, watermark_of(rows, DELAY_MS)).num_rows
    return [run_to_end(found, out).num_rows, wanted]


def piped(spark: SparkSession, folder: Path, mode: str) -> dict[str, int]:
    file = folder / f"{mode}.toml"
    file.write_text(PIPELINE.format(mode=mode), encoding="utf-8")
    (folder / "rules.tocsin").write_text(INTRUSION, encoding="utf-8")
    return run_pipeline(file, spark=spark)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
