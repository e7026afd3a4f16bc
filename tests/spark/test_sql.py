"""`tocsin_match` in SQL against `tocsin.match`."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import tocsin
from tocsin.spark.sql import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

BEGIN = dt.datetime(2026, 3, 2, 8, tzinfo=dt.UTC)
KEYED = "SUBSCRIBE k MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] WITHIN 20 s"
NEXT = "SUBSCRIBE n MATCH a:[v = 1] , b:[v = 4] EMIT a.ip AS ip, t(b) AS at"


def rows() -> list[dict[str, Any]]:
    return [
        {
            "n": i,
            "ts": BEGIN + dt.timedelta(seconds=i),
            "ip": f"10.0.0.{i % 5}",
            "k": "x" if i % 4 else "y",
            "v": i * i % 7,
        }
        for i in range(60)
    ]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> SparkSession:
    """A session that knows the function and a table of events."""
    register(spark)
    given = [tuple(row.values()) for row in rows()]
    frame = spark.createDataFrame(
        [*given[::-1], (99, None, "10.0.0.1", "x", 1)],
        "n bigint, ts timestamp, ip string, k string, v int",
    )
    frame.createOrReplaceTempView("events")
    return spark


def asked(spark: SparkSession, text: str, more: str = "", table: str = "events") -> list[Any]:
    quoted = text.replace("'", "''")
    query = f"SELECT * FROM tocsin_match(TABLE({table}), '{quoted}', 'ts'{more})"
    rows: list[Any] = spark.sql(query).toArrow().to_pylist()
    return rows


def found(spark: SparkSession, text: str, more: str = "") -> list[str]:
    return sorted(map(repr, asked(spark, text, f", dead_letters => 'drop'{more}")))


def wanted(text: str) -> list[str]:
    table = tocsin.match(pa.Table.from_pylist(rows()), text, time="ts").to_arrow()
    assert table.num_rows > 3
    return sorted(map(repr, table.to_pylist()))


@pytest.mark.parametrize("text", [KEYED, NEXT, f"{KEYED}; {NEXT}"])
def test_a_table_read_whole_equals_the_embedded_engine(events: SparkSession, text: str) -> None:
    assert found(events, text) == wanted(text)


def test_a_key_and_numbered_rows_give_the_same(events: SparkSession) -> None:
    assert found(events, KEYED, ", key => 'ip', row => 'n'") == wanted(KEYED)


@pytest.mark.parametrize(
    ("text", "more", "told"),
    [
        (NEXT, ", key => 'ip'", "key => 'ip' would change the answers"),
        (KEYED, ", key => 'k'", "its key is ip"),
        (KEYED, ", kye => 'ip'", "Did you mean 'key'?"),
        (KEYED, ", order => 'nn'", "the table has no column 'nn', which order names"),
        ("SUBSCRIBE s MATCH [statsu = 1]", "", "no column 'statsu', which subscription 's' reads"),
        (
            "SUBSCRIBE s FROM one MATCH [v = 1]; SUBSCRIBE t FROM two MATCH [v = 1]",
            "",
            "reads the stream 'one', but all rows are of stream 'default'",
        ),
        (KEYED, ", row => 'ip'", "it must number events with integers"),
        (KEYED, ", streams => 'v'", "it must hold names of streams"),
        (KEYED, ", dead_leters => 'drop'", "Did you mean 'dead_letters'?"),
        ("SUBSCRIBE s MATCH [v = ]", "", "line 1, column 24"),
        (
            "STREAM default (ts TIMESTAMP, v STRING) TIME ts; SUBSCRIBE s MATCH [v = '1']",
            "",
            "the column 'v' is a int, but stream 'default' declares STRING: every row",
        ),
    ],
)
def test_a_wrong_call_is_refused_before_the_query_runs(
    events: SparkSession, text: str, more: str, told: str
) -> None:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - needs Spark

    with pytest.raises(AnalysisException) as refused:
        found(events, text, more)
    assert told in str(refused.value)


def test_numbers_order_events_of_equal_time(events: SparkSession) -> None:
    rows = [(100, 0, "a"), (100, 1, "b"), (100, 2, "a"), (100, 3, "b")]
    frame = events.createDataFrame(rows, "ts bigint, n bigint, k string")
    frame.createOrReplaceTempView("together")
    told = asked(events, "SUBSCRIBE s MATCH x:[k = 'a'] , y:[k = 'b']", ", row => 'n'", "together")
    assert [dict(one["events"]) for one in told] == [{"x": [0], "y": [1]}, {"x": [2], "y": [3]}]


@pytest.mark.parametrize("number", ["n DIV 2", "-n"])
def test_numbers_that_come_twice_or_fall_end_the_query(events: SparkSession, number: str) -> None:
    numbered = events.table("events").selectExpr(f"bigint({number}) AS m", "*")
    numbered.createOrReplaceTempView("numbered")
    with pytest.raises(Exception, match="come twice or do not grow with time"):
        asked(events, KEYED, ", row => 'm', dead_letters => 'drop'", "numbered")


def test_derived_events_may_have_attributes_that_the_table_has_not(events: SparkSession) -> None:
    text = """
    SUBSCRIBE twice MATCH a:[k = 'x' AND ip = $i]{2} BY ; WITHIN 9 s
    EMIT $i AS ip, count(a) AS times INTO bursts;
    SUBSCRIBE reads FROM bursts MATCH b:[times > 1 AND ip = $j]
    """
    assert found(events, text) == wanted(text)


ALL = "SUBSCRIBE s MATCH [v >= 0]"
WHOLE = (
    "STREAM default (ts TIMESTAMP, v INTEGER, k STRING) TIME ts; "
    "SUBSCRIBE s MATCH [k = 'x' OR k = 'y']"
)


@pytest.fixture(scope="module")
def bad(events: SparkSession) -> SparkSession:
    """A session with a table that has one bad row of each kind."""
    frame = events.table("events").where("ts IS NOT NULL").selectExpr(
        "IF(n = 3, NULL, n) AS n", "IF(n = 4, NULL, ts) AS ts", "k",
        "IF(n = 5, 2.5D, double(v)) AS v", "IF(n = 6, ts - INTERVAL 1 DAY, ts) AS until",
    )  # fmt: skip
    frame.createOrReplaceTempView("bad")
    return events


@pytest.mark.parametrize(
    ("text", "more", "letters"),
    [
        (ALL, "", [("bad_time", None, "the column 'ts' is null")]),
        (
            ALL,
            ", row => 'n'",
            [
                ("bad_control", None, "the column 'n' is null"),
                ("bad_time", 4, "the column 'ts' is null"),
            ],
        ),
        (
            ALL,
            ", order => 'n'",
            [
                ("bad_control", None, "the column 'n' is null"),
                ("bad_time", None, "the column 'ts' is null"),
            ],
        ),
        (
            ALL,
            ", row => 'n', end => 'until'",
            [
                ("bad_control", None, "the column 'n' is null"),
                ("bad_time", 4, "the column 'ts' is null"),
                ("bad_time", 6, "$end"),
            ],
        ),
        (
            WHOLE,
            "",
            [
                ("bad_time", None, "the column 'ts' is null"),
                ("bad_type", 4, "attribute 'v': 2.5 is FLOAT, but INTEGER is declared"),
            ],
        ),
    ],
)
def test_rows_that_are_no_events_come_out_where_they_are_asked_for(
    bad: SparkSession, text: str, more: str, letters: list[tuple[str, int | None, str]]
) -> None:
    every = asked(bad, text, f"{more}, dead_letters => 'rows'", "bad")
    told = [one for one in every if one["kind"] != "match"]
    told.sort(key=lambda one: (one["kind"], one["position"] is not None, one["position"]))
    assert [(one["kind"], one["position"]) for one in told] == [one[:2] for one in letters]
    for one, (_, _, reason) in zip(told, letters, strict=True):
        assert reason in json.loads(dict(one["emit"])["reason"])
    matches = [one for one in every if one["kind"] == "match"]
    assert len(matches) == len(rows()) - len(letters)
    assert asked(bad, text, f"{more}, dead_letters => 'drop'", "bad") == matches


@pytest.mark.parametrize(
    ("text", "table", "said"),
    [
        (ALL, "bad", "a row is no event: the column 'ts' is null (bad_time); say dead_letters => "),
        (WHOLE, "SELECT * FROM bad WHERE ts IS NOT NULL", "row 4 is no event: attribute 'v': 2.5 "),
    ],
)
def test_without_a_word_about_them_they_end_the_query(
    bad: SparkSession, text: str, table: str, said: str
) -> None:
    with pytest.raises(Exception, match="is no event") as refused:
        asked(bad, text, "", table)
    assert said in str(refused.value)


def test_what_becomes_of_them_is_one_of_three_words(events: SparkSession) -> None:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - needs Spark

    with pytest.raises(AnalysisException, match="use 'fail', 'drop' or 'rows'"):
        asked(events, ALL, ", dead_letters => 'keep'")
