"""Versions of a table of subscriptions."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="Spark is not installed; `make setup-spark` does it")

from pyspark.sql.types import StructType

from tocsin.errors import ConfigurationError
from tocsin.spark.streaming.subscription_source import SubscriptionSource
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


@pytest.mark.parametrize("broken", [None, "{"])
def test_a_version_that_is_lost_is_told_with_its_file(tmp_path: Path, broken: str | None) -> None:
    versions = Versions(tmp_path / "versions")
    versions.note({"a": "1"})
    file = tmp_path / "versions" / "1.json"
    if broken is None:
        file.unlink()
    else:
        file.write_text(broken)
    with pytest.raises(ConfigurationError, match=r"version 1 .* from .*1\.json.* new checkpoint"):
        versions.content(1)


def test_versions_before_those_that_may_be_asked_for_are_removed(tmp_path: Path) -> None:
    versions = Versions(tmp_path)
    for number in range(1, 8):
        versions.note({"a": str(number)})
    versions.forget(5, 2)
    assert sorted(int(path.stem) for path in tmp_path.glob("*.json")) == [3, 4, 5, 6, 7]
    versions.forget(0, 2)
    assert versions.note({"a": "8"}) == 8


class Reader:
    """What Spark asks of a table of subscriptions, in its order."""

    def __init__(self, folder: Path, kept: int) -> None:
        (folder / "table").mkdir(parents=True, exist_ok=True)
        self.table = folder / "table" / "all.json"
        options = {"table": folder / "table", "versions": folder / "versions"}
        own = {name: str(value) for name, value in {**options, "kept": kept, "buckets": 1}.items()}
        self.reader = SubscriptionSource(own).streamReader(StructType())

    def put(self, text: str) -> None:
        self.table.write_text(json.dumps({"name": "a", "text": text}) + "\n")

    def read(self, start: dict[str, int], end: dict[str, int]) -> None:
        (between,) = self.reader.partitions(start, end)
        list(self.reader.read(between))


def test_a_restart_can_run_its_last_micro_batch_again(tmp_path: Path) -> None:
    query = Reader(tmp_path, 0)
    ends = [query.reader.initialOffset()]
    for number in range(4):
        query.put(str(number))
        ends.append(query.reader.latestOffset(ends[-1]))
        query.read(ends[-2], ends[-1])
        if number < 3:  # the last one is written into the log, and not committed
            query.reader.commit(ends[-1])
    again = Reader(tmp_path, 0)
    again.read(ends[-2], ends[-1])
    again.reader.commit(ends[-1])
    again.put("new")
    again.read(ends[-1], again.reader.latestOffset(ends[-1]))
    assert sorted(path.stem for path in (tmp_path / "versions").glob("*.json")) == ["4", "5"]


def test_a_new_folder_is_not_filled_from_the_first_version_on(tmp_path: Path) -> None:
    query = Reader(tmp_path, 0)
    query.put("1")
    with pytest.raises(ConfigurationError, match="version 7 of the table of subscriptions"):
        query.reader.latestOffset({"version": 7})
    assert not (tmp_path / "versions").exists()


def test_a_checkpoint_of_old_goes_on_and_each_start_moves_the_offset(tmp_path: Path) -> None:
    query = Reader(tmp_path, 0)
    query.put("1")
    first = query.reader.latestOffset(query.reader.initialOffset())
    old = {"version": first["version"]}
    later = Reader(tmp_path, 0).reader
    assert later.latestOffset(old) != first
    assert list(later.partitions(old, later.latestOffset(old))) == []
