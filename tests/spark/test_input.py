"""What may come in, what is refused before anything runs, and what becomes a dead letter."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.comparing import embedded, frame_of, in_order

import tocsin
from tocsin.spark import dead_letters, match, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAIR = "SUBSCRIBE s MATCH a:[v = 1] ; b:[v = 2] WITHIN 2 d"


@pytest.fixture
def far_from_utc(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    yield
    spark.conf.set("spark.sql.session.timeZone", "UTC")


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


@pytest.mark.parametrize(
    ("schema", "options", "said"),
    [
        ("ts string, v int", {"time": "ts"}, "to_timestamp, zone included"),
        ("ts double, v int", {"time": "ts"}, "is a double, not a timestamp"),
        ("ts bigint, `$v` int, v int", {"time": "ts"}, r"'\$v' begins with \$"),
        ("ts bigint, v struct<a: int>", {"time": "ts"}, "no event carries that"),
        ("ts bigint, v binary", {"time": "ts"}, "is a binary"),
        ("ts bigint, v int, V int", {"time": "ts"}, "two columns called 'v'"),
        ("ts bigint, v int", {"time": "ts", "end": "ts"}, "both name 'ts'"),
        ("ts bigint, v int, n string", {"time": "ts", "row": "n"}, "must number events"),
        ("ts bigint, v int", {"time": "ts", "streams": "v"}, "is a int, not a string"),
    ],
)
def test_wrong_frames_are_told_before_anything_runs(
    spark: SparkSession, schema: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(spark.createDataFrame([], schema), PAIR, **options)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("STREAM s (at TIMESTAMP, v INTEGER) TIME at; SUBSCRIBE x FROM s MATCH a:[v = 1]", "TIME"),
        (
            "SUBSCRIBE x FROM s MATCH a:[v = 1]; SUBSCRIBE y FROM u MATCH a:[v = 1]",
            "say stream='s'",
        ),
    ],
)
def test_streams_that_do_not_fit_are_told(spark: SparkSession, program: str, said: str) -> None:
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(spark.createDataFrame([], "ts bigint, v int"), program, time="ts")


def test_columns_of_one_name_hold_one_kind(spark: SparkSession) -> None:
    frames = {
        "one": spark.createDataFrame([], "ts bigint, v int"),
        "two": spark.createDataFrame([], "ts bigint, v string"),
    }
    with pytest.raises(tocsin.ConfigurationError, match="is a int in stream 'one' and a string"):
        match(frames, "SUBSCRIBE s FROM one, two MATCH a:[v = 1]", time="ts")


def test_times_with_and_without_a_zone_do_not_go_together(spark: SparkSession) -> None:
    frames = {
        "one": spark.createDataFrame([], "ts timestamp, v int"),
        "two": spark.createDataFrame([], "ts timestamp_ntz, v int"),
    }
    with pytest.raises(tocsin.ConfigurationError, match=r"is a timestamp in .* a timestamp_ntz"):
        match(frames, "SUBSCRIBE s FROM one, two MATCH a:[v = 1]", time="ts")


def test_a_stream_that_no_frame_gives_is_named(spark: SparkSession) -> None:
    frames = {"logins": spark.createDataFrame([], "ts bigint, v int")}
    said = r"reads the stream 'login', but there are frames for logins; did you mean 'logins'\?"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(frames, "SUBSCRIBE s FROM logins, login MATCH [v = 1]", time="ts")


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


@pytest.mark.parametrize("row", [None, "n"])
@pytest.mark.parametrize("parts", [1, 3])
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


def test_a_stream_that_is_declared_without_its_time_is_refused(spark: SparkSession) -> None:
    """Engines took the clock's time for its events, and slices of time dropped their matches."""
    program = "STREAM s (v INTEGER); SUBSCRIBE x FROM s MATCH a:[v = 1] -> b:[v = 2] WITHIN 1 hour"
    events = spark.createDataFrame([], "ts bigint, v bigint")
    said = r"stream 's' is declared without TIME, but time= names 'ts'; write STREAM s \(… ts TIM"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(events, program, time="ts")
    kept = """
    STREAM s (ts TIMESTAMP, v INTEGER) TIME ts;
    STREAM d (v INTEGER);
    SUBSCRIBE x FROM s MATCH a:[v = 1] EMIT a.v AS v INTO d
    """
    assert match(events, kept, time="ts").count() == 0


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


@pytest.mark.parametrize("row", [None, "n"])
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


def test_decimals_of_many_digits_are_refused_before_anything_runs(spark: SparkSession) -> None:
    events = spark.createDataFrame([], "ts bigint, d decimal(20,2)")
    with pytest.raises(tocsin.ConfigurationError, match=r"'d' is a decimal\(20,2\), of which few"):
        match(events, "SUBSCRIBE s MATCH a:[d > 1] , b:[d > 1]", time="ts")


def test_what_is_declared_and_no_event_carries_is_refused(spark: SparkSession) -> None:
    events = spark.createDataFrame([], "ts bigint, v int, tags array<string>")
    program = (
        "STREAM s (ts TIMESTAMP, v INTEGER, tags STRING) TIME ts; SUBSCRIBE x FROM s MATCH [v = 1]"
    )
    with pytest.raises(tocsin.ConfigurationError, match=r"'tags' is a array<string>, but stream"):
        match(events, program, time="ts")


def test_what_only_the_engine_can_tell_is_refused_before_anything_runs(
    spark: SparkSession,
) -> None:
    declared = "STREAM s (ts TIMESTAMP, at TIMESTAMP) TIME ts"
    program = f"{declared}; SUBSCRIBE x FROM s MATCH a:[TRUE] , b:[TRUE]"
    events = spark.createDataFrame([], "ts bigint, at string")
    said = r"the column 'at' is a string, but TIMESTAMP is declared; cast it, or declare"
    with pytest.raises(tocsin.ConfigurationError, match=said):
        match(events, program, time="ts")


def test_equal_time_and_order_is_told_apart_by_what_rows_hold(spark: SparkSession) -> None:
    rows = [{"ts": 1, "n": 1, "v": v, "m": {"a": v}} for v in (2, 1, 3, 1, 2)]
    program = "SUBSCRIBE s MATCH a:[v = 1] , b:[v = 2]; SUBSCRIBE t MATCH a:[v > 0] EMIT a.v AS v"
    one, other = (
        frame_of(spark, given, "ts bigint, n int, v int, m map<string, int>")
        for given in (rows, rows[::-1])
    )
    found = [match(events, program, time="ts", order="n", parts=2) for events in (one, other)]
    assert in_order(found[0].toArrow()) == in_order(found[1].toArrow())


@pytest.fixture
def missing_hour(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    spark.conf.set("spark.sql.session.timeZone", "UTC")


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
