"""Sources that cannot be matched, in pipelines of both modes: what is said, and what is counted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import read_log, run_pipeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STREAM = '\n[stream]\ncheckpoint = "checkpoint"\n'
PIPELINE = """
events = { time = "ts", row = "n" }
subscriptions.files = ["rules.tocsin"]
sinks.notifications = { format = "json", path = "out" }
sources.s = { format = "csv", path = "in", schema = "n bigint, ts bigint, v int" }
"""
NAMELESS = 'select = ["*", "upper(status)"]\n'
"""What Spark calls the second column nobody knows before it runs."""


@pytest.fixture(params=["batch", "stream"])
def mode(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'schema = "ts',
            f'{NAMELESS}schema = "at',
            "sources.orders: it has no column 'ts', which events.time names",
        ),
        (
            'schema = "ts timestamp',
            'select = ["*"]\nschema = "ts string',
            "sources.orders: the column 'ts', which events.time names, is a string; it must be",
        ),
        (
            "path = ",
            f"{NAMELESS.replace('*', 'ts')}path = ",
            "sources.orders: subscription 'unpaid' reads 'amount' of stream 'orders'",
        ),
    ],
    ids=["no time", "a text as time", "missing column"],
)
def test_wrong_sources_are_told_before_anything_is_written(
    spark: SparkSession, tmp_path: Path, mode: str, old: str, new: str, said: str
) -> None:
    write_pipeline(tmp_path)
    text = (tmp_path / "pipeline.toml").read_text(encoding="utf-8").replace(old, new, 1)
    text = text.replace('mode = "batch"', f'mode = "{mode}"', 1) + STREAM
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        run_pipeline(tmp_path / "wrong.toml", spark=spark)
    assert not (tmp_path / "out").exists()
    assert said in read_log(tmp_path / "wrong.log.jsonl")[-1]["error"]


def test_times_with_and_without_a_zone_do_not_go_together(
    spark: SparkSession, tmp_path: Path, mode: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "rules.tocsin").write_text(
        "SUBSCRIBE both FROM a, b MATCH x:a[v = 1] ; y:b[v = 1]", encoding="utf-8"
    )
    source = '{ format = "csv", path = "in", schema = "ts %s, v int" }'
    (tmp_path / "p.toml").write_text(
        f"""
        mode = "{mode}"
        events.time = "ts"
        subscriptions.files = ["rules.tocsin"]
        sinks.notifications = {{ format = "json", path = "out" }}
        sources.a = {source % "timestamp"}
        sources.b = {source % "timestamp_ntz"}
        {STREAM}
        """,
        encoding="utf-8",
    )
    with pytest.raises(ConfigurationError, match="'ts' is a timestamp in stream 'a' and a timest"):
        run_pipeline(tmp_path / "p.toml", spark=spark)


def test_equal_numbers_end_a_batch_and_only_name_the_rows_of_a_stream(
    spark: SparkSession, tmp_path: Path, mode: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text(
        "n,ts,v\n1,1000,1\n1,2000,1\n,2500,1\n3,,1\n", encoding="utf-8"
    )
    (tmp_path / "rules.tocsin").write_text(
        "SUBSCRIBE two FROM s MATCH a:[v = 1] ; b:[v = 1]", encoding="utf-8"
    )
    (tmp_path / "p.toml").write_text(f'mode = "{mode}"\n{PIPELINE}{STREAM}', encoding="utf-8")
    if mode == "stream":
        counts = run_pipeline(tmp_path / "p.toml", spark=spark)
        assert (counts["notifications"], counts["dead_letters"]) == (1, 2)
        return
    with pytest.raises(Exception, match="two rows have the number 1 "):
        run_pipeline(tmp_path / "p.toml", spark=spark)
    said = read_log(tmp_path / "p.log.jsonl")[-1]["error"]
    assert said.startswith("two rows have the number 1 in the column that row= names")
