"""Which inputs can bring subscriptions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from tocsin.model.read import may_subscribe

ROWS = [{"ts": 1, "v": 2}]
COMMANDS = [{"ts": 1, "v": None, "$subscribe": None}, {"$subscribe": "SUBSCRIBE s MATCH [v > 1]"}]


@pytest.mark.parametrize("rows", [ROWS, COMMANDS])
@pytest.mark.parametrize("made", [list, tuple, pd.DataFrame, pa.Table.from_pylist])
def test_what_can_be_looked_through_is(rows: list[dict[str, Any]], made: Any) -> None:
    assert may_subscribe(made(rows)) == (rows is COMMANDS)


def test_an_iterator_may_bring_anything_unless_it_says_otherwise() -> None:
    class Quiet:
        may_subscribe = False

    assert may_subscribe(iter(ROWS))
    assert not may_subscribe(Quiet())


@pytest.mark.parametrize("rows", [ROWS, COMMANDS])
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "arrow"])
def test_a_file_is_looked_through(rows: list[dict[str, Any]], form: str, tmp_path: Path) -> None:
    path, table = tmp_path / f"events.{form}", pa.Table.from_pylist(rows)
    if form == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        write = {"csv": csv.write_csv, "parquet": parquet.write_table}
        write.get(form, feather.write_feather)(table, path)
    assert may_subscribe(path) == may_subscribe(str(path)) == (rows is COMMANDS)


def test_escapes_packed_files_and_what_is_no_file_are_not_trusted(tmp_path: Path) -> None:
    escaped, packed, empty = (tmp_path / name for name in ("a.jsonl", "a.jsonl.gz", "b.jsonl"))
    escaped.write_text(r'{"\u0024subscribe": "SUBSCRIBE s MATCH [v > 1]"}')
    packed.write_bytes(gzip.compress(b"{}"))
    empty.write_bytes(b"")
    assert [may_subscribe(one) for one in (escaped, packed, empty, "-")] == [
        True,
        True,
        False,
        True,
    ]
