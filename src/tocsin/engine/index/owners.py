# mypy: disable-error-code="no-untyped-def"
"""Who owns what: chains of links from conjunctions to filters, and numbers that come and go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array


class Owners(NamedTuple):
    """Who owns a conjunction: a chain of links, each with a filter, the next and the one before."""

    first_link: Int32Array
    links: Int32Array
    stamp: Int64Array


@njit(cache=True, nogil=True)
def link_owners(filters, conjunctions, link_numbers, first_link, links):
    """Put each filter at the head of its conjunction's chain."""
    for i in range(filters.shape[0]):
        number, conjunction = link_numbers[i], conjunctions[i]
        following = first_link[conjunction]
        links[number, 0] = filters[i]
        links[number, 1] = following
        links[number, 2] = -1
        if following >= 0:
            links[following, 2] = number
        first_link[conjunction] = number


class Numbers:
    """Numbers that are given out and taken back."""

    def __init__(self) -> None:
        self.end = 0
        self._free: list[int] = []

    @property
    def used(self) -> int:
        """How many are out."""
        return self.end - len(self._free)

    def take(self, count: int) -> Int32Array:
        """Give numbers out, those that came back first."""
        again = [self._free.pop() for _ in range(min(count, len(self._free)))]
        fresh = np.arange(self.end, self.end + count - len(again), dtype=np.int32)
        self.end += len(fresh)
        return np.concatenate([np.array(again, np.int32), fresh])

    def give_back(self, number: int) -> None:
        """Take a number back."""
        self._free.append(number)
        if len(self._free) == self.end:
            self.end = 0
            self._free.clear()
