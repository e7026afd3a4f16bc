"""Random programs over random files: what parts read and find together is what the whole finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import event, example, given, reject
from hypothesis import strategies as st
from tests.plan.partition.dense import dense_rows, dense_texts, is_accepted
from tests.spark.files.parts import NUMBERS, Rows, files_of, told_by, whole

from tocsin.language.parser import parse
from tocsin.plan.partition import PREFERENCE, Group, Strategy, plan_partitions
from tocsin.spark.files.splitter import FileSplitter
from tocsin.spark.files.through_spark import ThroughSpark
from tocsin.spark.work import Task

Draw = Callable[[st.SearchStrategy[Any]], Any]

FORCED: list[tuple[Strategy, ...]] = [PREFERENCE, *((one,) for one in PREFERENCE)]
HOT = [{"ts": 500 * n, "k": "a", "v": 0, "g": 1.0} for n in range(40)]
"""So long that slices of time repeat little, and so serve keys as well."""


@st.composite
def rows_of_one_stream(draw: Draw) -> Rows:
    found = [row for row in draw(dense_rows()) if "$clock" not in row]
    names = ("ts", "k", "v", "g", "h")
    return [{name: row[name] for name in names if name in row} for row in found]


@given(
    dense_texts().filter(is_accepted),
    rows_of_one_stream(),
    st.sampled_from([1, 2, 7]),
    st.sampled_from(NUMBERS),
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
    with files_of(rows, numbers, files, group_rows) as reading:
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
    return told_by(parts)
