"""Versions of a table of subscriptions."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from tocsin.errors import ConfigurationError
from tocsin.spark.streaming.versions import Versions, read_subscriptions


def test_a_version_is_written_down_once(tmp_path: Path) -> None:
    versions = Versions(tmp_path / "versions")
    assert (versions.latest(), versions.content(0)) == (0, {})
    assert [versions.note(one) for one in ({"a": "1"}, {"a": "1"}, {}, {"a": "1"})] == [1, 1, 2, 3]
    assert Versions(tmp_path / "versions").content(1) == {"a": "1"}


def test_a_table_is_parquet_or_json(tmp_path: Path) -> None:
    assert read_subscriptions(tmp_path) is None
    (tmp_path / "one.json").write_text(json.dumps({"name": "a", "text": "A"}) + "\n")
    (tmp_path / "_hidden.json").write_text("{}")
    assert read_subscriptions(tmp_path) == {"a": "A"}
    pq.write_table(pa.table({"name": ["b"], "text": ["B"]}), tmp_path / "one.parquet")
    assert read_subscriptions(tmp_path) == {"b": "B"}


def test_a_table_without_its_columns_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"name": ["b"]}), tmp_path / "one.parquet")
    with pytest.raises(ConfigurationError, match="the columns 'name' and 'text'"):
        read_subscriptions(tmp_path)
