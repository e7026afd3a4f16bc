"""Random programs over random files: what parts read and find together is what the whole finds."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import event, example, given, reject
from hypothesis import strategies as st
from pyspark.sql.types import DoubleType, LongType, StringType, StructType
from tests.plan.partition.dense import dense_rows, dense_texts, is_accepted

import tocsin
from tocsin.language.parser import parse
from tocsin.plan.partition import PREFERENCE, Group, Strategy, plan_partitions
from tocsin.spark.files.make_survey import make_survey
from tocsin.spark.files.reading import Reading
from tocsin.spark.files.splitter import FileSplitter
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.ids import with_ids
from tocsin.spark.intake import Events
from tocsin.spark.work import Task

Rows = list[dict[str, Any]]
Draw = Callable[[st.SearchStrategy[Any]], Any]

FORCED: list[tuple[Strategy, ...]] = [PREFERENCE, *((one,) for one in PREFERENCE)]
SCHEMA = StructType().add("n", LongType()).add("ts", LongType()).add("k", StringType())
SCHEMA = SCHEMA.add("v", LongType()).add("g", DoubleType()).add("h", DoubleType())
ARROW = pa.schema(
    {
        "n": pa.int64(), "ts": pa.int64(), "k": pa.string(), "v": pa.int64(), "g": pa.float64(),
        "h": pa.float64(),
    }
)  # fmt: skip
HOT = [{"ts": 500 * n, "k": "a", "v": 0, "g": 1.0} for n in range(40)]
"""So long that slices of time repeat little, and so serve keys as well."""


class _Frame:
    """What a survey asks a frame for."""

    schema = SCHEMA


@st.composite
def rows_of_one_stream(draw: Draw) -> Rows:
    found = [row for row in draw(dense_rows()) if "$clock" not in row]
    names = ("ts", "k", "v", "g", "h")
    return [{name: row[name] for name in names if name in row} for row in found]


@given(
    dense_texts().filter(is_accepted),
    rows_of_one_stream(),
    st.sampled_from([1, 2, 7]),
    st.sampled_from(["row", "order"]),
    st.sampled_from(["ordered", "unordered"]),
    st.integers(1, 3),
    st.integers(1, 4),
)
@example(
    "SUBSCRIBE s FROM one MATCH a:[g = $key] ; b:[g = $key] WITHIN 1 s", HOT, 2, "row", "ordered",
    2, 7,
)  # fmt: skip
@example(
    "SUBSCRIBE s FROM one MATCH a:[g = $key] , b:[g = $key] ; !c:[g = $key] FOR 1 s", HOT, 2,
    "order", "ordered", 3, 4,
)  # fmt: skip
def test_parts_find_what_the_whole_finds(
    text: str, rows: Rows, parts: int, numbers: str, simultaneous: Any, files: int, group_rows: int
) -> None:
    wanted = whole(text, rows, simultaneous)
    with TemporaryDirectory() as directory:
        paths = write(rows, Path(directory), files, group_rows)
        events = Events(cast(Any, _Frame()), "ts", None, None, is_named=False)
        events = replace(events, **{numbers: "n"})  # type: ignore[arg-type]
        found = make_survey(paths[::-1], events, ("k", "v", "g", "h"))
        reading = Reading(found, ("ts", "k", "v", "g", "h"), events.row, stream="one")
        program, task = parse(text), Task((), "ts", None, simultaneous)
        for strategies in FORCED:
            plan = plan_partitions(
                program, unordered=simultaneous == "unordered", preference=strategies
            )
            own = FileSplitter(reading, program, None, task, "one", parts, cores=parts)
            told = [one for group in plan.groups for one in in_parts(own, group)]
            assert sorted(told) == wanted, (strategies, plan)


def in_parts(splitter: FileSplitter, group: Group) -> list[str]:
    """Run parts one after the other."""
    try:
        parts = splitter.parts_of(group)
    except ThroughSpark:  # positions in a derived stream alone
        reject()
    share = parts.work[0][1]
    event(f"by {'time' if share.end_us is not None else 'key' if share.keys else 'shard'}")
    batches = (batch for number in range(len(parts.work)) for batch in parts.run(number))
    return [repr(row) for batch in batches for row in batch.to_pylist()]


def whole(text: str, rows: Rows, simultaneous: Any) -> list[str]:
    named = [{**row, "$stream": "one"} for row in rows]
    floats = [
        {name: float(value) if name in "gh" else value for name, value in row.items()}
        for row in named
    ]
    found = tocsin.match(floats, text, time="ts", simultaneous=simultaneous)
    return sorted(map(repr, with_ids(found.to_arrow()).to_pylist()))


def write(rows: Rows, directory: Path, files: int, group_rows: int) -> list[str]:
    """Write rows as some files, each with row groups of so many rows."""
    numbered = [{**row, "n": number} for number, row in enumerate(rows)]
    table = pa.Table.from_pylist(numbered, schema=ARROW)
    size = -(-len(rows) // files)
    paths = []
    for number in range(files):
        path = os.fspath(directory / f"{number}.parquet")
        pq.write_table(table.slice(number * size, size), path, row_group_size=group_rows)
        paths.append(path)
    return paths
