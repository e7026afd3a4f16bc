"""Where rows stand in a whole of which only a part comes here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.errors import ConfigurationError


class Places(NamedTuple):
    """The places of rows, each further than the one before it.

    Attributes
    ----------
    rows
        Their places in the whole input; notifications tell them.
    positions
        Their places in the whole stream that the subscriptions read: `,` and `WITHIN n EVENTS` go
        by them. What is missing in between were other events.
    """

    rows: Int64Array
    positions: Int64Array

    def part(self, start: int, length: int) -> Places:
        """Return the places of some rows."""
        return Places(self.rows[start : start + length], self.positions[start : start + length])


def checked(places: Places, rows: int, after: int) -> Places:
    """Return places that fit so many rows, the first position not below `after`.

    Raises
    ------
    ConfigurationError
        They do not.

    Examples
    --------
    >>> checked(Places([4, 9], [0, 3]), 2, after=0).positions.tolist()
    [0, 3]
    >>> checked(Places([4, 9], [3, 3]), 2, after=0)
    Traceback (most recent call last):
    tocsin.errors.ConfigurationError: positions must grow from row to row, and row 1 has 3 after 3
    """
    found = Places(*(np.asarray(column, np.int64) for column in places))
    for name, column in zip(found._fields, found, strict=True):
        if column.shape != (rows,):
            msg = f"{name} has {len(column)} numbers for {rows} rows"
            raise ConfigurationError(msg)
    if rows and found.positions[0] < after:
        msg = f"row 0 has position {found.positions[0]}, but {after} events have come before"
        raise ConfigurationError(msg)
    (wrong,) = np.nonzero(np.diff(found.positions) <= 0)
    if len(wrong):
        row = int(wrong[0])
        before, here = found.positions[row : row + 2].tolist()
        msg = f"positions must grow from row to row, and row {row + 1} has {here} after {before}"
        raise ConfigurationError(msg)
    return found
