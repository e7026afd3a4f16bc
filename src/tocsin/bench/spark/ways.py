"""The ways to get the same answers, which are compared before anything is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tocsin.bench.answers import check_equal
from tocsin.bench.spark import by_hand
from tocsin.bench.spark.figures import Work
from tocsin.bench.spark.subscriptions import FALLING, INTRUSION, WATCH, ten, watches
from tocsin.engine import Engine
from tocsin.spark import match
from tocsin.spark.ids import with_ids

_DIGITS: Final = 12
"""So many hexadecimal digits of an id are summed up: a sum of them stays exact."""

_HANDED_OVER: Final = "shuffle, sort, to Python"
OWN: Final = "tocsin on Spark"
"""It sees the files for the first time, as nobody else remembers anything of them."""
_AGAIN: Final = "tocsin, files seen before"
"""What it takes where an earlier call has found that rows lie in order."""
_THROUGH_SPARK: Final = "tocsin, rows through Spark"
"""What it takes where workers cannot read the files, or rows do not lie in order."""


@dataclass(frozen=True)
class Case:
    """Events on disk and in memory, and into how many parts work is split."""

    session: SparkSession
    path: str
    table: pa.Table
    parts: int

    @cached_property
    def events(self) -> DataFrame:
        """The events as a frame; all ways share it, so that none lists the files again."""
        return self.session.read.parquet(self.path)

    def match(self, text: str, **options: object) -> DataFrame:
        """Return the notifications of the pipeline."""
        return match(self.events, text, time="ts", row="n", parts=self.parts, **options)  # type: ignore[arg-type]

    def touch(self) -> None:
        """Let the files be others than those that were seen."""
        for file in Path(self.path).iterdir():
            file.touch()

    def own_ways(self, text: str, **options: object) -> dict[str, Work]:
        """Return the ways of the pipeline."""

        def unseen() -> None:
            self.touch()
            to_nowhere(self.match(text, **options))

        return {
            OWN: unseen,
            _AGAIN: lambda: to_nowhere(self.match(text, **options)),
            _THROUGH_SPARK: lambda: to_nowhere(self.match(text, reader="spark", **options)),
        }

    def embedded(self, text: str, table: pa.Table | None = None) -> pa.Table:
        """Return the notifications of the embedded engine on one core."""
        return Engine(text, time="ts", table=table).process(self.table).to_arrow()

    def check_embedded(self, what: str, text: str, table: pa.Table | None = None) -> None:
        """See that the pipeline finds what the embedded engine finds, by the ids of all."""
        own = _digest_of_ids(self.match(text, table=table))
        ids: Any = with_ids(self.embedded(text, table))["id"].to_pylist()
        found = np.array([int(one[:_DIGITS], 16) for one in ids], dtype=object)
        check_equal(what, own, (len(found), int(found.sum())), of="the embedded engine")


def ten_keyed(case: Case, *, is_narrow: bool = False) -> dict[str, Work]:
    """Return the ways to run ten keyed subscriptions, and to hand over the rows without them."""
    text = ten(is_narrow=is_narrow)
    case.check_embedded("ten", text)
    read = case.events.select("n", "ts", "ip", "status", "port", "bytes")
    shuffled = by_hand.identity_by_key(read, "ip", case.parts)
    return {
        **case.own_ways(text),
        "identity": lambda: to_nowhere(by_hand.identity(read)),
        "identity after shuffle and sort": lambda: to_nowhere(shuffled),
        "embedded, one core": lambda: case.embedded(text),
    }


def many_keyed(case: Case, count: int) -> dict[str, Work]:
    """Return the ways to run many keyed subscriptions."""
    table = watches(count)
    case.check_embedded("watches", WATCH, table)
    return {
        **case.own_ways(WATCH, table=table),
        "embedded, one core": lambda: case.embedded(WATCH, table),
    }


def intrusion(case: Case) -> dict[str, Work]:
    """Return the ways to find three times denied, then success."""
    aliases = ("d1", "d2", "d3", "s")
    own = _answers(case.match(INTRUSION), [F.col("events")[name][0] for name in aliases])
    joined = by_hand.intrusion_by_join(case.events)
    looped = by_hand.intrusion_by_loop(case.events)
    check_equal("intrusion", own, _answers(looped, [F.col(n) for n in aliases]), of="the loop")
    places = joined.toDF(*aliases)
    check_equal("intrusion", own, _answers(places, [F.col(n) for n in aliases]), of="the join")
    return {
        **case.own_ways(INTRUSION),
        "self-join": lambda: to_nowhere(joined),
        "Python loop (applyInPandas)": lambda: to_nowhere(looped),
        _HANDED_OVER: _handed_over(case, "ip", ("n", "ts", "ip", "status")),
        "embedded, one core": lambda: case.embedded(INTRUSION),
    }


def falling(case: Case) -> dict[str, Work]:
    """Return the ways to find five falls in a row."""
    own = _answers(case.match(FALLING), [F.col("events")["p5"][0]])
    by = {
        "window functions": by_hand.falling_by_window(case.events),
        "self-join": by_hand.falling_by_join(case.events),
        "Python loop (applyInPandas)": by_hand.falling_by_loop(case.events),
    }
    for way, found in by.items():
        check_equal("falling", own, _answers(found, [F.col("n")]), of=way)
    return {
        **case.own_ways(FALLING),
        **{way: _nowhere(found) for way, found in by.items()},
        _HANDED_OVER: _handed_over(case, "symbol", ("n", "ts", "symbol", "price")),
        "embedded, one core": lambda: case.embedded(FALLING),
    }


def _handed_over(case: Case, key: str, columns: tuple[str, ...]) -> Work:
    read = case.events.select(*columns)
    return _nowhere(by_hand.handed_over(read, key, case.parts))


def to_nowhere(frame: DataFrame) -> None:
    """Compute all rows of a frame and keep none."""
    frame.write.format("noop").mode("overwrite").save()


def _nowhere(frame: DataFrame) -> Work:
    return lambda: to_nowhere(frame)


def _answers(found: DataFrame, places: list[Column]) -> tuple[int, object]:
    """Return how many answers there are, and a sum that tells other answers from these."""
    digest = F.sum(F.xxhash64(*[place.cast("bigint") for place in places]).cast("decimal(38,0)"))
    row = found.agg(F.count(F.lit(1)), digest).first()
    assert row is not None
    return row[0], row[1]


def _digest_of_ids(found: DataFrame) -> tuple[int, int]:
    numbers = F.conv(F.substring("id", 1, _DIGITS), 16, 10).cast("decimal(38,0)")
    row = found.agg(F.count(F.lit(1)), F.sum(numbers)).first()
    assert row is not None
    return row[0], int(row[1] or 0)
