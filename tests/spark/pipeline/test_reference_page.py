"""Every key of a pipeline's file is in the reference, and in the file that init writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tocsin.cli.pipeline import write_pipeline
from tocsin.spark.pipeline import read_pipeline
from tocsin.spark.pipeline.keys import Keys

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "pipeline-files.md"


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """All keys that are asked for while a file is read that has every table."""
    asked: set[str] = set()
    refuse_unknown = Keys.refuse_unknown

    def listen(self: Keys) -> None:
        asked.update(self.asked)
        refuse_unknown(self)

    monkeypatch.setattr(Keys, "refuse_unknown", listen)
    write_pipeline(tmp_path)
    text = (tmp_path / "pipeline.toml").read_text("utf-8")
    (tmp_path / "pipeline.toml").write_text(
        f'{text.replace("batch", "stream", 1)}\n[stream]\ncheckpoint = "c"\n', encoding="utf-8"
    )
    read_pipeline(tmp_path / "pipeline.toml")
    return asked


def test_every_key_is_told(keys: set[str], tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    written = (tmp_path / "pipeline.toml").read_text("utf-8")
    assert len(keys) > 20
    for key in keys:
        assert f"`{key}`" in page or f"\n## {key}\n" in page, key
        assert key in written, key
