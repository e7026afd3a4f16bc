"""Keys: their text, by which events are split, and how unevenly events are spread over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import NumericType

from tocsin.model.values import Kind
from tocsin.plan.partition import Group
from tocsin.spark.intake import microseconds, quoted
from tocsin.spark.kinds import kind_of_type
from tocsin.spark.schema import STREAM

KEY: Final = "$key"
SAMPLED: Final = 0.01
"""The share of the rows by which hot keys are found; answers do not depend on it."""
_LEAST: Final = 20
"""Fewer rows in the sample say nothing, and so few events are no work."""
_SMALL_BYTES: Final = 32 * 2**20
"""Hot keys of smaller sources stay whole: to look for them takes as long as splitting saves."""


@dataclass(frozen=True, slots=True)
class Skew:
    """How events are spread over keys: all of them, and those of the largest key."""

    rows: int
    largest: str | None
    rows_of_largest: int

    @property
    def share(self) -> float:
        """The share of the largest key."""
        return self.rows_of_largest / self.rows if self.rows else 0.0


def key_column(frame: DataFrame, group: Group, stream: str) -> Column:
    """Return the key of an event as text: equal values have equal texts, 1 and 1.0 too.

    Parameters
    ----------
    stream
        The stream of all rows, where they do not name theirs.
    """
    attributes = {one: name for one, name in group.choice.key if name in frame.columns}
    if STREAM not in frame.columns:
        return _text(frame, attributes[stream])
    of = F.col(quoted(STREAM))
    texts = [F.when(of == one, _text(frame, name)) for one, name in attributes.items()]
    return F.coalesce(*texts) if texts else F.lit(None).cast("string")


def with_key(frame: DataFrame, group: Group, stream: str) -> DataFrame:
    """Add the key of each event."""
    return frame.withColumn(KEY, key_column(frame, group, stream))


def is_small(events: DataFrame) -> bool:
    """Say whether hot keys may stay as they are, by what Spark knows of its sources unread.

    A source that does not tell its size is taken for a large one, and so is a session elsewhere,
    which does not tell either.
    """
    frame: Any = getattr(events, "_jdf", None)
    if frame is None:
        return False
    leaves = frame.queryExecution().optimizedPlan().collectLeaves()
    sizes = [leaves.apply(n).stats().sizeInBytes() for n in range(leaves.size())]
    return sum(int(str(size)) for size in sizes) < _SMALL_BYTES


def hot_keys(keyed: DataFrame, parts: int) -> list[str]:
    """Return keys that alone have more events than a fair part of them.

    Parameters
    ----------
    keyed
        A sample of the events.
    """
    rows, largest = _counted(keyed, parts)
    return [key for key, count in largest if rows >= _LEAST and count * parts > rows]


def skew_of(keyed: DataFrame) -> Skew:
    """Count events by key."""
    rows, largest = _counted(keyed, 1)
    key, count = largest[0] if largest else (None, 0)
    return Skew(rows, key, count)


def _counted(keyed: DataFrame, most: int) -> tuple[int, list[tuple[str, int]]]:
    """Return how many events there are, and the largest keys with theirs, in one pass."""
    sums = keyed.rollup(KEY).agg(F.count(F.lit(1)).alias("n"), F.grouping(KEY).alias("is_all"))
    found = sums.orderBy(F.desc("n"), KEY).limit(most + 2).collect()  # all, and missing keys
    rows = sum(one["n"] for one in found if one["is_all"])
    keys = [(one[KEY], one["n"]) for one in found if one[KEY] is not None]
    return rows, keys[:most]


def _text(frame: DataFrame, name: str) -> Column:
    column, of = F.col(quoted(name)), frame.schema[name].dataType
    if isinstance(of, NumericType):
        return (column.cast("double") + F.lit(0.0)).cast("string")
    if kind_of_type(of) is Kind.TIMESTAMP:
        return microseconds(frame, name).cast("string")
    if kind_of_type(of) is Kind.DURATION:  # equal lengths of other types have other texts
        return column.cast("interval day to second").cast("string")
    return column.cast("string")
