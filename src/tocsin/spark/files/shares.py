"""What each part reads of the files: rows that follow one another, or those of some keys."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from tocsin.plan.partition import Overlap
from tocsin.spark.files.survey import Survey

_LOOKED_FOR: Final = 1 / 16
"""What it takes to look for the keys of a slice, as a share of what all else takes."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Some keys: those whose hash has the rest `number` when it is divided by `of`.

    Attributes
    ----------
    column
        What holds the key.
    """

    column: str
    number: int
    of: int


@dataclass(frozen=True, slots=True)
class Before:
    """What is needed from before a slice: of each key that it has, the last rows.

    Attributes
    ----------
    column
        What holds the key.
    count
        How many rows of a key are needed.
    """

    column: str
    count: int


@dataclass(frozen=True, slots=True)
class Share:
    """What a part reads.

    Attributes
    ----------
    first, end
        The numbers of its first row and of the one behind its last.
    begin_us, end_us
        It tells what is reported from the begin on and before the end; None where there is none.
    keys
        Only rows of these keys, where it is not for every row.
    before
        Some rows from before the first are read, too.
    """

    first: int
    end: int
    begin_us: int | None = None
    end_us: int | None = None
    keys: Keys | None = None
    before: Before | None = None


def whole(found: Survey) -> Share:
    """Return all rows."""
    return Share(0, found.rows)


def by_key(found: Survey, column: str, parts: int) -> list[Share]:
    """Return the rows of some keys each; every one of them reads all files."""
    if parts == 1:
        return [whole(found)]
    return [Share(0, found.rows, keys=Keys(column, number, parts)) for number in range(parts)]


def by_time(found: Survey, overlap: Overlap, parts: int) -> list[Share]:
    """Return slices of time with about as many rows each, and what each needs from before it."""
    ranks = [number * found.rows // parts for number in range(1, parts)]
    return _slices(found, overlap, ranks)


def by_chain(found: Survey, before: Before, parts: int, repeated: float) -> list[Share]:
    """Return slices of time that take about as long each, and the rows of their keys before it.

    Parameters
    ----------
    repeated
        About how many rows a slice needs from before it. The first one needs none, and nobody looks
        for its keys, so that it has more rows of its own.
    """
    each = max(found.rows - repeated, parts) / (parts + _LOOKED_FOR)
    ranks = [max(found.rows - math.ceil(n * each), 0) for n in range(parts - 1, 0, -1)]
    slices = _slices(found, Overlap(0), ranks)
    return [replace(one, before=before if one.first else None) for one in slices]


def _slices(found: Survey, overlap: Overlap, ranks: list[int]) -> list[Share]:
    """Return slices that begin at about these rows."""
    cuts = sorted({found.time_of(row) for row in ranks} - {found.first_us})
    shares = []
    for begin, end in pairwise((None, *cuts, None)):
        first = 0
        if begin is not None:
            first = max(found.first_row_at(begin - overlap.span_us) - overlap.events, 0)
        behind = found.rows if end is None else found.first_row_at(end)
        shares.append(Share(first, behind, begin, end))
    return shares
