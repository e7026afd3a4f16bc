"""Times without a zone are those of UTC, whatever the zone of the session is."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.spark.comparing import embedded, frame_of, in_order

import tocsin
from tocsin.spark import match, register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAIR = "SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2] WITHIN 2 d"


@pytest.mark.usefixtures("far_from_utc")
@pytest.mark.parametrize("of", ["timestamp_ntz", "date"])
def test_times_without_a_zone_are_those_of_utc(spark: SparkSession, of: str) -> None:
    days = [date(2024, 1, 1) + timedelta(days=n) for n in range(4)]
    times = days if of == "date" else [datetime.fromisoformat(str(day)) for day in days]
    rows = [{"ts": t, "v": 1 + n % 2} for n, t in enumerate(times)]
    events = frame_of(spark, rows, f"ts {of}, v int")
    program = f"{PAIR} EMIT t(a) AS first"
    assert in_order(match(events, program, time="ts").toArrow()) == embedded(
        rows, program, time="ts"
    )


@pytest.mark.usefixtures("far_from_utc")
def test_the_zone_of_the_session_says_nothing(spark: SparkSession) -> None:
    events = frame_of(spark, [{"ts": 0, "v": 1}, {"ts": 1, "v": 2}], "ts bigint, v int")
    timed = events.selectExpr("timestamp_millis(ts) AS ts", "v")
    found = match(timed, PAIR, time="ts").toArrow()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    again = match(timed, PAIR, time="ts").toArrow()
    assert found["id"].to_pylist() == again["id"].to_pylist()
    assert len(found) == 1


@pytest.mark.usefixtures("missing_hour")
def test_an_hour_that_the_session_misses_is_there_without_a_zone(spark: SparkSession) -> None:
    texts = ("2024-03-10 02:30:00.000001", "2024-03-10 03:10:00", "1969-12-31 23:59:59.9")
    rows = [{"ts": datetime.fromisoformat(one), "v": 1 + n % 2} for n, one in enumerate(texts)]
    events = frame_of(spark, rows[::-1], "ts timestamp_ntz, v int")
    ordered = [rows[2], *rows[:2]]
    assert in_order(match(events, PAIR, time="ts").toArrow()) == embedded(ordered, PAIR, time="ts")
    register(spark)
    events.createOrReplaceTempView("zoneless")
    query = f"SELECT * FROM tocsin_match(TABLE(zoneless), '{PAIR}', 'ts')"
    assert in_order(spark.sql(query).toArrow()) == embedded(ordered, PAIR, time="ts")


def test_times_with_and_without_a_zone_do_not_go_together(spark: SparkSession) -> None:
    frames = {
        "one": spark.createDataFrame([], "ts timestamp, v int"),
        "two": spark.createDataFrame([], "ts timestamp_ntz, v int"),
    }
    with pytest.raises(tocsin.ConfigurationError, match=r"is a timestamp in .* a timestamp_ntz"):
        match(frames, "SUBSCRIBE s FROM one, two MATCH a:[v = 1]", time="ts")
