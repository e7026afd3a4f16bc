"""What may come in, and what it means."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.comparing import embedded, frame_of, in_order

from tocsin.spark import match

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAIR = "SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2] WITHIN 2 d"


def test_names_of_columns_may_hold_anything(spark: SparkSession) -> None:
    rows = [{"t.s": n, "my key": "x", "q`": n, "v": 1 + n % 2} for n in range(6)]
    events = frame_of(spark, rows, "`t.s` bigint, `my key` string, v int")
    events = events.withColumn("q`", events.v)
    found = match(events, PAIR, time="t.s", order="q`").toArrow()
    plain = [{"ts": row["t.s"], "v": row["v"]} for row in rows]
    assert in_order(found) == embedded(plain, PAIR, time="ts")


def test_a_subscription_may_read_the_columns_that_options_name(spark: SparkSession) -> None:
    program = "SUBSCRIBE s MATCH a:[who = 'doors'] EMIT a.fin AS fin, a.who AS who"
    events = frame_of(
        spark, [{"ts": 1, "fin": 5, "who": "doors"}], "ts bigint, fin bigint, who string"
    )
    found = match(events, program, time="ts", end="fin", streams="who", stream="doors")
    (row,) = found.collect()
    assert row.emit == {"fin": "5", "who": '"doors"'}


def test_decimals_and_nan_mean_what_they_mean_to_the_engine(spark: SparkSession) -> None:
    rows: list[dict[str, Any]] = [
        {"ts": 1, "d": Decimal("1.50"), "f": float("nan")},
        {"ts": 2, "d": Decimal("2.00"), "f": 3.0},
        {"ts": 3, "d": None, "f": None},
    ]
    program = """
    SUBSCRIBE big MATCH a:[f > 2] EMIT a.d AS d; SUBSCRIBE none MATCH a:[f IS MISSING];
    SUBSCRIBE same MATCH a:[d = 2]; SUBSCRIBE not_so MATCH a:[NOT (d > 1.5)]
    """
    events = frame_of(spark, rows, "ts bigint, d decimal(10,2), f double")
    found = in_order(match(events, program, time="ts").toArrow())
    assert found == embedded(rows, program, time="ts")
    assert len(found) == 6


def test_equal_time_and_order_is_told_apart_by_what_rows_hold(spark: SparkSession) -> None:
    rows = [{"ts": 1, "n": 1, "v": v, "m": {"a": v}} for v in (2, 1, 3, 1, 2)]
    program = "SUBSCRIBE s MATCH a:[v = 1] , b:[v = 2]; SUBSCRIBE t MATCH a:[v > 0] EMIT a.v AS v"
    one, other = (
        frame_of(spark, given, "ts bigint, n int, v int, m map<string, int>")
        for given in (rows, rows[::-1])
    )
    found = [match(events, program, time="ts", order="n", parts=2) for events in (one, other)]
    assert in_order(found[0].toArrow()) == in_order(found[1].toArrow())


@pytest.mark.parametrize("is_ansi", ["true", "false"])
def test_a_filter_that_is_pushed_down_is_never_too_strong(
    spark: SparkSession, is_ansi: str
) -> None:
    events = frame_of(spark, [{"n": 0, "ts": 1, "v": 16777216.0}], "n int, ts bigint, v float")
    spark.conf.set("spark.sql.ansi.enabled", is_ansi)
    try:
        found = match(events, "SUBSCRIBE s MATCH a:[v < 16777217]", time="ts", row="n").count()
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")
    assert found == 1
