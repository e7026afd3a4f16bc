"""What a parameter table fills in goes to the workers by column, and gives the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.spark.comparing import frame_of, in_order

import tocsin
from tocsin.language.parser import parse
from tocsin.plan.partition import PREFERENCE
from tocsin.spark import match
from tocsin.spark.intake import events_of
from tocsin.spark.job import Job, job_of
from tocsin.spark.templates import Template

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

KEYED = "SUBSCRIBE s_{n} MATCH a:[v = {n} AND ip = $i] ; b:[v > {n} AND ip = $i] WITHIN 5 s"
PLAIN = "SUBSCRIBE plain MATCH a:[v = 3 AND ip = $i] ; b:[v = 4 AND ip = $i] WITHIN 5 s"
QUIET = "SUBSCRIBE quiet MATCH a:[v = 6 AND ip = $i] ; !b:[v = 1 AND ip = $i] FOR 2 s"
UNKEYED = "SUBSCRIBE all_{n} MATCH a:[v = {n}] ; b:[v = 6] WITHIN 5 s"
TABLE = [{"n": n} for n in range(4)]
SCHEMA = "ts bigint, ip string, v int"
ROWS: list[dict[str, object]] = [
    {"ts": i * 300, "ip": f"10.0.0.{i % 3}", "v": i * i % 7} for i in range(60)
]


def job(spark: SparkSession, text: str) -> Job:
    events = events_of(frame_of(spark, ROWS, SCHEMA), time="ts", end=None, order=None, streams=None)
    return job_of(
        events, text, stream=None, simultaneous="ordered", table=TABLE, parts=2,
        strategies=PREFERENCE,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "by_column"),
    [
        (KEYED, True),
        (f"{KEYED}; {PLAIN}", True),
        (f"{KEYED}; {QUIET}", False),
        (f"{KEYED}; {UNKEYED}", True),
    ],
)
def test_templates_give_what_the_embedded_engine_gives(
    spark: SparkSession, text: str, by_column: bool
) -> None:
    assert (job(spark, text).template is not None) == by_column
    found = match(frame_of(spark, ROWS, SCHEMA), text, time="ts", table=TABLE, parts=2).toArrow()
    wanted = tocsin.match(ROWS, text, time="ts", table=TABLE).to_arrow()
    assert in_order(found) == in_order(wanted)
    assert wanted.num_rows > 0


@pytest.mark.parametrize("table", [None, []])
def test_without_rows_there_is_nothing_to_take_by_column(table: object) -> None:
    assert not Template(parse(KEYED), table).is_linear("ticks")
