"""Rows and positions, counted once over the whole input, before anything is split or dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from tocsin.spark.intake import Events, quoted
from tocsin.spark.schema import ROW, STREAM, position_column

TIME: Final = "$time"
"""The end of an event in microseconds, for splits."""
_BUCKET: Final = "$bucket"
_ERROR: Final = 0.01  # of the ranks between which the input is cut


@dataclass(frozen=True, slots=True)
class Placed:
    """Events that know their places.

    Attributes
    ----------
    frame
        With `$row`, `$time` and a column of positions for each union of streams.
    unions
        These unions.
    unplaced
        The same events with `$time` alone: what asks for no place need not wait until all are
        counted.
    first_us, last_us
        The first and the last end of an event; None where there is none, or nobody asks.
    """

    frame: DataFrame
    unions: tuple[tuple[str, ...], ...]
    unplaced: DataFrame
    first_us: int | None = None
    last_us: int | None = None

    def position(self, union: tuple[str, ...]) -> str:
        """Return the column of the positions in a union of streams."""
        return position_column(self.unions.index(union))


def numbered(events: Events, refused: Column | None = None, *, is_bounded: bool) -> Placed:
    """Return events that bring their own numbers: nothing is counted.

    Parameters
    ----------
    refused
        Rows that the engine will refuse: they move no clock.
    is_bounded
        Whether the first and the last time are asked for.
    """
    assert events.row is not None
    timed = events.frame.withColumn(TIME, events.end_us())
    frame = timed.withColumn(ROW, _own_row(events.row))
    if not is_bounded:
        return Placed(frame, (), timed)
    found = timed.agg(*_ends(refused)).first()
    assert found is not None
    return Placed(frame, (), timed, *found)


def placed(
    events: Events,
    unions: Sequence[tuple[str, ...]],
    parts: int,
    refused: Column | None = None,
) -> Placed:
    """Count rows and positions.

    The input is cut into ranges of time; in each of them events are numbered by one worker, and the
    numbers of those before it are added. No worker sees more than its range.

    Parameters
    ----------
    unions
        The streams in whose union positions are counted.
    parts
        How many ranges there are.
    refused
        Rows that the engine will refuse: they are numbered, have no positions and move no clock.
    """
    unplaced = events.frame.withColumn(TIME, events.end_us())
    bounds = _bounds(unplaced, parts)
    timed = unplaced.withColumn(_BUCKET, _bucket(bounds))
    counters = [_is_of(union, is_named=events.is_named) for union in unions]
    if refused is not None:
        counters = [F.when(refused, F.lit(0)).otherwise(counter) for counter in counters]
    counters = [F.lit(1), *counters]
    names = [ROW, *(position_column(number) for number in range(len(unions)))]
    counts, first, last = _count(timed, counters, len(bounds) + 1, refused)
    within = Window.partitionBy(_BUCKET).orderBy(*events.sorted_by())
    running = within.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    for place, (name, counter) in enumerate(zip(names, counters, strict=True)):
        offsets = F.array(*[F.lit(before).cast("bigint") for before in _before(counts, place)])
        ahead = F.element_at(offsets, F.col(_BUCKET) + 1)
        # An event that does not count stands where the last one stood that does.
        so_far = F.row_number().over(within) if name == ROW else F.sum(counter).over(running)
        timed = timed.withColumn(name, ahead + so_far - 1)
    if events.row is not None:
        timed = timed.withColumn(ROW, _own_row(events.row))
    return Placed(timed.drop(_BUCKET), tuple(unions), unplaced, first, last)


def _own_row(name: str) -> Column:
    return F.col(quoted(name)).cast("bigint")


def _bounds(timed: DataFrame, parts: int) -> list[float]:
    if parts < 2:
        return []
    ranks = [number / parts for number in range(1, parts)]
    found = timed.approxQuantile(TIME, ranks, _ERROR)
    return sorted(set(found))


def _bucket(bounds: Sequence[float]) -> Column:
    bucket = F.lit(0)
    for bound in bounds:
        bucket = bucket + (F.col(TIME) > int(bound)).cast("int")
    return bucket


def _is_of(union: Sequence[str], *, is_named: bool) -> Column:
    if not is_named:
        return F.lit(1)
    return F.col(quoted(STREAM)).isin(*union).cast("int")


def _count(
    timed: DataFrame, counters: Sequence[Column], buckets: int, refused: Column | None
) -> tuple[list[list[int]], int | None, int | None]:
    """Return how many events each counter counts in each bucket, and the first and last time."""
    sums = [F.sum(counter).alias(f"c{place}") for place, counter in enumerate(counters)]
    found = timed.groupBy(_BUCKET).agg(*sums, *_ends(refused)).collect()
    counts = [[0] * len(counters) for _ in range(buckets)]
    for row in found:
        counts[row[_BUCKET]] = [row[f"c{place}"] for place in range(len(counters))]
    firsts, lasts = (
        [row[name] for row in found if row[name] is not None] for name in ("first", "last")
    )
    return counts, min(firsts, default=None), max(lasts, default=None)


def _ends(refused: Column | None) -> list[Column]:
    """Return the first and the last time of an event."""
    times = F.col(TIME) if refused is None else F.when(refused, None).otherwise(F.col(TIME))
    return [F.min(times).alias("first"), F.max(times).alias("last")]


def _before(counts: Sequence[Sequence[int]], place: int) -> list[int]:
    """Return for each bucket how many were counted in those before it."""
    before, total = [], 0
    for row in counts:
        before.append(total)
        total += row[place]
    return before
