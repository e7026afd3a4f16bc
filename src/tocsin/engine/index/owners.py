# mypy: disable-error-code="no-untyped-def"
"""Who owns what: chains of links from conjunctions to filters, and numbers that come and go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.kernels import kernel


class Owners(NamedTuple):
    """Who owns a conjunction: a chain of links, each with a filter, the next and the one before.

    `sole_owner` is the filter where there is one alone that has no other conjunction, so that
    nothing else can find it; negative otherwise.
    """

    sole_owner: Int32Array
    first_link: Int32Array
    links: Int32Array
    stamp: Int64Array


@kernel
def tally(counts, places, step):
    """Add a step at each place, as often as the place is named."""
    for i in range(places.shape[0]):
        counts[places[i]] += step


@kernel
def claim(conjunctions, filter_of, claimed):
    """Write the conjunctions that are no filter's own yet, each once; return how many."""
    count = 0
    for i in range(conjunctions.shape[0]):
        if filter_of[conjunctions[i]] == -1:
            filter_of[conjunctions[i]] = -2
            claimed[count] = conjunctions[i]
            count += 1
    return count


@kernel
def link_owners(filters, conjunctions, link_numbers, only_conjunction, owners):
    """Put each filter at the head of its conjunction's chain."""
    first_link, links = owners.first_link, owners.links
    for i in range(filters.shape[0]):
        number, conjunction = link_numbers[i], conjunctions[i]
        following = first_link[conjunction]
        links[number, 0] = filters[i]
        links[number, 1] = following
        links[number, 2] = -1
        if following >= 0:
            links[following, 2] = number
        first_link[conjunction] = number
        is_sole = following < 0 and only_conjunction[filters[i]] == conjunction
        owners.sole_owner[conjunction] = filters[i] if is_sole else -1


@kernel
def unlink_owners(conjunctions, link_numbers, only_conjunction, owners, is_orphan):
    """Take each link out of its conjunction's chain; mark where the chain is empty then."""
    first_link, links = owners.first_link, owners.links
    for i in range(conjunctions.shape[0]):
        following, before = links[link_numbers[i], 1], links[link_numbers[i], 2]
        if following >= 0:
            links[following, 2] = before
        if before >= 0:
            links[before, 1] = following
        else:
            first_link[conjunctions[i]] = following
        first = first_link[conjunctions[i]]
        is_orphan[i] = first < 0
        is_sole = first >= 0 and links[first, 1] < 0
        is_sole = is_sole and only_conjunction[links[first, 0]] == conjunctions[i]
        owners.sole_owner[conjunctions[i]] = links[first, 0] if is_sole else -1


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
        if not self._free:
            self.end += count
            return np.arange(self.end - count, self.end, dtype=np.int32)
        again = [self._free.pop() for _ in range(min(count, len(self._free)))]
        fresh = np.arange(self.end, self.end + count - len(again), dtype=np.int32)
        self.end += len(fresh)
        return np.concatenate([np.array(again, np.int32), fresh])

    def give_back(self, numbers: Iterable[int]) -> None:
        """Take numbers back."""
        self._free.extend(numbers)
        if len(self._free) == self.end:
            self.end = 0
            self._free.clear()
