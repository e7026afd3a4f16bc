"""Queries in processes of their own, for tests that end them hard.

`driver.py WAY WHAT IN OUT DELAY`: the way `program` runs a program until its events are there, and
`table` a table of subscriptions that may change, until the watermark of all events is reached.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.spark.streams import read, run_to_end, wait_for

from tocsin.model.durations import parse_duration
from tocsin.spark import local_session, match_stream


def main(way: str, what: str, events: str, out: str, delay: str) -> None:
    session = local_session(
        cores=2,
        settings={"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"},
    )
    options: dict[str, Any] = {"time": "ts", "order": "n", "row": "n", "delay": delay}
    frame = read(session, Path(events))
    if way == "program":
        run_to_end(match_stream(frame, what, **options, buckets=3), Path(out))
    else:
        versions = str(Path(out) / "versions")
        found = match_stream(frame, Path(what), **options, shards=2, versions=versions)
        run_changing(found, Path(events), Path(out), parse_duration(delay) // 1000)
    session.stop()


def run_changing(found: Any, events: Path, out: Path, delay_ms: int) -> None:
    writer = found.writeStream.format("parquet").option("path", str(out / "found"))
    query = writer.option("checkpointLocation", str(out / "checkpoint")).start()
    latest = max(max(pq.read_table(one)["ts"].to_pylist()) for one in events.glob("*.parquet"))
    wait_for(query, latest - delay_ms)
    query.processAllAvailable()
    query.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
