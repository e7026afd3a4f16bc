"""How the rows of a table are cut into what is taken together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_FEWEST: Final = 16_384
_MOST: Final = 1_048_576
_CELLS: Final = 4_000_000


def rows_at_once(columns: int) -> int:
    """Return how many rows of so many columns are taken together: of wide tables fewer.

    Large batches are cheap, since much is done once for each; cells beyond the processor's caches
    are not.

    Examples
    --------
    >>> rows_at_once(6), rows_at_once(100), rows_at_once(1_000)
    (666666, 40000, 16384)
    """
    return min(max(_CELLS // max(columns, 1), _FEWEST), _MOST)


def equal_parts(rows: int, most: int) -> Iterator[slice]:
    """Yield parts of about the same size, none of which has more than so many rows.

    Examples
    --------
    >>> [(part.start, part.stop) for part in equal_parts(7, 3)]
    [(0, 2), (2, 4), (4, 7)]
    """
    parts = -(-rows // most)
    for number in range(parts):
        yield slice(number * rows // parts, (number + 1) * rows // parts)
