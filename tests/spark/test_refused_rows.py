"""Rows that are no events: they are told, and change nothing."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.comparing import embedded, frame_of, in_order

import tocsin
from tocsin.spark import dead_letters, match
from tocsin.spark.measured import pushed_filters

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAIR = "SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2] WITHIN 2 d"


def test_rows_without_a_time_an_end_or_an_order_are_dead_letters(spark: SparkSession) -> None:
    rows = [
        {"ts": 1, "fin": 2, "n": 1, "v": 1},
        {"ts": None, "fin": 2, "n": 1, "v": 1},
        {"ts": 3, "fin": None, "n": 1, "v": 1},
        {"ts": 5, "fin": 4, "n": 1, "v": 1},
        {"ts": 6, "fin": 7, "n": None, "v": 1},
        {"ts": 2**62, "fin": 2**62, "n": 1, "v": 1},
        {"ts": 8, "fin": 9, "n": 1, "v": 2},
    ]
    events = frame_of(spark, rows, "ts bigint, fin bigint, n int, v int")
    options: dict[str, Any] = {"time": "ts", "end": "fin", "order": "n"}
    kept = [{"ts": r["ts"], "$end": r["fin"], "v": r["v"]} for r in (rows[0], rows[6])]
    assert in_order(match(events, PAIR, **options).toArrow()) == embedded(kept, PAIR, time="ts")
    letters = dead_letters(events, **options).collect()
    assert [letter.kind for letter in letters] == ["bad_time"] * 3 + ["bad_control", "bad_time"]
    assert letters[2].reason == "'$end' lies before 'ts'"
    assert '"ts":5' in letters[2].raw


def test_rows_that_workers_refuse_are_counted_and_told(spark: SparkSession) -> None:
    from pyspark.sql import Observation  # noqa: PLC0415 - needs Spark

    program = """
    STREAM s (ts TIMESTAMP, v INTEGER) TIME ts;
    SUBSCRIBE x FROM s MATCH a:[v = 1]; SUBSCRIBE y FROM s MATCH a:[v > 0] ; b:[v > 5]
    """
    rows = [{"ts": 1, "v": 1.0}, {"ts": 2, "v": 2.5}, {"ts": 3, "v": 6.0}]
    events = frame_of(spark, rows, "ts bigint, v double")
    seen = Observation()
    found = match(events, program, time="ts", observation=seen).toArrow()
    assert in_order(found) == embedded(rows, program, time="ts")
    letters = dead_letters(events, program, time="ts").collect()
    wanted = tocsin.match(rows, program, time="ts").dead_letters
    assert [(one.row, one.kind, one.reason) for one in letters] == [
        (one.row, one.kind, one.reason) for one in wanted
    ]
    assert seen.get["notifications"] == found.num_rows
    assert seen.get["dead_letters"] >= len(wanted)


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"row": "n"}, marks=pytest.mark.slow),
        pytest.param({"order": "n", "end": "fin"}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_every_row_that_is_left_out_is_counted(
    spark: SparkSession, tmp_path: Path, options: dict[str, Any]
) -> None:
    from pyspark.sql import Observation  # noqa: PLC0415 - needs Spark

    program = """
    STREAM s (ts TIMESTAMP, k STRING, v INTEGER) TIME ts;
    SUBSCRIBE x FROM s MATCH a:[v >= 1 AND k = $k] ; b:[v > 5 AND k = $k]
    """
    good = [{"n": n, "ts": n, "fin": n, "k": "ab"[n % 2], "v": float(n)} for n in range(10)]
    bad = [{**good[4], "ts": None}, {**good[5], "n": None}, {"ts": 2**62}]
    bad.append({**good[9], "n": 11, "ts": 11, "fin": 0})
    refused = {**good[9], "n": 10, "ts": 10, "fin": 10, "v": 2.5}
    schema = "n bigint, ts bigint, fin bigint, k string, v double"
    rows = [{name: row.get(name) for name in good[0]} for row in (*good, *bad, refused)]
    frame_of(spark, rows, schema).write.parquet(str(tmp_path / "events"))
    events = spark.read.parquet(str(tmp_path / "events"))
    seen = Observation()
    found = match(events, program, time="ts", observation=seen, **options)
    told = found.toArrow()
    letters = dead_letters(events, program, time="ts", **options)
    assert seen.get == {
        "notifications": told.num_rows, "dead_letters": letters.count(), "refused": 1,
    }  # fmt: skip
    assert letters.count() > 2
    assert in_order(told) == in_order(match(events, program, time="ts", **options).toArrow())
    assert "end" in options or "IsNull(ts)" in "".join(pushed_filters(found))


@pytest.mark.parametrize("row", [None, "n"])
@pytest.mark.parametrize("parts", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_a_row_that_is_refused_stands_between_no_others(
    spark: SparkSession, row: str | None, parts: int
) -> None:
    program = """
    STREAM s (n INTEGER, ts TIMESTAMP, till TIMESTAMP, k STRING, v INTEGER) TIME ts;
    SUBSCRIBE next FROM s MATCH a:[v >= 1] , b:[v >= 1];
    SUBSCRIBE keyed FROM s MATCH a:[k = $k] , b:[k = $k];
    SUBSCRIBE near FROM s MATCH a:[k = 'x'] ; b:[k = 'x'] WITHIN 2 EVENTS;
    SUBSCRIBE each FROM s MATCH [k = 'x']
    """
    values = [1.0, 1.5, 3.0, float("nan"), None, float("inf"), 4.0, -0.5, 5.0, 1e30, 6.0, 7.0]
    rows = [
        {"n": n, "ts": 1000 * n, "till": 5 if n < 11 else 10**18, "k": "xyxx"[n % 4], "v": value}
        for n, value in enumerate(values)
    ]
    events = frame_of(spark, rows, "n bigint, ts bigint, till bigint, k string, v double")
    found = match(events, program, time="ts", row=row, parts=parts)
    assert in_order(found.toArrow()) == embedded(rows, program, time="ts")
    letters = dead_letters(events, program, time="ts", row=row).collect()
    assert sorted(one.row for one in letters) == [1, 5, 7, 9, 11]


@pytest.mark.parametrize("row", [None, "n"])
@pytest.mark.parametrize("values", [(1.0, 4.0, 9.5), (9.5, 1.0, 4.0), (9.5, 9.5, 9.5)])
def test_a_row_that_is_refused_moves_no_clock(
    spark: SparkSession, values: tuple[float, ...], row: str | None
) -> None:
    program = """
    STREAM s (n INTEGER, ts TIMESTAMP, v INTEGER) TIME ts;
    SUBSCRIBE after FROM s MATCH a:[v = 1] ; ![v = 2] FOR 10 s;
    SUBSCRIBE before FROM s MATCH ![v = 2] FOR 10 s ; a:[v = 1];
    SUBSCRIBE silence FROM s MATCH ![v = 2] FOR 10 s
    """
    rows = [{"n": n, "ts": 15_000 * n, "v": value} for n, value in enumerate(values)]
    rows[1]["ts"] = 15_000 if values[0] == 9.5 else 1000
    events = frame_of(spark, rows, "n bigint, ts bigint, v double")
    found = match(events, program, time="ts", row=row, parts=2)
    assert in_order(found.toArrow()) == embedded(rows, program, time="ts")


def test_where_nothing_is_counted_the_engine_may_tell_which_values_fit(
    spark: SparkSession,
) -> None:
    program = """
    STREAM s (ts TIMESTAMP, at TIMESTAMP) TIME ts;
    SUBSCRIBE x FROM s MATCH a:[at IS PRESENT] ; b:[at IS MISSING] WITHIN 1 hour
    """
    rows = [{"ts": n, "at": at} for n, at in enumerate(["2026-01-01T00:00:00Z", "noon", None])]
    events = frame_of(spark, rows, "ts bigint, at string")
    found = in_order(match(events, program, time="ts").toArrow())
    assert found == embedded(rows, program, time="ts")
    assert len(found) == 1


@pytest.mark.parametrize("row", [None, pytest.param("n", marks=pytest.mark.slow)])
def test_a_decimal_that_is_no_float_stands_between_no_others(
    spark: SparkSession, row: str | None
) -> None:
    program = """
    SUBSCRIBE next MATCH a:[d > 1] , b:[d > 1]; SUBSCRIBE other MATCH a:[w > 0] , b:[w > 0];
    SUBSCRIBE quiet MATCH a:[d > 1] ; !b:[d > 5] FOR 2 s
    """
    texts = ["1.50", "1.10", "2.25", None, "3.00", "9999999999999.75", "4.01"]
    rows = [
        {"n": n, "ts": 1000 * n, "d": None if one is None else Decimal(one), "w": Decimal(n + 1)}
        for n, one in enumerate(texts)
    ]
    events = frame_of(spark, rows, "n bigint, ts bigint, d decimal(15,2), w decimal(18,0)")
    found = match(events, program, time="ts", row=row, parts=3)
    assert in_order(found.toArrow()) == embedded(rows, program, time="ts")
    letters = dead_letters(events, program, time="ts", row=row).collect()
    assert sorted(one.row for one in letters) == [1, 6]
