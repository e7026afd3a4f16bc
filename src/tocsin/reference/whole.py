"""What a part of a split stream must be told of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Whole:
    """Positions and begin of the stream that a run reads a part of.

    Attributes
    ----------
    positions
        For the streams of a subscription: from the row of an event to its position in their merge.
        Where the streams are not there, because some of them are derived, the part counts itself.
    start
        The first time known in the whole stream.

    Examples
    --------
    >>> whole = Whole({frozenset({"logins"}): {4: 0, 7: 1}}, start=0)
    >>> whole.positions_of(("logins",))
    {4: 0, 7: 1}
    """

    positions: Mapping[frozenset[str], Mapping[int | None, int]]
    start: int | None

    def positions_of(self, sources: Iterable[str]) -> Mapping[int | None, int] | None:
        """Return the positions of events by their rows, None where the part counts itself."""
        return self.positions.get(frozenset(sources))
