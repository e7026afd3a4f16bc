"""Strings that nobody needs any more are forgotten, so that ever-new ones take no ever-new room.

Whoever still reads a string keeps its code: filters and guards that name it, and the events, keys
and registers of partial matches. The codes of the others are given to the strings that come next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from tocsin.engine.columns import Vocabulary
from tocsin.engine.concerns import Concerns
from tocsin.engine.lane_unit import LaneUnit

FEW: Final = 1 << 17
"""So many strings are not worth the search for those in use."""


class Forgetting:
    """Looks for strings that can go whenever there are twice as many as were needed last time.

    Parameters
    ----------
    vocabulary
        Of all lanes and of the concerns.

    Examples
    --------
    >>> words = Vocabulary()
    >>> _ = words.codes(map(str, range(FEW + 1)))
    >>> Forgetting(words).forget([], Concerns(words))
    >>> words.size
    0
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._needed = 0

    def is_due(self) -> bool:
        """Say whether there may be many strings that nobody needs."""
        return len(self._vocabulary.code_of_string) > max(FEW, 2 * self._needed)

    def forget(self, units: Iterable[LaneUnit], concerns: Concerns) -> None:
        """Forget the strings that nobody needs, where that is due; only between batches."""
        if not self.is_due():
            return
        units = list(units)
        indexes = [concerns.index, *(unit.lane.index for unit in units)]
        in_use = [unit.string_codes() for unit in units]
        in_use += [index.string_codes() for index in indexes]
        free = self._vocabulary.forget_except(np.unique(np.concatenate(in_use)))
        for index in indexes:
            index.forget_strings(free)
        self._needed = len(self._vocabulary.code_of_string)
