"""`match_stream` on Spark against one engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F
from tests.spark.streams import (
    by_one_engine,
    in_order,
    micro_batches,
    read,
    run_to_end,
    some_rows,
    watermark_of,
    write,
)

import tocsin
from tocsin.spark import explain_stream, match_stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

DELAY_MS = 5000
LASTS_MS = 200
PROGRAM = """
SUBSCRIBE keyed MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i] WITHIN 20 s;
SUBSCRIBE next MATCH a:[v = 1] , b:[v = 4];
SUBSCRIBE first MATCH a:[v = 3] -> b:[k = 'y' AND v > a.v] EMIT a.v + b.v AS both, b.ip AS ip;
SUBSCRIBE quiet MATCH a:[v = 3] ; !b:[k = 'y'] FOR 5 s;
SUBSCRIBE quiet_ip MATCH a:[v = 3 AND ip = $i] ; !b:[k = 'y' AND ip = $i] FOR 5 s;
SUBSCRIBE alone MATCH a:[v >= 6];
SUBSCRIBE few MATCH a:[k = 'x'] ; b:[k = 'y'] PAIRS UNIQUE LIMIT 3;
SUBSCRIBE silent MATCH !a:[v = 5] FOR 10 s;
SUBSCRIBE made MATCH a:[k = 'x' AND ip = $i] EMIT $i AS ip, a.v AS v INTO xs;
SUBSCRIBE reads FROM xs MATCH a:[v = 1 AND ip = $j] ; b:[v = 2 AND ip = $j] WITHIN 30 s
"""


def test_a_stream_equals_one_engine(spark: SparkSession, tmp_path: Path) -> None:
    rows = some_rows(11, 120)
    write(micro_batches(rows, 11, size=25, delay_ms=DELAY_MS), tmp_path / "in")
    events = read(spark, tmp_path / "in")
    found = run_to_end(
        match_stream(events, PROGRAM, time="ts", order="n", row="n", delay="5 s", buckets=3),
        tmp_path,
    )
    wanted = by_one_engine(rows, PROGRAM, watermark_of(rows, DELAY_MS))
    assert in_order(found) == in_order(wanted)
    assert set(found["subscription"].to_pylist()) > {"keyed", "quiet_ip", "silent", "reads"}


def test_several_streams_of_events_that_last(spark: SparkSession, tmp_path: Path) -> None:
    rows = some_rows(12, 80)
    frames = {}
    for name, own in (("logins", rows[::2]), ("doors", rows[1::2])):
        write(micro_batches(own, 12, size=15, delay_ms=DELAY_MS), tmp_path / name)
        frames[name] = read(spark, tmp_path / name).withColumn("until", F.col("ts") + LASTS_MS)
    program = """
    SUBSCRIBE both FROM logins, doors MATCH a:logins[v = 1] , b:doors[v > 2];
    SUBSCRIBE after FROM logins, doors
    MATCH a:logins[k = 'x' AND ip = $i] ; b:doors[k = 'y' AND ip = $i] WITHIN 10 s
    """
    options = {"time": "ts", "end": "until", "order": "n", "row": "n", "delay": "5 s"}
    found = run_to_end(match_stream(frames, program, **options), tmp_path)
    watermark = min(watermark_of(rows[::2], DELAY_MS), watermark_of(rows[1::2], DELAY_MS))
    watermark += LASTS_MS
    named = [
        {**row, "$stream": ("logins", "doors")[row["n"] % 2], "$end": row["ts"] + LASTS_MS}
        for row in rows
        if row["ts"] + LASTS_MS <= watermark
    ]
    wanted = tocsin.match(named, program, time="ts", clock=watermark).to_arrow()
    assert in_order(found) == in_order(wanted)
    assert set(wanted["subscription"].to_pylist()) == {"both", "after"}


def test_any_frame_may_have_derived_attributes_and_columns_of_its_own(
    spark: SparkSession, tmp_path: Path
) -> None:
    program = """
    SUBSCRIBE twice MATCH a:["w.k" = 'x' AND ip = $i]{2} BY ; WITHIN 9 s
    EMIT $i AS ip, count(a) AS times INTO bursts;
    SUBSCRIBE reads FROM bursts MATCH b:[times > 1 AND ip = $j]
    """
    rows = [
        {"n": n, "ts": 10_000 + 1000 * n, "ip": "10.0.0.1", "k": "xxyyz"[n], "v": n}
        for n in range(5)
    ]
    write([rows], tmp_path / "in")
    events = read(spark, tmp_path / "in").withColumnRenamed("k", "w.k")
    events = events.withColumns({"m": F.create_map("ip", "v"), "$end": F.col("ts") + 1})
    found = run_to_end(match_stream(events, program, time="ts", delay="0 s"), tmp_path)
    assert sorted(found["subscription"].to_pylist()) == ["reads", "twice"]
    assert [one.timestamp() for one in found["end"].to_pylist()] == [11.001, 11.001]


def test_equal_rows_without_numbers_give_notifications_with_ids_of_their_own(
    spark: SparkSession, tmp_path: Path
) -> None:
    row = {"n": 1, "ts": 10_000, "ip": "10.0.0.1", "k": "x", "v": 1}
    write([[row, row], [{**row, "ts": 20_000, "k": "z"}]], tmp_path / "in")
    events = read(spark, tmp_path / "in")
    one = "SUBSCRIBE s MATCH a:[k = 'x']"
    found = run_to_end(match_stream(events, one, time="ts", delay="0 s"), tmp_path)
    assert found.num_rows == 2
    assert len(set(found["id"].to_pylist())) == 2


def test_late_events_are_told_and_the_rest_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    def event(n: int, ts: int, k: str) -> dict[str, Any]:
        return {"n": n, "ts": ts, "ip": "10.0.0.1", "k": k, "v": 1}

    batches = [
        [event(0, 100_000, "x")],
        [event(1, 90_000, "x"), event(2, 101_000, "y")],
        [event(3, 200_000, "x")],
    ]
    write(batches, tmp_path / "in")
    program = "SUBSCRIBE s MATCH a:[k = 'x' AND ip = $i] ; b:[k = 'y' AND ip = $i]"
    options = {"time": "ts", "row": "n", "delay": "1 s", "buckets": 2}
    found = run_to_end(match_stream(read(spark, tmp_path / "in"), program, **options), tmp_path)
    told = {row["kind"]: row for row in found.to_pylist()}
    assert found.num_rows == 2
    assert told["late"]["position"] == 1
    assert "not after $clock 99000" in str(told["late"]["emit"])
    assert told["match"]["events"] == [("a", [0]), ("b", [2])]


def test_events_that_nobody_asks_for_move_the_watermark(
    spark: SparkSession, tmp_path: Path
) -> None:
    def event(n: int, ts: int, k: str) -> dict[str, Any]:
        return {"n": n, "ts": ts, "ip": "10.0.0.1", "k": k, "v": 1}

    write([[event(0, 100_000, "x")], [event(1, 200_000, "z")]], tmp_path / "in")
    program = "SUBSCRIBE s MATCH a:[k = 'x' AND ip = $i] ; !b:[k = 'y' AND ip = $i] FOR 5 s"
    options = {"time": "ts", "row": "n", "delay": "1 s", "buckets": 2}
    found = run_to_end(match_stream(read(spark, tmp_path / "in"), program, **options), tmp_path)
    assert found["events"].to_pylist() == [[("a", [0])]]


def test_a_stream_that_began_before_1970_says_so(spark: SparkSession, tmp_path: Path) -> None:
    back = 1_000_000_000_000
    rows = [{**row, "ts": row["ts"] - back} for row in some_rows(13, 60)]
    write(micro_batches(rows, 13, size=20, delay_ms=DELAY_MS), tmp_path / "in")
    events = read(spark, tmp_path / "in")
    options = {"time": "ts", "order": "n", "row": "n", "delay": "5 s", "buckets": 3}
    program = PROGRAM.replace("SUBSCRIBE silent MATCH !a:[v = 5] FOR 10 s;", "")
    found = match_stream(events, program, **options, start=rows[0]["ts"])
    wanted = by_one_engine(rows, program, watermark_of(rows, DELAY_MS))
    assert wanted.num_rows > 10
    assert in_order(run_to_end(found, tmp_path / "said")) == in_order(wanted)

    unsaid = run_to_end(match_stream(events, program, **options), tmp_path / "unsaid").to_pylist()
    assert {row["kind"] for row in unsaid} == {"bad_time"}
    assert sorted(row["position"] for row in unsaid) == [row["n"] for row in rows]
    assert "say with start= when the stream began" in str(unsaid[0]["emit"])


def test_what_is_no_stream_is_refused(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, 1)], "ts bigint, v int")
    with pytest.raises(tocsin.ConfigurationError, match="needs a streaming frame"):
        match_stream(frame, "SUBSCRIBE s MATCH a:[v = 1]", time="ts", delay="1 s")


@pytest.mark.parametrize(
    ("program", "options", "said"),
    [
        ("SUBSCRIBE s MATCH a:[v = 1]", {"row": "id"}, "no column 'id', which row= names"),
        ("SUBSCRIBE s MATCH a:[size = 1]", {}, "reads 'size' of stream 'default'"),
        ("SUBSCRIBE s MATCH a:[v = 1]", {"delay": "soon"}, "soon"),
        ("SUBSCRIBE s MATCH a:[v = 1]", {"shards": 0}, "shards=0: it must be"),
        ("SUBSCRIBE s MATCH a:[v = 1]", {"buckets": -1}, "buckets=-1: it must be"),
        ("SUBSCRIBE s MATCH a:[v = 1]", {"versions": "here"}, "this is a program; leave it out"),
    ],
)
def test_mistakes_are_told_before_anything_runs(
    spark: SparkSession, tmp_path: Path, program: str, options: dict[str, Any], said: str
) -> None:
    (tmp_path / "in").mkdir()
    known = {"time": "ts", "delay": "1 s", **options}
    with pytest.raises(tocsin.TocsinError, match=said):
        match_stream(read(spark, tmp_path / "in"), program, **known)


def test_what_needs_the_whole_stream_says_why() -> None:
    next_one = "SUBSCRIBE s MATCH a:[k = 'x' AND ip = $i] , b:[k = 'y' AND ip = $i]"
    assert "a live stream has no positions before it is split" in explain_stream(next_one)
    first = "SUBSCRIBE s MATCH !a:[k = 'x' AND ip = $i] FOR 5 s ; b:[k = 'y' AND ip = $i]"
    assert "by key default.ip" in explain_stream(first, start=0)
    assert "say start= to split it" in explain_stream(first)
