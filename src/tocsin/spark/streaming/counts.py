"""How many rows of which kind a micro-batch gave, in Spark's own progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

IS_TOLD: Final = "kind IN ('match', 'forecast')"
"""What is a notification; the other rows tell of events that came too late or were refused."""

_KINDS: Final = {
    "notifications": IS_TOLD,
    "late": "kind = 'late'",
    "bad_programs": "kind = 'bad_program'",
    "refused": f"NOT ({IS_TOLD}) AND kind NOT IN ('late', 'bad_program')",
}


def with_counts(found: DataFrame, name: str | None) -> DataFrame:
    """Return rows of `match_stream`, which Spark counts by kind under a name."""
    if name is None:
        return found
    return found.observe(name, *[F.count_if(F.expr(w)).alias(k) for k, w in _KINDS.items()])


def counts_of(observed: Mapping[str, Any], name: str) -> dict[str, int]:
    """Return the counts of a micro-batch from what Spark observed.

    Parameters
    ----------
    observed
        `observedMetrics` of the progress.
    name
        What `match_stream` was told as `observed`.

    Examples
    --------
    >>> counts_of({"own": {"late": 2}, "own 0": {"dead_letters": 1}, "x": {"late": 5}}, "own")
    {'notifications': 0, 'late': 2, 'bad_programs': 0, 'refused': 0, 'dead_letters': 1}
    """
    found: Counter[str] = Counter(dict.fromkeys([*_KINDS, "dead_letters"], 0))
    for called, row in observed.items():
        if called == name or called.rpartition(" ")[0] == name:
            found.update(row.asDict() if hasattr(row, "asDict") else row)
    return dict(found)
