"""By which columns sinks may be partitioned: what is written is known before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tocsin.language.suggest import did_you_mean
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.spark.pipeline.settings import DEAD_LETTERS, WITHOUT_MAPS, Sink

_OF_DEAD_LETTERS: Final = ("row", "kind", "reason", "raw")
_MAPS: Final = ("events", "variables", "emit")
"""Spark makes no folders of maps; but some sinks get them as texts."""


def partition_problems(name: str, sink: Sink) -> Iterator[str]:
    """Yield the columns by which a sink cannot be partitioned, each with its key.

    Examples
    --------
    >>> sink = Sink("parquet", "alerts", partition_by=("kind", "subscr"))
    >>> print(*partition_problems("late", sink))
    sinks.late.partition_by: there is no column 'subscr'. Did you mean 'subscription'?
    """
    every = _OF_DEAD_LETTERS if name == DEAD_LETTERS else ("id", *NOTIFICATION_SCHEMA.names)
    maps = () if sink.format in WITHOUT_MAPS else _MAPS
    known = [one for one in every if one not in maps]
    for column in sink.partition_by:
        key, own = f"sinks.{name}.partition_by", column.lower()  # to Spark the case is the same
        if own in maps and own in every:
            yield f"{key}: '{column}' is a map, by which nothing can be partitioned"
        elif own not in known:
            hint = did_you_mean(column, known) or f"There are: {', '.join(known)}."
            yield f"{key}: there is no column '{column}'. {hint}"
