"""`tocsin_match` in SQL against `tocsin.match`."""

from __future__ import annotations

import datetime as dt
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


def found(spark: SparkSession, text: str, more: str = "") -> list[str]:
    quoted = text.replace("'", "''")
    query = f"SELECT * FROM tocsin_match(TABLE(events), '{quoted}', 'ts'{more})"
    return sorted(map(repr, spark.sql(query).toArrow().to_pylist()))


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
        ("SUBSCRIBE s MATCH [v = ]", "", "line 1, column 24"),
    ],
)
def test_a_wrong_call_is_refused_before_the_query_runs(
    events: SparkSession, text: str, more: str, told: str
) -> None:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - needs Spark

    with pytest.raises(AnalysisException) as refused:
        found(events, text, more)
    assert told in str(refused.value)


def test_derived_events_may_have_attributes_that_the_table_has_not(events: SparkSession) -> None:
    text = """
    SUBSCRIBE twice MATCH a:[k = 'x' AND ip = $i]{2} BY ; WITHIN 9 s
    EMIT $i AS ip, count(a) AS times INTO bursts;
    SUBSCRIBE reads FROM bursts MATCH b:[times > 1 AND ip = $j]
    """
    assert found(events, text) == wanted(text)


def test_a_row_without_its_number_is_no_event(events: SparkSession) -> None:
    frame = events.table("events").selectExpr("nullif(n, 3) AS n", "ts", "ip", "k", "v")
    frame.createOrReplaceTempView("some_numbered")
    query = "SELECT * FROM tocsin_match(TABLE(some_numbered), 'SUBSCRIBE s MATCH [v >= 0]', 'ts'"
    assert events.sql(f"{query}, row => 'n')").count() == len(rows()) - 1
