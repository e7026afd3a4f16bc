"""A table of subscriptions is changed while the query runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.streams import (
    COLUMNS,
    in_order,
    read,
    read_sink,
    run_to_end,
    some_rows,
    wait_for,
    watermark_of,
)

import tocsin
from tocsin.engine import Engine
from tocsin.model.notification import Notifications
from tocsin.spark import match_stream
from tocsin.spark.streaming.subscription_tables import check_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

STAYS = "SUBSCRIBE stays MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i]"
ENDS = "SUBSCRIBE ends MATCH a:[v = 1] , b:[k = 'x']"
COMES = "SUBSCRIBE comes MATCH a:[v = 3] ; !b:[v = 1] FOR 2 s"
DELAY_MS = 3000


def put(table: Path, **texts: str) -> None:
    """Put a table in the place of the old one."""
    table.mkdir(exist_ok=True)
    given = pa.table({"name": list(texts), "text": list(texts.values())})
    pq.write_table(given, table / ".new")
    (table / ".new").rename(table / "all.parquet")


def add_file(folder: Path, number: int, rows: list[dict[str, Any]]) -> None:
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=COLUMNS), folder / f".{number}")
    (folder / f".{number}").rename(folder / f"{number}.parquet")


@pytest.mark.parametrize("way", ["folder", pytest.param("frame", marks=pytest.mark.slow)])
def test_rows_come_and_go_at_a_micro_batch(spark: SparkSession, tmp_path: Path, way: str) -> None:
    rows = some_rows(5, 60)
    first, second = rows[:30], rows[30:]
    put(tmp_path / "table", stays=STAYS, ends=ENDS)
    add_file(tmp_path / "in", 0, first)
    found = match_stream(
        read(spark, tmp_path / "in"),
        tmp_path / "table" if way == "folder" else spark.read.parquet(str(tmp_path / "table")),
        time="ts",
        order="n",
        row="n",
        delay="3 s",
        shards=2,
        versions=str(tmp_path / "versions"),
    )
    writer = found.writeStream.format("parquet").option("path", str(tmp_path / "found"))
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    wait_for(query, watermark_of(first, DELAY_MS))
    put(tmp_path / "table", stays=STAYS, comes=COMES)
    query.processAllAvailable()
    add_file(
        tmp_path / "in", 1, [row for row in second if row["ts"] > watermark_of(first, DELAY_MS)]
    )
    wait_for(query, watermark_of(rows, DELAY_MS))
    query.stop()

    wanted = by_one_engine(rows, watermark_of(first, DELAY_MS), watermark_of(rows, DELAY_MS))
    assert in_order(read_sink(spark, tmp_path)) == in_order(wanted)
    assert set(wanted["subscription"].to_pylist()) == {"stays", "ends", "comes"}


def by_one_engine(rows: list[dict[str, Any]], changed: int, end: int) -> pa.Table:
    """Return what an engine gives that is changed at one watermark and stopped at another."""
    engine = Engine(f"{STAYS};{ENDS}", time="ts")
    found = []
    for low, high in ((-1, changed), (changed, end)):
        taken = [row for row in rows if low < row["ts"] <= high]
        found += engine.process(pa.Table.from_pylist(taken, schema=COLUMNS))
        found += engine.advance(high)
        if high == changed:
            engine.unsubscribe("ends")
            engine.subscribe(COMES)
    return Notifications(found, form=engine.time_form).to_arrow()


def test_a_table_needs_a_folder_for_its_versions(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "table", stays=STAYS)
    (tmp_path / "in").mkdir()
    with pytest.raises(tocsin.ConfigurationError, match="versions="):
        match_stream(read(spark, tmp_path / "in"), tmp_path / "table", time="ts", delay="1 s")


def test_columns_that_no_event_carries_stay_behind(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "table", one="SUBSCRIBE one MATCH a:[k = 'x']")
    add_file(tmp_path / "in", 0, some_rows(5, 20))
    events = read(spark, tmp_path / "in").selectExpr("*", "array(v) AS m", "binary(k) AS raw")
    found = match_stream(
        events, tmp_path / "table", time="ts", delay="0 s", versions=str(tmp_path / "versions")
    )
    told = run_to_end(found, tmp_path)
    assert set(told["kind"].to_pylist()) == {"match"}


@pytest.mark.parametrize("way", ["folder", "frame"])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("MATCH [size = 1]", "'wrong' of the table cannot run: it reads 'size' of stream"),
        ("MATCH [m = 1]", "no column of that name that events can carry; there are ts, n, ip"),
        ("FROM other MATCH [v = 1]", "reads the stream 'other', but all rows are of stream"),
    ],
)
def test_what_the_table_has_at_first_must_be_readable(
    spark: SparkSession, tmp_path: Path, way: str, wrong: str, said: str
) -> None:
    """It came out as a row of the kind `bad_program`, in whatever the query had written."""
    put(tmp_path / "table", stays=STAYS, wrong=f"SUBSCRIBE wrong {wrong}")
    (tmp_path / "in").mkdir()
    events = read(spark, tmp_path / "in").selectExpr("*", "array(v) AS m")
    given = tmp_path / "table" if way == "folder" else spark.read.parquet(str(tmp_path / "table"))
    options = {"time": "ts", "delay": "1 s", "versions": str(tmp_path / "versions")}
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match_stream(events, given, **options)


def test_rows_that_cannot_be_read_and_come_later_are_told_and_hold_up_no_restart(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = some_rows(5, 20)
    put(tmp_path / "table", one="SUBSCRIBE one MATCH a:[k = 'x']", bad="SUBSCRIBE bad MATCH")
    add_file(tmp_path / "in", 0, rows)

    def query() -> DataFrame:
        return match_stream(
            read(spark, tmp_path / "in"), tmp_path / "table", time="ts", delay="0 s", shards=2,
            versions=str(tmp_path / "versions"), observed="own",
        )  # fmt: skip

    found = query()
    put(
        tmp_path / "table", one="SUBSCRIBE one MATCH a:[k = 'x']", bad="SUBSCRIBE bad MATCH",
        late="SUBSCRIBE late MATCH [size = 1]",
    )  # fmt: skip
    told = run_to_end(found, tmp_path).to_pylist()
    wrong = {one["subscription"]: one["kind"] for one in told if one["subscription"] != "one"}
    assert wrong == {"bad": "bad_program", "late": "bad_program"}
    assert run_to_end(query(), tmp_path).num_rows == len(told)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"versions": "s3://bucket/versions"}, "without a scheme"),
        ({"versions": "versions", "table": [{"n": 1}]}, "this is a table of subscriptions"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    spark: SparkSession, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    put(tmp_path / "table", stays=STAYS)
    (tmp_path / "in").mkdir()
    events = read(spark, tmp_path / "in")
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match_stream(events, tmp_path / "table", time="ts", delay="1 s", **options)


def test_the_folder_of_a_delta_table_is_refused(tmp_path: Path) -> None:
    check_folder(tmp_path)
    (tmp_path / "_delta_log").mkdir()
    with pytest.raises(tocsin.ConfigurationError, match="is a Delta table; give its name"):
        check_folder(tmp_path)


@pytest.fixture
def few_batches_kept(spark: SparkSession) -> Iterator[None]:
    name = "spark.sql.streaming.minBatchesToRetain"
    before = spark.conf.get(name)
    spark.conf.set(name, "1")
    yield
    spark.conf.set(name, str(before))


@pytest.mark.slow  # it runs many micro-batches until versions go
@pytest.mark.usefixtures("few_batches_kept")
def test_old_versions_go_and_a_lost_one_ends_the_query_with_its_file(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    versions = tmp_path / "versions"

    def run() -> None:
        found = match_stream(
            read(spark, tmp_path / "in"), tmp_path / "table", time="ts", delay="1 s", shards=1,
            versions=str(versions),
        )  # fmt: skip
        run_to_end(found, tmp_path)

    for number in range(5):
        put(tmp_path / "table", stays=f"{STAYS} LIMIT {number + 1}")
        run()
    kept = {int(path.stem) for path in versions.glob("*.json")}
    assert 1 not in kept
    assert kept >= {4, 5}
    shutil.rmtree(versions)
    put(tmp_path / "table", stays=STAYS)
    with pytest.raises(Exception, match=r"version 5 of the table of subscriptions cannot be read"):
        run()
