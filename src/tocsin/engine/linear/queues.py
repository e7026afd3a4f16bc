# mypy: disable-error-code="no-untyped-def"
"""Queues: where instances that wait for one filter, under one key, are looked for together."""

from __future__ import annotations

import numpy as np

from tocsin.engine.linear.arrays import Int32Array
from tocsin.engine.linear.kernels import kernel
from tocsin.engine.linear.lists import Lists


@kernel
def _count_known(filters, uses, code, spans, items, is_known):
    """Count so many uses more of each queue that is in its list."""
    for i in range(filters.shape[0]):
        first = spans[filters[i], 0]
        is_known[i] = False
        for j in range(first, first + spans[filters[i], 1]):
            if items[j, 0] == code:
                items[j, 1] += uses[i]
                is_known[i] = True


class Queues:
    """The queues of a plan: in the list of a filter one row for each key, with its uses.

    Its first number is -2 - key, so that it is below 0; those of other rows are groups.

    Parameters
    ----------
    waits_of_filter
        The lists.

    Examples
    --------
    >>> waits = Lists(2)
    >>> queues = Queues(waits)
    >>> queues.take(np.array([5, 7, 5], np.int32), key=3)
    >>> waits.of(5).tolist(), waits.of(7).tolist()
    ([[-5, 2]], [[-5, 1]])
    >>> queues.give_back(7, key=3)
    >>> waits.of(7).tolist()
    []
    """

    def __init__(self, waits_of_filter: Lists) -> None:
        self._waits = waits_of_filter

    def take(self, filters: Int32Array, key: int) -> None:
        """Count one use more of the queue of each filter and a key."""
        if len(filters) == 0:
            return
        own, uses = np.unique(filters, return_counts=True)  # a list is gone through once
        arrays = self._waits.arrays(int(own[-1]) + 1)
        is_known = np.empty(len(own), np.bool_)
        _count_known(own, uses, -2 - key, arrays.spans, arrays.items, is_known)
        new, uses = own[~is_known], uses[~is_known]
        self._waits.append(new, np.stack([np.full_like(uses, -2 - key), uses], axis=1))

    def give_back(self, filter_: int, key: int) -> None:
        """Count one use less of the queue of a filter and a key; the last one lets it go."""
        rows = self._waits.of(filter_)
        (place,) = np.flatnonzero(rows[:, 0] == -2 - key).tolist()
        if rows[place, 1] == 1:
            self._waits.remove(filter_, (-2 - key, 1))
        else:
            rows[place, 1] -= 1
