"""Sinks lie apart from all that a pipeline reads or needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import read_pipeline


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_pipeline(tmp_path)
    return tmp_path


def told(project: Path, sink: str, source: str = "events", more: str = "") -> str:
    """What is wrong with a pipeline whose notifications go there; nothing where it is right."""
    text = f"""
        events.time = "ts"
        subscriptions.files = ["rules.tocsin"]
        sources.orders = {{ format = "json", path = "{source}" }}
        sinks.notifications = {{ format = "json", path = "{sink}", mode = "append" }}
        """
    (project / "p.toml").write_text(f"{more}\n{text}", encoding="utf-8")
    try:
        read_pipeline(project / "p.toml")
    except ConfigurationError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("sink", "source", "where"),
    [
        ("events", "events", "it is the place of sources.orders too, "),
        ("events/", "./events", "it is the place of sources.orders too"),
        ("events/../events", "events", "it is the place of sources.orders too"),
        ("events/out", "events", "it lies inside sources.orders"),
        ("events", "events/orders.jsonl", "sources.orders lies inside it"),
        ("events", "events/*.jsonl", "sources.orders lies inside it"),
        ("events/a.jsonl", "events/*.jsonl", "it is the place of sources.orders too"),
        ("in/2026-05/out", "in/{2025,2026}-0[1-9]", "it lies inside sources.orders"),
        ("in/2026-05/x/y", "in/{2025/a,2026-05/x}", "it lies inside sources.orders"),
        (".", "events", "sources.orders lies inside it"),
        ("s3://b/in/", "s3a://b/x/../in", "it is the place of sources.orders too"),
        ("s3://b/in/out", "s3://b/in", "it lies inside sources.orders"),
        ("s3://b/in/out", "s3://b/i*", "it lies inside sources.orders"),
    ],
)
def test_a_sink_in_a_source_is_refused(project: Path, sink: str, source: str, where: str) -> None:
    found = told(project, sink, source)
    assert f"p.toml: sinks.notifications.path: {where}" in found
    assert "; give the sink a folder of its own" in found


@pytest.mark.parametrize(
    ("sink", "source"),
    [
        ("out", "events"),
        ("events2", "events"),
        ("events/out", "events/orders.jsonl"),
        ("out", "*.jsonl"),
        ("in/out", "in/2026-*"),
        ("in/2027-05", "in/{2025,2026}-0[1-9]"),
        ("s3://b/out", "s3://b/in"),
        ("s3://b/in", "s3://c/in"),
        ("s3://b/in", "gs://b/in"),
    ],
)
def test_a_sink_beside_a_source_is_right(project: Path, sink: str, source: str) -> None:
    assert told(project, sink, source) == ""


def test_links_and_urls_of_files_are_followed(project: Path) -> None:
    (project / "link").symlink_to(project / "events", target_is_directory=True)
    assert "it lies inside sources.orders" in told(project, "link/out")
    assert "it is the place of sources.orders" in told(project, "events", "link")
    assert "it is the place of sources.orders" in told(project, f"file://{project}/events")
    assert "it is the place of sources.orders" in told(project, f"file:{project}/link")


@pytest.mark.parametrize(
    ("sink", "where"),
    [
        ("c", "it is the place of stream.checkpoint too"),
        ("c/out", "it lies inside stream.checkpoint"),
        ("late/out", "it lies inside sinks.late"),
        ("logs", "log lies inside it"),
        ("rules.tocsin", "it is the place of subscriptions.files too"),
        ("p.toml", "it is the place of this file too"),
    ],
)
def test_what_else_a_run_needs_is_spared(project: Path, sink: str, where: str) -> None:
    more = """
        mode = "stream"
        log = "logs/p.jsonl"
        stream.checkpoint = "c"
        spark.sql.streaming.schemaInference = true
        sinks.late = { format = "json", path = "late" }
        """
    assert where in told(project, sink, more=more)
    assert told(project, "out", more=more) == ""


def test_a_checkpoint_may_lie_in_a_sink_where_readers_pass_over_it(project: Path) -> None:
    inferred = "spark.sql.streaming.schemaInference = true"
    stream = f'mode = "stream"\nstream.checkpoint = "out/{{}}"\n{inferred}'
    assert told(project, "out", more=stream.format("_checkpoints/p")) == ""
    assert "stream.checkpoint lies inside it" in told(project, "out", more=stream.format("c"))


def test_a_table_is_not_read_and_written(project: Path) -> None:
    text = """
        events.time = "ts"
        subscriptions.files = ["rules.tocsin"]
        sources.orders.table = "shop.orders"
        sinks.notifications.table = "Shop.`orders`"
        """
    (project / "p.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"notifications.table: it is the table of source"):
        read_pipeline(project / "p.toml")
