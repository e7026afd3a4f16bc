"""Pipelines whose subscriptions come from a table that may change; and other keys of streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.streams import some_rows

import tocsin
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import read_log, run_pipeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

PIPELINE = """
mode = "stream"
events = { time = "ts", row = "n" }
sinks.notifications = { format = "json", path = "out" }
[sources.s]
format = "json"
path = "in"
schema = "n bigint, ts bigint, k string, v int"
"""
WATCHED = """
[subscriptions.watched]
format = "csv"
path = "rules"
select = ["title AS name", "body AS text"]
[stream]
checkpoint = "checkpoint"
shards = 2
"""


def put(folder: Path, **texts: str) -> None:
    folder.mkdir(exist_ok=True)
    lines = [f'{name},"{text}"' for name, text in texts.items()]
    (folder / "rules.csv").write_text("title,body\n" + "\n".join(lines) + "\n", encoding="utf-8")


def add(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def told(project: Path) -> set[tuple[str, int]]:
    files = [file.read_text("utf-8").splitlines() for file in (project / "out").glob("*.json")]
    rows = [json.loads(line) for lines in files for line in lines]
    return {(row["subscription"], row["position"]) for row in rows}


@pytest.mark.slow  # it starts several runs of a pipeline
def test_rows_of_a_watched_table_come_and_go_between_runs(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(PIPELINE + WATCHED, encoding="utf-8")
    xs = "SUBSCRIBE xs FROM s MATCH a:[k = 'x']"
    add(tmp_path / "in", "0", [{"n": 0, "ts": 1000, "k": "x"}, {"n": 1, "ts": 2000, "k": "y"}])
    put(tmp_path / "rules", xs=xs, wrong="SUBSCRIBE wrong FROM s MATCH [v = ]")
    said: list[str] = []
    counts = run_pipeline(tmp_path / "p.toml", spark=spark, tell=said.append)
    assert (counts["events"], counts["notifications"], counts["bad_programs"]) == (2, 1, 1)
    assert counts["refused"] == 0
    assert (said[0], said[-1]) == (
        "matching a table of subscriptions that may change, mode stream",
        "subscriptions whose text is wrong: 1, left out; [sinks.late] would tell of them",
    )
    assert list((tmp_path / "checkpoint" / "versions").glob("*.json"))

    put(tmp_path / "rules", ys="SUBSCRIBE ys FROM s MATCH a:[k = 'y']")
    run_pipeline(tmp_path / "p.toml", spark=spark)
    add(tmp_path / "in", "1", [{"n": 2, "ts": 3000, "k": "x"}, {"n": 3, "ts": 4000, "k": "y"}])
    run_pipeline(tmp_path / "p.toml", spark=spark)
    assert told(tmp_path) == {("xs", 0), ("ys", 3)}


def test_a_watched_table_that_cannot_be_read_is_told_by_its_key(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(PIPELINE + WATCHED, encoding="utf-8")
    add(tmp_path / "in", "0", [{"n": 0, "ts": 1000, "k": "x"}])
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "rules.csv").write_text("called,body\na,b\n", encoding="utf-8")
    said = r"subscriptions\.watched\.select: Spark does not take it: "
    with pytest.raises(ConfigurationError, match=said):
        run_pipeline(tmp_path / "p.toml", spark=spark)
    assert not (tmp_path / "out").exists()


def test_a_watched_table_that_reads_what_is_not_there_is_told_before_it_runs(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(PIPELINE + WATCHED, encoding="utf-8")
    add(tmp_path / "in", "0", [{"n": 0, "ts": 1000, "k": "x"}])
    put(tmp_path / "rules", wrong="SUBSCRIBE wrong FROM s MATCH [size = 1]")
    with pytest.raises(ConfigurationError, match="'wrong' of the table cannot run: it reads"):
        run_pipeline(tmp_path / "p.toml", spark=spark)
    assert not (tmp_path / "out").exists()


def test_start_buckets_and_shards_reach_the_stream(spark: SparkSession, tmp_path: Path) -> None:
    back = 1_000_000_000
    rows = [{**row, "ts": row["ts"] - back} for row in some_rows(3, 30)]
    add(tmp_path / "in", "0", rows)
    program = "SUBSCRIBE xs FROM s MATCH a:[k = 'x'] ; !b:[k = 'y'] FOR 1 s"
    (tmp_path / "rules.tocsin").write_text(program, encoding="utf-8")
    more = """
    subscriptions.files = ["rules.tocsin"]
    stream = { checkpoint = "checkpoint", start = 1969-12-01T00:00:00Z, buckets = 3, shards = 1 }
    """
    head, rest = PIPELINE.split("[sources.s]")
    (tmp_path / "p.toml").write_text(f"{head}{more}[sources.s]{rest}", encoding="utf-8")
    counts = run_pipeline(tmp_path / "p.toml", spark=spark)
    wanted = tocsin.match(rows, program, time="ts", stream="s", clock=rows[-1]["ts"])
    assert counts["notifications"] == len(wanted) > 1
    assert counts["refused"] == counts["late"] == 0
    last = [one for one in read_log(tmp_path / "p.log.jsonl") if one["what"] == "progress"][-1]
    assert last["watermark"].startswith("1969-12-20")
