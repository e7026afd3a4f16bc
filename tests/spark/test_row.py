"""`row=`: events that bring their numbers are not counted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.spark.comparing import embedded, frame_of, in_order

from tocsin.spark import explain, match
from tocsin.spark.measured import pushed_filters

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PROGRAM = """
SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] WITHIN 20 s;
SUBSCRIBE next MATCH a:[v = 1] , b:[v = 4];
SUBSCRIBE quiet MATCH a:[v = 2] ; !b:[k = 'y'] FOR 1 s;
SUBSCRIBE still MATCH !b:[k = 'z'] FOR 5 s
"""
SCHEMA = "n bigint, ts bigint, ip string, k string, v int"


def rows_of(many: int) -> list[dict[str, object]]:
    return [
        {"n": i, "ts": i * 700 // 2, "ip": f"10.0.0.{i % 5}", "k": "xxxy"[i % 4], "v": i * i % 7}
        for i in range(many)
    ]


ROWS = rows_of(80)


@pytest.mark.parametrize("parts", [1, 3])
def test_the_numbers_that_rows_bring_give_the_same(spark: SparkSession, parts: int) -> None:
    events = frame_of(spark, ROWS[::-1], SCHEMA)
    found = match(events, PROGRAM, time="ts", row="n", parts=parts)
    wanted = embedded(ROWS, PROGRAM, time="ts")
    assert in_order(found.toArrow()) == wanted
    assert {name for name in ("keyed", "next", "quiet", "still") if name in str(wanted)} == {
        "keyed", "next", "quiet", "still",
    }  # fmt: skip


def test_numbers_may_be_negative(spark: SparkSession) -> None:
    """-1 came out as null, as where the clock completes a match."""
    rows = [{**row, "n": int(str(row["n"])) - 40} for row in ROWS]
    keyed = PROGRAM.partition(";\n")[0]
    found = match(frame_of(spark, rows, SCHEMA), keyed, time="ts", row="n", parts=2).toArrow()
    wanted = match(frame_of(spark, ROWS, SCHEMA), keyed, time="ts", row="n", parts=2).toArrow()
    positions = sorted(n - 40 for n in wanted["position"].to_pylist())
    assert sorted(found["position"].to_pylist()) == positions
    assert -1 in positions


def test_filters_go_down_to_the_source(spark: SparkSession, tmp_path: Path) -> None:
    frame_of(spark, ROWS, SCHEMA).write.parquet(str(tmp_path / "events"))
    events = spark.read.parquet(str(tmp_path / "events"))
    keyed = PROGRAM.partition(";\n")[0]
    found = match(events, keyed, time="ts", row="n", parts=2, reader="spark")
    (pushed,) = pushed_filters(found)
    assert "EqualTo(k,x)" in pushed
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange") == 1
    assert "$key" not in plan, "rows are shuffled without a copy of their key"
    assert "ReadSchema: struct<n:bigint,ts:bigint,ip:string,k:string>" in plan
    said = explain(keyed, events, time="ts", row="n", parts=2, reader="spark")
    assert "group 1 reads 80 rows; the largest key, 10.0.0.0, has 20.0% of them" in said
    assert "EqualTo(k,x)" in said


def test_rows_stay_where_they_lie_where_each_is_judged_alone(spark: SparkSession) -> None:
    program = """
    SUBSCRIBE some MATCH a:[v = 1] | b:[k = 'y'];
    SUBSCRIBE into_other MATCH a:[v > 4] EMIT a.v AS w INTO other;
    SUBSCRIBE other FROM other MATCH [w = 5]
    """
    events = frame_of(spark, ROWS[::-1], SCHEMA)
    assert events.rdd.getNumPartitions() > 1
    found = match(events, program, time="ts", row="n", stream="ticks")
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert "Exchange" not in plan
    assert in_order(found.toArrow()) == embedded(ROWS, program, time="ts", stream="ticks")
    assert "each event alone" in explain(program, events, time="ts", row="n", stream="ticks")


@pytest.mark.parametrize(
    ("numbers", "said"),
    [((1, 1), "two rows have the number 1 .* must be unique"), ((2, 1), "with time")],
)
def test_wrong_numbers_are_told(spark: SparkSession, numbers: tuple[int, int], said: str) -> None:
    rows = [{"n": n, "ts": ts, "v": 1} for ts, n in enumerate(numbers)]
    found = match(
        frame_of(spark, rows, "n int, ts bigint, v int"),
        "SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 1]", time="ts", row="n",
    )  # fmt: skip
    with pytest.raises(Exception, match=said):
        found.collect()


def test_a_hot_key_is_split_by_time_as_well(spark: SparkSession) -> None:
    # Hot keys are found by a small sample.
    many = rows_of(4_000)
    rows = [{**row, "ip": row["ip"] if int(str(row["n"])) % 8 == 0 else "hot"} for row in many]
    program = """
    SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] WITHIN 3 s;
    SUBSCRIBE next MATCH a:[k = 'x' AND ip = $i] , b:[k = 'y' AND ip = $i];
    SUBSCRIBE quiet MATCH a:[v = 2 AND ip = $i] ; !b:[k = 'y' AND ip = $i] FOR 2 s WITHIN 1 s
    """
    events = frame_of(spark, rows, SCHEMA)
    said = explain(program, events, time="ts", parts=3)
    assert "hot, has 87.5% of them: it is hot, and split by time" in said
    for row in (None, "n"):
        found = match(events, program, time="ts", parts=3, row=row)
        plan = found._jdf.queryExecution().analyzed().toString()
        assert "hot" in plan, "the hot key is part of the split"
        assert in_order(found.toArrow()) == embedded(rows, program, time="ts")


def test_a_hot_key_of_few_bytes_stays_whole(spark: SparkSession) -> None:
    rows = [{"n": n, "ts": n, "k": "xy"[n % 2], "ip": "hot"} for n in range(4_000)]
    program = "SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] -> b:[k = 'y' AND ip = $i] WITHIN 3 s"
    known = spark.createDataFrame(pa.Table.from_pylist(rows))  # Spark knows its size
    said = explain(program, known, time="ts", row="n", parts=3)
    assert "hot, has 100.0% of them: it is hot, but so little that it is not split" in said
    found = match(known, program, time="ts", row="n", parts=3)
    assert "hot" not in found._jdf.queryExecution().analyzed().toString()
    assert found.count() == 2_000


def test_numbers_are_compared_within_a_part_alone(spark: SparkSession) -> None:
    """As `match` says: to compare all of them would take a shuffle of all rows."""
    rows = [{"n": ts // 2, "ts": ts, "k": "ab"[ts % 2]} for ts in range(8)]
    events = frame_of(spark, rows, "n int, ts bigint, k string")
    twos = "SUBSCRIBE twos MATCH a:[k = $k] ; b:[k = $k] WITHIN 2 ms"
    found = match(events, twos, time="ts", row="n", parts=16).toArrow()
    given = embedded([{"ts": row["ts"], "k": row["k"]} for row in rows], twos, time="ts")
    assert found.num_rows == len(given) > 0
    with pytest.raises(Exception, match="must be unique"):
        match(events, twos, time="ts", row="n", parts=1).collect()
