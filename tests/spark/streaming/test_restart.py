"""A query that is ended hard goes on from its checkpoint: nothing is lost, nothing comes twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spark.streams import (
    by_one_engine,
    in_order,
    micro_batches,
    read_sink,
    some_rows,
    watermark_of,
    write,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1500)]

ROOT = Path(__file__).parents[3]
TIMES = 5 if os.environ.get("TOCSIN_EXHAUSTIVE") == "1" else 1
DELAY_MS = 4000
BATCHES = 8 if TIMES > 1 else 5
PROGRAM = """
SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] WITHIN 20 s;
SUBSCRIBE quiet MATCH a:[k = 'x' AND ip = $i] ; !b:[k = 'y' AND ip = $i] FOR 5 s;
SUBSCRIBE next MATCH a:[v = 1] , b:[v > 3];
SUBSCRIBE few MATCH a:[k = 'x'] ; b:[k = 'y'] PAIRS UNIQUE LIMIT 9
"""


def start(way: str, what: str, events: Path, out: Path) -> subprocess.Popen[bytes]:
    """Start the query as a process group of its own."""
    paths = [str(ROOT / "src"), str(ROOT)]
    command = ["-m", "tests.spark.streaming.driver", way, what, str(events), str(out), "4 s"]
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def commits(out: Path) -> int:
    """Return how many micro-batches were done."""
    return len(list((out / "checkpoint" / "commits").glob("[0-9]*")))


def kill(query: subprocess.Popen[bytes]) -> None:
    """End a query and its JVM at once, with no chance to tidy up."""
    os.killpg(query.pid, signal.SIGKILL)
    query.wait()


@pytest.mark.parametrize("seed", range(TIMES))
def test_a_query_that_was_killed_goes_on(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    rows = some_rows(seed, 60)
    batches = micro_batches(rows, seed, size=len(rows) // BATCHES, delay_ms=DELAY_MS)
    events, out = tmp_path / "in", tmp_path / "out"
    write(batches, events)
    draw = random.Random(seed)
    enough = draw.randint(1, len(batches) - 3)
    query = start("program", PROGRAM, events, out)
    while commits(out) < enough and query.poll() is None:
        time.sleep(0.05)
    time.sleep(draw.random())  # not longer: a fast machine would be done
    assert query.poll() is None, "the query has ended before it was killed"
    kill(query)
    assert commits(out) <= len(batches)

    assert start("program", PROGRAM, events, out).wait() == 0
    wanted = by_one_engine(rows, PROGRAM, watermark_of(rows, DELAY_MS))
    found = read_sink(spark, out)
    assert in_order(found) == in_order(wanted)
    assert len(set(found["id"].to_pylist())) == found.num_rows
    assert wanted.num_rows > 20
