"""Random programs over random rows: every split on Spark gives what the embedded engine gives."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.plan.partition.dense import dense_rows, dense_texts, is_accepted
from tests.spark.comparing import embedded, frame_of, in_order

from tocsin.plan.partition import PREFERENCE, Strategy
from tocsin.spark import match

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Draw = Callable[[st.SearchStrategy[Any]], Any]
Rows = list[dict[str, Any]]

SCHEMA = "n bigint, ts bigint, fin bigint, s string, k string, v bigint, g double, h double"
FORCED: list[tuple[Strategy, ...]] = [PREFERENCE, *((one,) for one in PREFERENCE)]
IS_LARGE = os.environ.get("TOCSIN_EXHAUSTIVE") == "1"
ONE_SESSION = settings(
    max_examples=60 if IS_LARGE else 2,
    phases=[Phase.generate],  # a smaller case is found without Spark, in test_work
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@st.composite
def many_cases(draw: Draw) -> tuple[str, Rows]:
    """Return a program of many subscriptions, so that one job covers many cases, and rows."""
    drawn = [_renamed(draw(dense_texts()), number) for number in range(8)]
    texts = [text for text in drawn if is_accepted(text)]
    rows: Rows = []
    moment = 0
    for _ in range(3):
        found = [row for row in draw(dense_rows()) if "$clock" not in row]
        rows += [{**row, **_later(row, moment)} for row in found]
        moment = max((row.get("$end", row["ts"]) for row in rows), default=0)
    return ";\n".join(texts), [_complete(row, number) for number, row in enumerate(rows)]


def _renamed(text: str, number: int) -> str:
    """Give subscriptions and derived streams of a program names of their own."""
    text = re.sub(r"SUBSCRIBE (\w+)", rf"SUBSCRIBE \1_{number}", text)
    return re.sub(r"\b(INTO|FROM) made\b", rf"\1 made_{number}", text)


def _later(row: dict[str, Any], moment: int) -> dict[str, int]:
    return {name: row[name] + moment for name in ("ts", "$end") if name in row}


def _complete(row: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a row as a frame has it: an end for each, and numbers of one type."""
    numbers = {name: float(row[name]) for name in ("g", "h") if name in row}
    return {"n": number, **row, **numbers, "$end": row.get("$end", row["ts"])}


@pytest.mark.parametrize("strategies", FORCED, ids=["best", *PREFERENCE])
@ONE_SESSION
@given(
    many_cases(),
    st.sampled_from([1, 2, 7]),
    st.booleans(),
    st.sampled_from(["ordered", "unordered"]),
)
def test_every_split_equals_the_embedded_engine(
    spark: SparkSession,
    strategies: tuple[Strategy, ...],
    case: tuple[str, Rows],
    parts: int,
    is_numbered: bool,
    simultaneous: Any,
) -> None:
    program, rows = case
    columns = [{**row, "s": row["$stream"], "fin": row["$end"]} for row in rows]
    found = match(
        frame_of(spark, columns[::-1], SCHEMA), program, time="ts", end="fin", order="n",
        row="n" if is_numbered else None, streams="s", simultaneous=simultaneous, parts=parts,
        strategies=strategies,
    )  # fmt: skip
    wanted = embedded(rows, program, time="ts", simultaneous=simultaneous)
    assert in_order(found.toArrow()) == wanted
