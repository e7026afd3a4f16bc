"""Slices of time, with what each needs from before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.plan.partition import Overlap
from tocsin.spark.intake import quoted
from tocsin.spark.placing import TIME

_ERROR: Final = 0.01  # of the ranks at which time is cut


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of time: what is told from its begin on and before its end, None where none.

    Attributes
    ----------
    takes
        Which events it needs.
    """

    begin_us: int | None
    end_us: int | None
    takes: Column


def slices_of(events: DataFrame, place: str | None, overlap: Overlap, parts: int) -> list[Slice]:
    """Return slices of time with about as many events each.

    Parameters
    ----------
    place
        The column of the positions by which slices go back some events, None where they do not.
    """
    cuts = _cuts(events, parts)
    if place is None:
        firsts = [F.col(TIME) >= cut - overlap.span_us for cut in cuts]
    else:
        firsts = _from_places(events, place, overlap, cuts)
    begins = zip((None, *cuts), (F.lit(True), *firsts), strict=True)
    return [
        Slice(begin, end, first if end is None else first & (F.col(TIME) < end))
        for (begin, first), (_, end) in zip(begins, pairwise((None, *cuts, None)), strict=True)
    ]


def _cuts(events: DataFrame, parts: int) -> list[int]:
    """Return where slices begin, but for the first, which has no begin."""
    if parts == 1:
        return []
    ranks = [number / parts for number in range(1, parts)]
    return sorted({int(cut) for cut in events.approxQuantile(TIME, ranks, _ERROR)})


def _from_places(
    events: DataFrame, place: str, overlap: Overlap, cuts: Sequence[int]
) -> list[Column]:
    """Go to the first event in reach, and so many positions further back."""
    if not cuts:
        return []
    position = F.col(quoted(place))
    reached = [F.min(F.when(F.col(TIME) >= cut - overlap.span_us, position)) for cut in cuts]
    found = events.agg(*reached).first()
    assert found is not None
    return [
        F.lit(False) if first is None else position >= first - overlap.events for first in found
    ]
