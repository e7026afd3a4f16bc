"""How rows are spread over keys, by some of the rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.spark.files.columns import comparable, decoded, open_file
from tocsin.spark.files.survey import File, RowGroup, Survey

_SAMPLED: Final = 4
"""So many row groups are looked at, at equal distances."""
_ROWS: Final = 1 << 18
"""At so many rows of each of them: the first ones, so that no more is read of a large one."""
_KEPT: Final = 256
"""So many samples are remembered."""
_LEAST: Final = 20
"""Fewer rows say nothing of the largest key."""
_RECURRING: Final = 1.5
"""All groups together have at most so many times the keys of one, where keys come again."""


@dataclass(frozen=True, slots=True)
class KeySample:
    """What some row groups tell of a key.

    Attributes
    ----------
    rows
        How many rows they have.
    rows_of_largest
        Those of the most frequent key of each group.
    keys, most_keys
        How many keys there are in all of them, and in the group that has most.
    """

    rows: int
    rows_of_largest: int
    keys: int
    most_keys: int

    @property
    def largest_share(self) -> float:
        """The share of the rows that the most frequent key has; 0 for few rows."""
        return self.rows_of_largest / self.rows if self.rows >= _LEAST else 0.0

    def keys_in(self, rows: int) -> float:
        """Return about how many keys so many rows have.

        Examples
        --------
        >>> KeySample(100, 9, keys=12, most_keys=10).keys_in(1000)
        12.0
        >>> KeySample(100, 9, keys=40, most_keys=10).keys_in(1000)
        400.0
        """
        if self.keys <= _RECURRING * self.most_keys:
            return float(self.keys)
        return self.keys * rows / self.rows


@lru_cache(maxsize=_KEPT)
def sample_keys(found: Survey, column: str) -> KeySample:
    """Look at a column of some row groups; files that are as they were are not read again."""
    groups = list(found.groups())
    with ThreadPoolExecutor(_SAMPLED) as pool:
        some = list(pool.map(partial(_counted, column), groups[:: -(-len(groups) // _SAMPLED)]))
    return KeySample(
        rows=sum(one.rows for one in some),
        rows_of_largest=sum(pc.max(one.counts).as_py() or 0 for one in some),
        keys=len(pc.unique(pa.chunked_array([one.keys for one in some]))),
        most_keys=max(len(one.keys) for one in some),
    )


class _Counted(NamedTuple):
    """The keys of some rows, and how many of them each one has."""

    rows: int
    keys: Any
    counts: Any


def _counted(column: str, of: tuple[File, RowGroup]) -> _Counted:
    """Count the keys of the first rows of a row group."""
    file, group = of
    with open_file(file.path, texts=[column]) as opened:
        first: Any = next(opened.iter_batches(_ROWS, [group.number], [column], use_threads=False))
    counted = pc.value_counts(first[column].drop_null())
    keys = comparable(decoded(counted.field("values")))
    return _Counted(first.num_rows, keys, counted.field("counts"))
