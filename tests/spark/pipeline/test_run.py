"""Pipelines that run: the counts, the files they write and the log."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException

import tocsin
import tocsin.spark
from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import read_log, read_pipeline, run_pipeline, sessions

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
    assert counts == {"events": 6, "dead_letters": 1, "notifications": 2, "refused": 0}
    assert told(project / "out" / "notifications") == wanted(project)
    (letter,) = rows(project / "out" / "dead_letters")
    assert "the column 'ts' is null" in letter["reason"]
    assert said == [
        "matching 2 subscriptions, mode batch",
        f"notifications go to {project / 'out' / 'notifications'}, "
        f"progress to {project / 'pipeline.log.jsonl'}",
    ]
    lines = read_log(project / "pipeline.log.jsonl")
    assert [line["what"] for line in lines] == ["start", "read", "end"]
    assert (lines[1]["rows"], lines[2]["events"], lines[2]["dead_letters"]) == (7, 6, 1)
    assert "events" not in lines[1]
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
        subscriptions = { files = ["rules.tocsin"], table = { format = "csv", path = "names.csv" } }
        sinks.notifications = { format = "csv", path = "out", partition_by = ["subscription"] }
        [sources]
        logins = { format = "csv", path = "logins.csv", schema = "ts bigint, who string" }
        doors = { format = "csv", path = "doors.csv", select = ["int(at) AS ts", "who"], \
where = "who <> 'eve'" }
        """,
        encoding="utf-8",
    )
    counts = run_pipeline(tmp_path / "p.toml", spark=spark)
    assert counts == {"events": 4, "dead_letters": 0, "notifications": 1, "refused": 0}
    assert [path.name for path in (tmp_path / "out").glob("sub*")] == ["subscription=in_ann"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"json"', '"wells"', "sources.orders.format: this Spark has no format 'wells'; if a pack"),
        (
            '"json"\npath = "out',
            '"avro"\npath = "out',
            "notifications.format: .* needs a package",
        ),
        ("amount double", "amount decimal(99, 1)", "sources.orders.schema: Spark does not take it"),
        ('"json"  ', '"json"\nwhere = "no"  ', "sources.orders.where: Spark does not take it: "),
        (
            "path = ",
            'select = ["upper(status)"]\npath = ',
            "sources.orders: it has no column 'ts', which events.time names",
        ),
        (
            "path = ",
            'select = ["ts", "upper(status)"]\npath = ',
            "reads 'amount' of stream 'orders'",
        ),
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


def test_a_setting_that_spark_does_not_take_is_told_in_a_sentence(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        msg = "Illegal value for config key spark.memory.fraction: x"
        raise PySparkException(msg)

    monkeypatch.setattr(sessions, "session_of", refuse)
    with pytest.raises(ConfigurationError, match="toml: spark: Spark does not start with it: Ill"):
        run_pipeline(project / "pipeline.toml")


def test_a_cluster_on_this_machine_is_asked_for_as_it_is(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Builder:
        """Takes a master, and starts nothing."""

        def master(self, name: str) -> Any:
            asked.append(name)
            raise PySparkException("enough")  # noqa: EM101 - nobody reads it

    text = (project / "pipeline.toml").read_text("utf-8")
    (project / "cluster.toml").write_text(
        f'spark.master = "local-cluster[2,1,1024]"\n{text.partition("[spark]")[0]}', "utf-8"
    )
    monkeypatch.setattr(sessions.SparkSession, "builder", Builder())
    with pytest.raises(ConfigurationError, match="Spark does not start with it: enough"):
        sessions.started(read_pipeline(project / "cluster.toml"))
    assert asked == ["local-cluster[2,1,1024]"]


def stream_of(project: Path, more: str = "") -> Path:
    text = (project / "pipeline.toml").read_text(encoding="utf-8")
    text = text.replace('mode = "batch"', 'mode = "stream"', 1)
    text += f'\n[stream]\ncheckpoint = "checkpoint"\n{more}'
    (project / "stream.toml").write_text(text, encoding="utf-8")
    last = {"ts": "2026-03-03T09:00:00Z", "order": "Z-1", "status": "closing", "amount": 0.0}
    (project / "events" / "z.jsonl").write_text(json.dumps(last) + "\n", encoding="utf-8")
    return project / "stream.toml"


@pytest.mark.parametrize(
    "more",
    [
        '[sinks.late]\nformat = "json"\npath = "out/late"\n',
        pytest.param("", marks=pytest.mark.slow),
    ],
)
def test_a_stream_of_files_gives_the_same_and_tells_its_progress(
    spark: SparkSession, project: Path, more: str
) -> None:
    counts = run_pipeline(stream_of(project, more), spark=spark)
    told_of = {name: count for name, count in counts.items() if name != "batches"}
    none = dict.fromkeys(("late", "refused", "bad_programs"), 0)
    assert told_of == {"events": 7, "notifications": 2, "dead_letters": 1, **none}
    assert told(project / "out" / "notifications") == wanted(project)
    progress = [one for one in read_log(project / "stream.log.jsonl") if one["what"] == "progress"]
    assert sum(one["rows"] for one in progress) == 8
    assert sum(one["notifications"] for one in progress) == 2
    (letter,) = rows(project / "out" / "dead_letters")
    assert "the column 'ts' is null" in letter["reason"]
    again = run_pipeline(project / "stream.toml", spark=spark)
    assert again["events"] == 0
    assert told(project / "out" / "notifications") == wanted(project)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("rules.tocsin", "30 min", "20 min", "with another program; go on with"),
        ("stream.toml", 'checkpoint = "checkpoint"\n', 'checkpoint = "checkpoint"\nbuckets = 3\n',
         "with another value of buckets; go on"),
    ],
)  # fmt: skip
def test_a_checkpoint_of_another_program_is_left_as_it_is(
    spark: SparkSession, project: Path, file: str, old: str, new: str, said: str
) -> None:
    run_pipeline(stream_of(project), spark=spark)
    text = (project / file).read_text("utf-8")
    assert old in text
    (project / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        run_pipeline(project / "stream.toml", spark=spark)
    (project / file).write_text(text, encoding="utf-8")
    assert run_pipeline(project / "stream.toml", spark=spark)["events"] == 0


def test_rows_that_no_sink_gets_are_counted_and_told(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number, text in enumerate(["9000,1", "1000,1\n9500,1.5\n,1", "20000,1"]):
        path = tmp_path / "in" / f"{number}.csv"
        path.write_text(f"ts,v\n{text}\n", encoding="utf-8")
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    (tmp_path / "rules.tocsin").write_text(
        "STREAM s (ts TIMESTAMP, v INTEGER) TIME ts; SUBSCRIBE one FROM s MATCH [v >= 1]",
        encoding="utf-8",
    )
    (tmp_path / "p.toml").write_text(
        """
        mode = "stream"
        events.time = "ts"
        subscriptions.files = ["rules.tocsin"]
        sinks.notifications = { format = "json", path = "out" }
        stream = { checkpoint = "checkpoint" }
        [sources.s]
        format = "csv"
        path = "in"
        schema = "ts bigint, v double"
        options = { maxFilesPerTrigger = 1 }
        """,
        encoding="utf-8",
    )
    said: list[str] = []
    counts = run_pipeline(tmp_path / "p.toml", spark=spark, tell=said.append)
    wanted = {"notifications": 2, "late": 1, "refused": 1, "dead_letters": 1}
    assert {name: counts[name] for name in wanted} == wanted
    assert said[2:] == [
        "it ends when what is there has been read; Ctrl-C stops it before",
        "late events: 1, left out; [sinks.late] would tell of them",
        "rows that the engine refused: 1; [sinks.late] would tell of them",
        "rows that are no events: 1, left out; [sinks.dead_letters] would keep them",
    ]
    assert len(rows(tmp_path / "out")) == 2
    lines = read_log(tmp_path / "p.log.jsonl")
    for name, count in wanted.items():
        assert lines[-1][name] == count
        assert sum(line[name] for line in lines if line["what"] == "progress") == count


def test_a_batch_counts_the_rows_that_the_engine_refuses(
    spark: SparkSession, project: Path
) -> None:
    text = (project / "rules.tocsin").read_text("utf-8")
    assert "amount FLOAT" in text
    text = text.replace("amount FLOAT", "amount INTEGER")
    (project / "rules.tocsin").write_text(text, encoding="utf-8")
    events = project / "events" / "orders.jsonl"
    events.write_text(events.read_text("utf-8").replace("950.0", "950.5"), encoding="utf-8")
    said: list[str] = []
    counts = run_pipeline(project / "pipeline.toml", spark=spark, tell=said.append)
    assert counts["refused"] == events.read_text("utf-8").count(".5") == 3
    told_of = "rows that the engine refused: 3; tocsin.spark.dead_letters would"
    assert said[-1].startswith(told_of)


@pytest.mark.parametrize(
    ("times", "is_noticed"),
    [
        ((1_772_352_000, 1_772_352_060), True),
        ((1_772_352_000_000, 1_772_352_060_000), False),
        ((0, 60_000), False),
    ],
)
def test_a_batch_says_so_where_times_look_like_seconds(
    spark: SparkSession, tmp_path: Path, times: tuple[int, int], is_noticed: bool
) -> None:
    (tmp_path / "in.csv").write_text(
        "ts,v\n" + "".join(f"{ts},1\n" for ts in times) + ",1\n", "utf-8"
    )
    (tmp_path / "rules.tocsin").write_text("SUBSCRIBE one FROM s MATCH a:[v = 1]", "utf-8")
    (tmp_path / "p.toml").write_text(
        """
        events = { time = "ts" }
        subscriptions.files = ["rules.tocsin"]
        sinks.notifications = { format = "json", path = "out" }
        sources.s = { format = "csv", path = "in.csv", schema = "ts bigint, v int" }
        """,
        "utf-8",
    )
    said: list[str] = []
    counts = run_pipeline(tmp_path / "p.toml", spark=spark, tell=said.append)
    assert (counts["events"], counts["dead_letters"], counts["notifications"]) == (2, 1, 2)
    note = "the times of stream 's' lie in January 1970: are they seconds?"
    assert any(one.startswith(note) for one in said) == is_noticed


@pytest.mark.parametrize("mode", ["batch", "stream"])
@pytest.mark.parametrize("row", ["", pytest.param(', row = "n"', marks=pytest.mark.slow)])
def test_a_row_that_several_parts_read_is_counted_once(
    spark: SparkSession, tmp_path: Path, mode: str, row: str
) -> None:
    (tmp_path / "in.csv").write_text(
        "n,ts,k,v\n0,1000,x,1\n1,2000,x,1.5\n2,,x,1.5\n3,4000,x,3\n", encoding="utf-8"
    )
    (tmp_path / "rules.tocsin").write_text(
        """
        STREAM s (n INTEGER, ts TIMESTAMP, k STRING, v INTEGER) TIME ts;
        SUBSCRIBE next FROM s MATCH a:[v >= 1] , b:[v >= 1];
        SUBSCRIBE keyed FROM s MATCH a:[v >= 1 AND k = $k] ; b:[v >= 2 AND k = $k] WITHIN 9 s;
        SUBSCRIBE ever FROM s MATCH a:[v >= 1] ; b:[n >= 1] PAIRS UNIQUE
        """,
        encoding="utf-8",
    )
    (tmp_path / "p.toml").write_text(
        f"""
        mode = "{mode}"
        events = {{ time = "ts"{row} }}
        subscriptions.files = ["rules.tocsin"]
        sinks.notifications = {{ format = "json", path = "out" }}
        stream = {{ checkpoint = "checkpoint" }}
        [sources.s]
        format = "csv"
        path = "in.csv"
        schema = "n bigint, ts bigint, k string, v double"
        """,
        encoding="utf-8",
    )
    if mode == "stream":
        (tmp_path / "in").mkdir()
        (tmp_path / "in.csv").rename(tmp_path / "in" / "0.csv")
        text = (tmp_path / "p.toml").read_text("utf-8").replace("in.csv", "in")
        (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    counts = run_pipeline(tmp_path / "p.toml", spark=spark)
    found = {name: counts[name] for name in ("events", "dead_letters", "refused")}
    assert found == {"events": 3, "dead_letters": 1, "refused": 1}
