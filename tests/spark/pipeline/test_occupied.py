"""A stream begins in folders that hold no files of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.errors import ConfigurationError
from tocsin.spark.pipeline import read_pipeline


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_pipeline(tmp_path)
    text = (tmp_path / "pipeline.toml").read_text("utf-8")
    text = text.replace('mode = "batch"', 'mode = "stream"', 1)
    text += '\n[stream]\ncheckpoint = "checkpoint"\n'
    (tmp_path / "stream.toml").write_text(text, encoding="utf-8")
    return tmp_path


def write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@pytest.mark.parametrize("sink", ["notifications", "dead_letters"])
@pytest.mark.parametrize("name", ["part-0.json", "day=1/part-0.json"])
def test_a_stream_does_not_begin_among_files_of_a_batch(
    project: Path, sink: str, name: str
) -> None:
    write(project / "out" / sink / name)
    with pytest.raises(ConfigurationError, match=f"sinks.{sink}.path: .* holds files of a batch"):
        read_pipeline(project / "stream.toml")
    read_pipeline(project / "pipeline.toml")  # a batch says by its mode what becomes of them


def test_a_stream_goes_on_among_its_own_files(project: Path) -> None:
    write(project / "out" / "notifications" / "part-0.json")
    write(project / "checkpoint" / "offsets" / "0")
    read_pipeline(project / "stream.toml")
    write(project / "out" / "dead_letters" / "part-0.json")
    with pytest.raises(ConfigurationError, match="give this stream a path of its own"):
        read_pipeline(project / "stream.toml")
    write(project / "checkpoint" / "dead_letters" / "offsets" / "0")
    read_pipeline(project / "stream.toml")


def test_what_readers_pass_over_is_in_nobodys_way(project: Path) -> None:
    write(project / "out" / "notifications" / "_SUCCESS")
    write(project / "out" / "notifications" / "_spark_metadata" / "0")
    write(project / "out" / "notifications" / ".part-0.json.crc")
    read_pipeline(project / "stream.toml")
