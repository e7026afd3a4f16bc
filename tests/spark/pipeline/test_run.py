"""Pipelines that run: the counts, the files they write and the log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tocsin
import tocsin.spark
from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import read_log, run_pipeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_pipeline(tmp_path)
    return tmp_path


def rows(path: Path) -> list[dict[str, Any]]:
    files = sorted(path.rglob("*.json"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def wanted(project: Path) -> list[tuple[str, str]]:
    lines = (project / "events" / "orders.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    found = tocsin.match([one for one in events if one["ts"]], project / "rules.tocsin")
    return sorted((one.subscription, str(one.emit["order"])) for one in found)


def told(path: Path) -> list[tuple[str, str]]:
    return sorted((row["subscription"], json.loads(row["emit"]["order"])) for row in rows(path))


def test_what_init_writes_runs_and_equals_the_embedded_engine(
    spark: SparkSession, project: Path
) -> None:
    said: list[str] = []
    counts = run_pipeline(project / "pipeline.toml", spark=spark, tell=said.append)
    assert counts == {"events": 6, "dead_letters": 1, "notifications": 2}
    assert told(project / "out" / "notifications") == wanted(project)
    (letter,) = rows(project / "out" / "dead_letters")
    assert "the column 'ts' is null" in letter["reason"]
    assert said == ["matching 2 subscriptions, mode batch"]
    lines = read_log(project / "pipeline.log.jsonl")
    assert [line["what"] for line in lines] == ["start", "read", "end"]
    assert lines[-1]["notifications"] == 2


def test_streams_templates_and_expressions_of_sql(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "doors.csv").write_text("at,who\n2000,ann\n9000,bob\n", encoding="utf-8")
    (tmp_path / "logins.csv").write_text("ts,who\n1000,ann\n8000,eve\n", encoding="utf-8")
    (tmp_path / "names.csv").write_text("name\nann\nbob\n", encoding="utf-8")
    (tmp_path / "rules.tocsin").write_text(
        "SUBSCRIBE in_{name} FROM logins, doors\n"
        "MATCH l:logins[who = {name}] ; d:doors[who = {name}] EMIT d.who AS who",
        encoding="utf-8",
    )
    (tmp_path / "p.toml").write_text(
        """
        events.time = "ts"
        subscriptions = { files = "rules.tocsin", table = { format = "csv", path = "names.csv" } }
        sinks.notifications = { format = "csv", path = "out", partition_by = ["subscription"] }
        [sources]
        logins = { format = "csv", path = "logins.csv", schema = "ts bigint, who string" }
        doors = { format = "csv", path = "doors.csv", select = ["int(at) AS ts", "who"], \
where = "who <> 'eve'" }
        """,
        encoding="utf-8",
    )
    counts = run_pipeline(tmp_path / "p.toml", spark=spark)
    assert counts == {"events": 4, "dead_letters": 0, "notifications": 1}
    assert [path.name for path in (tmp_path / "out").glob("sub*")] == ["subscription=in_ann"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('format = "json"', 'format = "jsno"', "sources.orders: Spark cannot read it: "),
        ("amount double", "amount duoble", "sources.orders: Spark cannot read it: "),
        ("ts timestamp", "at timestamp", "has no column 'ts', which time= names"),
        ("status string", "state string", "reads 'status' of stream 'orders'"),
    ],
)
def test_what_only_spark_can_tell_is_told_before_anything_is_written(
    spark: SparkSession, project: Path, old: str, new: str, message: str
) -> None:
    text = (project / "pipeline.toml").read_text(encoding="utf-8").replace(old, new, 1)
    (project / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        run_pipeline(project / "wrong.toml", spark=spark)
    assert not (project / "out").exists()
    assert read_log(project / "wrong.log.jsonl")[-1]["what"] == "failed"


def stream_of(project: Path, more: str = "") -> Path:
    text = (project / "pipeline.toml").read_text(encoding="utf-8")
    text = text.replace('mode = "batch"', 'mode = "stream"', 1)
    text += f'\n[stream]\ncheckpoint = "checkpoint"\n{more}'
    (project / "stream.toml").write_text(text, encoding="utf-8")
    last = {"ts": "2026-03-03T09:00:00Z", "order": "Z-1", "status": "closing", "amount": 0.0}
    (project / "events" / "z.jsonl").write_text(json.dumps(last) + "\n", encoding="utf-8")
    return project / "stream.toml"


@pytest.mark.parametrize("more", ["", '[sinks.late]\nformat = "json"\npath = "out/late"\n'])
def test_a_stream_of_files_gives_the_same_and_tells_its_progress(
    spark: SparkSession, project: Path, more: str
) -> None:
    counts = run_pipeline(stream_of(project, more), spark=spark)
    assert counts["events"] == 7
    assert told(project / "out" / "notifications") == wanted(project)
    progress = [one for one in read_log(project / "stream.log.jsonl") if one["what"] == "progress"]
    assert sum(one["rows"] for one in progress) == 7
    (letter,) = rows(project / "out" / "dead_letters")
    assert "the column 'ts' is null" in letter["reason"]
    again = run_pipeline(project / "stream.toml", spark=spark)
    assert again["events"] == 0
    assert told(project / "out" / "notifications") == wanted(project)
