"""Whose checkpoint it is, told before Spark touches it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program
from tocsin.spark.pipeline import read_pipeline
from tocsin.spark.pipeline.checkpoint import check_checkpoint
from tocsin.spark.pipeline.settings import Pipeline, Streaming


@pytest.fixture
def begun(tmp_path: Path) -> Pipeline:
    """A stream whose checkpoint has been made and has run."""
    write_pipeline(tmp_path)
    folder = tmp_path / "checkpoint"
    pipeline = replace(
        read_pipeline(tmp_path / "pipeline.toml"), mode="stream", streaming=Streaming(str(folder))
    )
    check_checkpoint(pipeline)
    (folder / "offsets").mkdir()
    (folder / "offsets" / "0").touch()
    return pipeline


def test_what_does_not_touch_the_state_may_change(begun: Pipeline) -> None:
    assert begun.streaming is not None
    check_checkpoint(replace(begun, streaming=replace(begun.streaming, trigger="1 second")))
    check_checkpoint(replace(begun, streaming=replace(begun.streaming, delay="5 min")))


@pytest.mark.parametrize(("name", "keeper"), [("metadata", "Spark"), ("tocsin.json", "tocsin")])
def test_a_damaged_checkpoint_is_told_with_the_file(
    begun: Pipeline, name: str, keeper: str
) -> None:
    assert begun.streaming is not None
    (Path(begun.streaming.checkpoint) / name).write_text("junk", encoding="utf-8")
    said = f"checkpoint is damaged: its file '{name}', in which {keeper} keeps what it belongs to"
    with pytest.raises(ConfigurationError, match=said):
        check_checkpoint(begun)


def test_what_was_changed_is_named(begun: Pipeline) -> None:
    assert begun.streaming is not None
    columns, streaming = replace(begun.columns, row="n"), replace(begun.streaming, buckets=3)
    for changed, said in (
        (replace(begun, streaming=streaming), "made with another value of buckets; go on"),
        (
            replace(begun, streaming=streaming, columns=columns),
            "with other values of buckets, row;",
        ),
        (replace(begun, program=Program(())), "made with another program; go on"),
        (
            replace(begun, program=Program(()), columns=columns),
            "made with another program and another value of row; go on",
        ),
    ):
        with pytest.raises(ConfigurationError, match=said):
            check_checkpoint(changed)
    check_checkpoint(begun)
