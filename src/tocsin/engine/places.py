"""Where rows stand in a whole of which only a part comes here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.errors import ConfigurationError


class Places(NamedTuple):
    """The places of rows in a whole of which they are a part.

    Attributes
    ----------
    rows
        Their places in the whole input; notifications tell them.
    positions
        Their places among the events of some streams together, for subscriptions that read just
        these: `,` and `WITHIN n EVENTS` go by them. What is missing in between were other events.
        For streams that are not here the events that come are counted.
    """

    rows: Int64Array
    positions: Mapping[frozenset[str], Int64Array] = {}

    def chosen(self, which: Any) -> Places:
        """Return the places of some rows: a slice, or their numbers."""
        positions = {streams: column[which] for streams, column in self.positions.items()}
        return Places(self.rows[which], positions)

    def positions_of(self, streams: Iterable[str]) -> Int64Array | None:
        """Return the positions among the events of some streams, None where they are counted."""
        return self.positions.get(frozenset(streams))


def checked(places: Places, rows: int) -> Places:
    """Return places that fit so many rows.

    Raises
    ------
    ConfigurationError
        They do not.

    Examples
    --------
    >>> checked(Places([4, 9]), 3)
    Traceback (most recent call last):
    tocsin.errors.ConfigurationError: rows: there are 2 places for 3 rows
    """
    positions = {streams: np.asarray(one, np.int64) for streams, one in places.positions.items()}
    found = Places(np.asarray(places.rows, np.int64), positions)
    named = {", ".join(sorted(streams)): column for streams, column in positions.items()}
    for name, column in {"rows": found.rows, **named}.items():
        if column.shape != (rows,):
            msg = f"{name}: there are {len(column)} places for {rows} rows"
            raise ConfigurationError(msg)
    return found


def check_growing(positions: Int64Array, after: int, streams: Iterable[str]) -> None:
    """See that positions grow from event to event, the first not below `after`.

    Raises
    ------
    ConfigurationError
        They do not.

    Examples
    --------
    >>> check_growing(np.array([3, 3]), 0, ["ticks"])
    Traceback (most recent call last):
    tocsin.errors.ConfigurationError: ticks: positions must grow, but 3 comes after 3
    """
    (wrong,) = np.nonzero(np.diff(positions, prepend=after - 1) <= 0)
    if len(wrong):
        place = int(wrong[0])
        before = positions[place - 1] if place else after - 1
        named = ", ".join(sorted(streams))
        msg = f"{named}: positions must grow, but {positions[place]} comes after {before}"
        raise ConfigurationError(msg)
