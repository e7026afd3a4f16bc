"""A query in a process of its own, for tests that end it hard: `driver.py PROGRAM IN OUT DELAY`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.spark.streams import read, run_to_end

from tocsin.spark import local_session, match_stream


def main(program: str, events: str, out: str, delay: str) -> None:
    session = local_session(
        cores=2,
        settings={"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"},
    )
    found = match_stream(
        read(session, Path(events)), program, time="ts", order="n", row="n", delay=delay, buckets=3
    )
    run_to_end(found, Path(out))
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
