"""Many columns or frames joined into one, as flat as can be."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TypeVar

from pyspark.sql import Column, DataFrame

T = TypeVar("T")


def folded(items: Sequence[T], join: Callable[[T, T], T]) -> T:
    """Join neighbours, then what came of them, until one is left: the order stays.

    One after the other would nest as deeply as there are items, which Spark Connect refuses from
    about a hundred on.

    Examples
    --------
    >>> folded("abcde", lambda a, b: f"({a}{b})")
    '(((ab)(cd))e)'
    """
    while len(items) > 1:
        ends = range(0, len(items), 2)
        items = [join(*items[i : i + 2]) if i + 1 < len(items) else items[i] for i in ends]
    return items[0]


def union_of(frames: Sequence[DataFrame]) -> DataFrame:
    """Return the rows of all frames; a column that a frame has not is null in its rows."""
    return folded(frames, lambda a, b: a.unionByName(b, allowMissingColumns=True))


def any_of(columns: Sequence[Column]) -> Column:
    """Return what holds where one of the columns does."""
    return folded(columns, operator.or_)


def all_of(columns: Sequence[Column]) -> Column:
    """Return what holds where all columns do."""
    return folded(columns, operator.and_)
