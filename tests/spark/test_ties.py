"""Events of equal time come in one order, whoever else asks and however they are run."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.spark.comparing import frame_of, in_order
from tests.spark.streams import read, run_to_end, write

from tocsin.spark import match, match_stream, register

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ONE = "SUBSCRIBE one MATCH a:[v = 1] , b:[v = 2] EMIT a.label AS first, b.label AS second"
TWO = f"{ONE}; SUBSCRIBE two MATCH a:[w = 1] ; b:[w = 2]"
SCHEMA = "ts bigint, till bigint, kind string, v int, w int, label string, n bigint"
DRAW = random.Random(3)
ROWS = [
    {
        "ts": 1000 * (i // 20),
        "till": 1000 * (i // 20),
        "kind": "k",
        "v": DRAW.randrange(3),
        "w": DRAW.randrange(3),
        "label": f"row {i}",
        "n": i,
    }
    for i in range(100)
]
OPTIONS: list[dict[str, Any]] = [{}, {"end": "till"}, {"streams": "kind", "stream": "k"}]
NUMBERED: list[dict[str, Any]] = [{"row": "n"}, {"row": "n", "order": "w"}]
"""Numbers order events of equal time, whatever else may."""


def pairs(found: DataFrame | pa.Table) -> list[str]:
    """Return which rows the first subscription has paired; it depends on their order."""
    table: Any = found if isinstance(found, pa.Table) else found.toArrow()
    rows = table.select(["subscription", "emit"]).to_pylist()
    return sorted(str(row["emit"]) for row in rows if row["subscription"] == "one")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_one_more_subscription_changes_no_order(
    spark: SparkSession, options: dict[str, Any]
) -> None:
    events = frame_of(spark, ROWS, SCHEMA)
    found = [pairs(match(events, text, time="ts", parts=2, **options)) for text in (ONE, TWO)]
    assert len(found[0]) > 5
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "options",
    [
        OPTIONS[0],
        NUMBERED[0],
        *(pytest.param(one, marks=pytest.mark.slow) for one in (*OPTIONS[1:], *NUMBERED[1:])),
    ],
    ids=str,
)
def test_streams_and_sql_have_the_order_of_batches(
    spark: SparkSession, options: dict[str, Any], tmp_path: Path
) -> None:
    events = frame_of(spark, ROWS, SCHEMA)
    batch = pairs(match(events, ONE, time="ts", **options))
    long, short, text = pa.int64(), pa.int32(), pa.string()
    kinds = (long, long, text, short, short, text, long)
    columns = pa.schema(dict(zip(ROWS[0], kinds, strict=True)))
    end = {"ts": 10**6, "till": 10**6, "kind": "k", "v": 0, "w": 0, "label": "the end", "n": 1000}
    write([ROWS, [end], [end]], tmp_path / "in", columns=columns)
    stream = match_stream(
        read(spark, tmp_path / "in", SCHEMA), ONE, time="ts", delay="0 s", **options
    )
    assert pairs(run_to_end(stream, tmp_path)) == batch
    register(spark)
    events.createOrReplaceTempView("tied")
    named = {name: value for name, value in options.items() if name != "stream"}
    more = "".join(f", {name} => '{value}'" for name, value in named.items())
    text = ONE.replace("MATCH", "FROM k MATCH") if "streams" in options else ONE
    found = spark.sql(f"SELECT * FROM tocsin_match(TABLE(tied), '{text}', 'ts'{more})")
    assert pairs(found) == batch


def test_a_dict_with_one_frame_orders_equal_times_as_the_frame_does(spark: SparkSession) -> None:
    rows = [{"ts": n // 8, "v": n * 7 % 5} for n in range(80)]
    frame = frame_of(spark, rows, "ts bigint, v bigint")
    program = "SUBSCRIBE s FROM e MATCH a:[v = 1] -> b:[v = 2]"
    plain, named = (
        in_order(match(given, program, time="ts", stream="e").toArrow())
        for given in (frame, {"e": frame})
    )
    assert plain == named
    assert plain
