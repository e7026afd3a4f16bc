"""Files of random rows, and what parts over them find, without Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import DoubleType, LongType, StringType, StructType

import tocsin
from tocsin.spark.files.make_survey import make_survey
from tocsin.spark.files.reading import Reading
from tocsin.spark.files.splitter import Parts
from tocsin.spark.ids import with_ids
from tocsin.spark.intake import Events

Rows = list[dict[str, Any]]

NUMBERS: Final = ("row", "order", "shuffled", "untold")
"""How files are written, and numbers of rows meant: for `row=`, or for `order=`; the first with the
rows of each row group in another order, or without statistics."""

SCHEMA = StructType().add("n", LongType()).add("ts", LongType()).add("k", StringType())
SCHEMA = SCHEMA.add("v", LongType()).add("g", DoubleType()).add("h", DoubleType())
ARROW = pa.schema(
    {
        "n": pa.int64(), "ts": pa.int64(), "k": pa.string(), "v": pa.int64(), "g": pa.float64(),
        "h": pa.float64(),
    }
)  # fmt: skip


class _Frame:
    """What a survey asks a frame for."""

    def __init__(self, schema: StructType) -> None:
        self.schema = schema


@contextmanager
def files_of(rows: Rows, numbers: str, files: int, group_rows: int) -> Iterator[Reading]:
    """Write rows as some files; `numbers` says what those are, as in `NUMBERS`."""
    table = pa.Table.from_pylist([{**row, "n": n} for n, row in enumerate(rows)], schema=ARROW)
    with TemporaryDirectory() as directory:
        paths = write(table, Path(directory), files, group_rows, numbers)
        yield reading_of(paths, SCHEMA, numbers)


def reading_of(paths: list[str], schema: StructType, numbers: str) -> Reading:
    """Return what workers read of files, all columns but the numbers."""
    frame = cast(Any, _Frame(schema))
    option: Any = {"order" if numbers == "order" else "row": "n"}
    events = replace(Events(frame, "ts", None, None, is_named=False), **option)
    names = [name for name in schema.names if name not in ("n", "ts")]
    return Reading(
        make_survey(paths[::-1], events, names), ("ts", *names), events.row, stream="one"
    )


def write(
    table: pa.Table, directory: Path, files: int, group_rows: int, numbers: str = "row"
) -> list[str]:
    """Write rows as some files, each with row groups of so many rows."""
    size = -(-table.num_rows // files)
    paths = []
    for number in range(files):
        path = os.fspath(directory / f"{number}.parquet")
        part = table.slice(number * size, size)
        if numbers == "shuffled":
            part = part.take(shuffled(part.num_rows, group_rows))
        told = numbers != "untold"
        pq.write_table(part, path, row_group_size=group_rows, write_statistics=told)
        paths.append(path)
    return paths


def shuffled(rows: int, group_rows: int) -> Any:
    """Return the places of rows in another order, those of a row group together as before."""
    draw = np.random.default_rng(rows)
    every = np.arange(rows)
    groups = [every[at : at + group_rows] for at in range(0, rows, group_rows)]
    return pa.array(np.concatenate([every[:0], *map(draw.permutation, groups)]))


def told_by(parts: Parts) -> list[str]:
    """Run parts one after the other."""
    batches = (batch for number in range(len(parts.work)) for batch in parts.run(number))
    return [repr(row) for batch in batches for row in batch.to_pylist()]


def whole(text: str, rows: Rows, simultaneous: Any = "ordered") -> list[str]:
    """Return what the embedded engine finds."""
    named = [{**row, "$stream": "one"} for row in rows]
    floats = [
        {name: float(value) if name in "gh" else value for name, value in row.items()}
        for row in named
    ]
    found = tocsin.match(floats, text, time="ts", simultaneous=simultaneous)
    return sorted(map(repr, with_ids(found.to_arrow()).to_pylist()))
