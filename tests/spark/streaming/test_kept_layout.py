"""A query that goes on from its checkpoint orders and reads events as it began, or is refused."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.spark.streams import COLUMNS, SCHEMA, read, run_to_end, write

from tocsin.errors import ConfigurationError
from tocsin.spark import match_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

NEXT = "SUBSCRIBE s MATCH a:[v = 1] , b:[v = 2] EMIT a.k AS first, b.k AS second"
OPTIONS: dict[str, Any] = {"time": "ts", "delay": "1 s", "shards": 1}
DRAW = random.Random(8)
TOGETHER = [
    {"n": n, "ts": 100_000, "ip": f"10.0.0.{n}", "k": f"row {n}", "v": DRAW.choice([1, 2])}
    for n in range(24)
]
END = {"n": 99, "ts": 900_000, "ip": "", "k": "end", "v": 0}
ENDS = [END, {**END, "ts": 990_000}]
FIRST, SECOND = TOGETHER[:12], TOGETHER[12:]


def query(spark: SparkSession, folder: Path, schema: str = SCHEMA, **options: Any) -> DataFrame:
    events = read(spark, folder / "in", schema)
    return match_stream(events, options.pop("program", NEXT), **OPTIONS, **options)


def pairs(found: pa.Table) -> list[str]:
    return sorted(map(str, found["emit"].to_pylist()))


def wider(rows: list[dict[str, Any]], folder: Path, first: int) -> None:
    """Write rows that have one more column."""
    columns = COLUMNS.append(pa.field("more", pa.string()))
    write(
        [[{**row, "more": f"of {row['n']}"} for row in rows]], folder, columns=columns, first=first
    )


@pytest.fixture
def begun(spark: SparkSession, tmp_path: Path) -> Path:
    """A query that was told its checkpoint, and has some events that wait."""
    write([FIRST], tmp_path / "in")
    run_to_end(query(spark, tmp_path, checkpoint=str(tmp_path / "checkpoint")), tmp_path)
    return tmp_path


def test_a_column_that_comes_later_changes_no_order(
    spark: SparkSession, begun: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = tmp_path_factory.mktemp("whole")
    write([TOGETHER, *[[one] for one in ENDS]], whole / "in")
    wanted = pairs(run_to_end(query(spark, whole), whole))
    assert len(wanted) > 3
    for number, rows in enumerate([SECOND, *[[one] for one in ENDS]], 1):
        wider(rows, begun / "in", number)
    again = query(spark, begun, f"{SCHEMA}, more string", checkpoint=str(begun / "checkpoint"))
    assert pairs(run_to_end(again, begun)) == wanted


def test_without_a_checkpoint_the_buckets_refuse_such_a_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    write([FIRST], tmp_path / "in")
    run_to_end(query(spark, tmp_path), tmp_path)
    assert not (tmp_path / "checkpoint" / "tocsin_layout").exists()
    wider(SECOND, tmp_path / "in", 1)
    said = "'more' was not there .* would change the order of events of equal time; leave it out"
    with pytest.raises(Exception, match=said):
        run_to_end(query(spark, tmp_path, f"{SCHEMA}, more string"), tmp_path)


@pytest.mark.parametrize(
    ("schema", "options", "said"),
    [
        (SCHEMA.replace("v int", "v string"), {}, "'v' is a string, and was a int when"),
        (SCHEMA.replace("ip string", "ip int"), {}, "'ip' is a int, and was a string when"),
        (SCHEMA.replace(", ip string", ""), {}, "'ip' is gone, which was there when"),
        (SCHEMA, {"order": "n"}, "is of another program, of other options"),
        (SCHEMA, {"program": f"{NEXT} LIMIT 3"}, "is of another program, of other options"),
    ],
    ids=["a read column", "a column for ties", "a lost column", "options", "program"],
)
def test_what_cannot_go_on_is_refused_before_it_runs(
    spark: SparkSession, begun: Path, schema: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        query(spark, begun, schema, checkpoint=str(begun / "checkpoint"), **options)


def test_a_checkpoint_that_never_ran_holds_nobody(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    checkpoint = str(tmp_path / "a [new] one")
    query(spark, tmp_path, SCHEMA.replace("v int", "v string"), checkpoint=checkpoint)
    query(spark, tmp_path, checkpoint=checkpoint)


def test_one_that_ran_without_being_told_is_left_to_its_buckets(
    spark: SparkSession, tmp_path: Path
) -> None:
    write([FIRST], tmp_path / "in")
    run_to_end(query(spark, tmp_path), tmp_path)
    query(spark, tmp_path, checkpoint=str(tmp_path / "checkpoint"))
    assert not (tmp_path / "checkpoint" / "tocsin_layout").exists()


@pytest.mark.parametrize(
    ("checkpoint", "said"),
    [("nowhere://b/c", "does not reach checkpoint='nowhere://b/c'"), (" ", "checkpoint= is empty")],
)
def test_a_checkpoint_out_of_reach_is_told_by_its_name(
    spark: SparkSession, tmp_path: Path, checkpoint: str, said: str
) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(ConfigurationError, match=said):
        query(spark, tmp_path, checkpoint=checkpoint)


def test_a_broken_layout_is_told(spark: SparkSession, begun: Path) -> None:
    kept = begun / "checkpoint" / "tocsin_layout"
    for old in kept.iterdir():
        old.unlink()
    (kept / "part.txt").write_text('{"form": 3}\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match="tells of its state is broken"):
        query(spark, begun, checkpoint=str(begun / "checkpoint"))


def test_a_restart_that_is_refused_leaves_no_port_open(spark: SparkSession, tmp_path: Path) -> None:
    write([FIRST], tmp_path / "in")
    table = spark.createDataFrame([("s", NEXT)], "name string, text string")
    told = {"checkpoint": str(tmp_path / "checkpoint"), "versions": str(tmp_path / "versions")}
    run_to_end(query(spark, tmp_path, program=table, **told), tmp_path)
    before = threading.active_count()
    with pytest.raises(ConfigurationError, match="'v' is a string, and was a int"):
        query(spark, tmp_path, SCHEMA.replace("v int", "v string"), program=table, **told)
    assert threading.active_count() == before
