"""Tables of subscriptions that a session reads, each time anew; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.streaming.test_changing_table import put
from tests.spark.streams import read

from tocsin.errors import ConfigurationError
from tocsin.spark import match_stream
from tocsin.spark.streaming.asking import answer, ask_at
from tocsin.spark.streaming.subscription_tables import is_folder, is_table, reader_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def named(spark: SparkSession, folder: Path) -> str:
    spark.sql(f"CREATE TABLE own_rules USING parquet LOCATION '{folder}'")
    return "own_rules"


WAYS: dict[str, Callable[[SparkSession, Path], Any]] = {
    "name": named,
    "frame": lambda spark, folder: spark.read.parquet(str(folder)).where("name <> 'hidden'"),
    "function": lambda spark, folder: lambda: spark.read.parquet(str(folder)),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_was_written_since_is_read(spark: SparkSession, tmp_path: Path, way: str) -> None:
    put(tmp_path / "rules", a="A")
    given = WAYS[way](spark, tmp_path / "rules")
    assert is_table(given)
    assert not is_folder(given)
    try:
        ask = reader_of(spark, given)
        assert ask() == {"a": "A"}
        put(tmp_path / "rules", a="B", c="C")
        assert ask() == {"a": "B", "c": "C"}
        put(tmp_path / "rules", c="C")
        assert ask_at(answer(ask)) == {"c": "C"}
    finally:
        spark.sql("DROP TABLE IF EXISTS own_rules")


def test_a_table_that_went_away_is_told_where_it_is_asked_for(
    spark: SparkSession, tmp_path: Path
) -> None:
    put(tmp_path / "rules", a="A")
    address = answer(reader_of(spark, lambda: spark.read.parquet(str(tmp_path / "rules"))))
    (tmp_path / "rules" / "all.parquet").unlink()
    (tmp_path / "rules").rmdir()
    with pytest.raises(ConfigurationError, match="Spark cannot read the table of subscriptions"):
        ask_at(address)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda _: "no_such_rules", "TABLE_OR_VIEW_NOT_FOUND.*no_such_rules"),
        (lambda spark: spark.createDataFrame([("a",)], "name string"), "this one has name"),
        (lambda _: lambda: ["a"], "this one gave list"),
        (lambda spark: spark.readStream.format("rate").load(), "is no stream"),
    ],
    ids=["unknown", "without text", "no frame", "a stream"],
)
def test_wrong_tables_are_told_before_anything_runs(
    spark: SparkSession, tmp_path: Path, given: Callable[[Any], Any], said: str
) -> None:
    (tmp_path / "in").mkdir()
    events = read(spark, tmp_path / "in")
    options = {"time": "ts", "delay": "1 s", "versions": str(tmp_path / "versions")}
    with pytest.raises(ConfigurationError, match=said):
        match_stream(events, given(spark), **options)


def test_a_frame_needs_a_folder_for_its_versions(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    table = spark.createDataFrame([("a", "A")], "name string, text string")
    with pytest.raises(ConfigurationError, match=r"the DataFrame is a table .* versions="):
        match_stream(read(spark, tmp_path / "in"), table, time="ts", delay="1 s")
