"""Every key of a pipeline's file is in the reference, and in the file that init writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.spark.pipeline import read_log, read_pipeline, run_pipeline
from tocsin.spark.pipeline.keys import Keys

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "pipeline-files.md"


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """All keys that are asked for while a file is read that has every table."""
    asked: set[str] = set()
    close = Keys.close

    def listen(self: Keys) -> None:
        asked.update(self.asked)
        close(self)

    monkeypatch.setattr(Keys, "close", listen)
    write_pipeline(tmp_path)
    text = (tmp_path / "pipeline.toml").read_text("utf-8")
    (tmp_path / "pipeline.toml").write_text(
        f'{text.replace("batch", "stream", 1)}\n[stream]\ncheckpoint = "c"\n', encoding="utf-8"
    )
    read_pipeline(tmp_path / "pipeline.toml")
    return asked


@pytest.mark.spark
def test_every_key_of_the_log_is_told(spark: SparkSession, tmp_path: Path) -> None:
    write_pipeline(tmp_path)
    text = (tmp_path / "pipeline.toml").read_text("utf-8")
    text = f'{text.replace("batch", "stream", 1)}\n[stream]\ncheckpoint = "c"\n'
    text = text.replace('path = "out/', 'path = "out/stream/')
    (tmp_path / "stream.toml").write_text(text, encoding="utf-8")
    _, _, log = PAGE.read_text("utf-8").partition("## The log")
    meanings = [one.split("|")[1] for one in log.partition("| key |")[2].splitlines() if "|" in one]
    for name in ("pipeline", "stream"):
        run_pipeline(tmp_path / f"{name}.toml", spark=spark)
        for line in read_log(tmp_path / f"{name}.log.jsonl"):
            row = next(one for one in log.splitlines() if one.startswith(f"| `{line['what']}` |"))
            for key in set(line) - {"logged", "what"}:
                assert f"`{key}`" in row, f"{key} of {line['what']}"
                assert any(f"`{key}`" in one for one in meanings), key


def test_every_key_is_told(keys: set[str], tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    written = (tmp_path / "pipeline.toml").read_text("utf-8")
    assert len(keys) > 20
    for key in keys:
        assert f"`{key}`" in page or f"\n## {key}\n" in page, key
        assert key in written, key
