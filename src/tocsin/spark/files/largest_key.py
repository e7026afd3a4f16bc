"""How many rows the largest key has, by some of the rows."""

from __future__ import annotations

from typing import Any, Final

import pyarrow.compute as pc

from tocsin.spark.files.columns import open_file
from tocsin.spark.files.survey import Survey

_SAMPLED: Final = 4
"""So many row groups are looked at, at equal distances."""
_LEAST: Final = 20
"""Fewer rows say nothing."""


def largest_share(found: Survey, column: str) -> float:
    """Return the share of the rows that the most frequent value of a column has; 0 for few rows."""
    rows = largest = 0
    groups = list(found.groups())
    for file, group in groups[:: -(-len(groups) // _SAMPLED)]:
        with open_file(file.path) as opened:
            table: Any = opened.read_row_group(group.number, columns=[column])
        counts = pc.value_counts(table[column].drop_null()).field("counts")
        largest += pc.max(counts).as_py() or 0
        rows += table.num_rows
    return largest / rows if rows >= _LEAST else 0.0
