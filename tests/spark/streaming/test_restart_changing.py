"""A query with a table of subscriptions that changes is ended hard, and goes on.

When a change takes place depends on the micro-batch that sees it. Spark writes down before each one
what it is: the watermark, and the version of the table. One engine that does the same is right.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.spark.streaming.test_changing_table import put
from tests.spark.streaming.test_restart import BATCHES, DELAY_MS, TIMES, commits, kill, start
from tests.spark.streams import (
    COLUMNS,
    in_order,
    micro_batches,
    read_sink,
    some_rows,
    write,
)

from tocsin.engine import Engine
from tocsin.model.notification import Notifications
from tocsin.spark.streaming.versions import Versions, changes_between

if TYPE_CHECKING:
    from subprocess import Popen

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1500)]

TEXTS = {
    "keyed": "SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] WITHIN 20 s",
    "quiet": "SUBSCRIBE quiet MATCH a:[k = 'x' AND ip = $i] ; !b:[k = 'y' AND ip = $i] FOR 5 s",
    "next": "SUBSCRIBE next MATCH a:[v > 1] , b:[v > 3]",
    "few": "SUBSCRIBE few MATCH a:[k = 'x'] ; b:[k = 'y'] PAIRS UNIQUE LIMIT 9",
}
STAYS = "SUBSCRIBE stays MATCH a:[v = 1] ; b:[v = 2]"


def change(table: Path, draw: random.Random) -> None:
    """Let some subscriptions go and others come; one stays."""
    some = draw.sample(sorted(TEXTS), draw.randint(1, len(TEXTS)))
    put(table, stays=STAYS, **{name: TEXTS[name] for name in some})


def drive(query: Popen[bytes], out: Path, each: Callable[[], None], enough: int) -> None:
    """Do something after each micro-batch until there were enough, or the query has ended."""
    seen = commits(out)
    while seen < enough and query.poll() is None:
        time.sleep(0.05)
        if commits(out) > seen:
            seen = commits(out)
            each()


def batches_of(out: Path) -> Iterator[tuple[int, int]]:
    """Yield the watermark and the version of the table of all micro-batches."""
    folder = out / "checkpoint" / "offsets"
    for path in sorted(folder.glob("[0-9]*"), key=lambda one: int(one.name)):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:] if line]
        facts: dict[str, Any] = {}
        for line in lines:
            facts |= line
        yield facts["batchWatermarkMs"], facts["version"]


def by_one_engine(rows: list[dict[str, Any]], out: Path) -> pa.Table:
    """Return what one engine gives that is changed when the micro-batches say so."""
    engine, found, last, seen = Engine("", time="ts"), [], 0, 0
    versions = Versions(out / "versions")
    for watermark, version in batches_of(out):
        due = [row for row in rows if last < row["ts"] <= watermark]
        found += engine.process(pa.Table.from_pylist(due, schema=COLUMNS))
        if watermark:
            found += engine.advance(watermark)
        changes = changes_between(versions.content(seen), versions.content(version))
        for name in changes.removed:
            engine.unsubscribe(name)
        for text in changes.added.values():
            engine.subscribe(text)
        last, seen = watermark, version
    return Notifications(found, form=engine.time_form).to_arrow()


@pytest.mark.slow  # another query is killed on every run
@pytest.mark.parametrize("seed", range(TIMES))
def test_a_query_with_a_changing_table_goes_on(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    rows = some_rows(seed, 60)
    batches = micro_batches(rows, seed, size=len(rows) // BATCHES, delay_ms=DELAY_MS)
    table, events, out = (tmp_path / name for name in ("table", "in", "out"))
    write(batches, events)
    draw = random.Random(seed)
    change(table, draw)
    query = start("table", str(table), events, out)
    drive(query, out, lambda: change(table, draw), draw.randint(2, len(batches) - 3))
    time.sleep(draw.random() * 2)
    assert query.poll() is None, "the query has ended before it was killed"
    kill(query)

    change(table, draw)
    query = start("table", str(table), events, out)
    drive(query, out, lambda: change(table, draw), len(batches))
    assert query.wait() == 0
    wanted, found = by_one_engine(rows, out), read_sink(spark, out)
    assert in_order(found) == in_order(wanted)
    assert len(set(found["id"].to_pylist())) == found.num_rows
    assert wanted.num_rows > 10
    assert Versions(out / "versions").latest() > 3
