"""What files tell of their row groups is what is in them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tocsin.spark.files.columns import open_file
from tocsin.spark.files.told import Told

TABLE = pa.table(
    {
        "wide": pa.array([2**62, -(2**62), 3]),
        "short": pa.array([-7, 300, 5], pa.int16()),
        "moment": pa.array([5, -1, 10**15], pa.timestamp("us", "UTC")),
        "milli": pa.array([5, -1, 10**12], pa.timestamp("ms")),
        "day": pa.array([date(1950, 1, 2), date(2026, 3, 1), date(1970, 1, 1)]),
        "some": pa.array([1, None, 3]),
        "text": ["b", "a", "c"],
        "point": pa.array([{"x": 1}, {"x": 2}, {"x": 3}]),
        "point.x": [9, 8, 7],
    }
)


def written(path: Path, **options: Any) -> Told:
    file = path / "one.parquet"
    pq.write_table(TABLE, file, row_group_size=2, **options)
    return Told(open_file(str(file)))


@pytest.mark.parametrize("name", ["wide", "short", "moment", "milli", "day"])
def test_ends_are_the_least_and_the_greatest_value(tmp_path: Path, name: str) -> None:
    told = written(tmp_path)
    for number in range(2):
        values = TABLE[name].slice(2 * number, 2)
        (ends,) = told.ends(number, [name]) or [None]
        wanted = pc.min_max(values)
        assert ends.to_pylist() == [wanted["min"].as_py(), wanted["max"].as_py()]
        assert ends.type == values.type


def test_nothing_is_told_of_nulls_and_texts(tmp_path: Path) -> None:
    told = written(tmp_path)
    assert told.ends(0, ["some"]) is None
    assert told.ends(0, ["wide", "text"]) is None
    assert told.ends(1, ["some", "wide"]) is not None
    assert [told.nulls(0, name) for name in ("some", "text")] == [1, 0]


@pytest.mark.parametrize("name", ["point", "point.x", "nowhere"])
def test_nothing_is_told_of_what_is_nested_or_is_called_as_its_fields(
    tmp_path: Path, name: str
) -> None:
    told = written(tmp_path)
    assert told.ends(0, [name]) is None
    assert told.nulls(0, name) is None


def test_files_without_statistics_tell_nothing(tmp_path: Path) -> None:
    told = written(tmp_path, write_statistics=False)
    assert told.ends(0, ["wide"]) is None
    assert told.nulls(0, "wide") is None


def test_times_of_96_bits_are_told_by_nobody(tmp_path: Path) -> None:
    told = written(tmp_path, use_deprecated_int96_timestamps=True)
    assert told.ends(0, ["moment"]) is None
