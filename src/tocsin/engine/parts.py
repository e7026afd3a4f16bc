"""How the rows of a table are cut into what is taken together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_FEWEST: Final = 16_384
_NARROW: Final = 4


def rows_at_once(columns: int, cells: int) -> int:
    """Return how many rows of so many columns are taken together, of at most so many cells.

    Of narrow tables there are no more rows, as batches have columns of their own, too; of wide ones
    not much fewer, since batches are cheap if they are large.

    Examples
    --------
    >>> [rows_at_once(columns, 4_000_000) for columns in (1, 4, 6, 100, 1_000)]
    [1000000, 1000000, 666666, 40000, 16384]
    """
    return max(cells // max(columns, _NARROW), _FEWEST)


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
