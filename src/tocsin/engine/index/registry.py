"""Filters: each stored once as its conjunctions, counted, and let go when unused."""

from __future__ import annotations

from typing import Final

import numpy as np

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.conjunctions import Conjunctions
from tocsin.engine.index.encode import Encoder
from tocsin.engine.index.hashing import grown, next_size, sized
from tocsin.engine.index.owners import (
    Numbers,
    Owners,
    claim,
    link_owners,
    tally,
    unlink_owners,
)

NONE: Final = -1


class Registry:
    """Keeps filters as conjunctions of literals, shared by value.

    A conjunction without owners stays until `drop`, so that an index may still hold it.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.conjunctions = Conjunctions(encoder)
        self._filters, self._links = Numbers(), Numbers()
        self._several: dict[int, tuple[tuple[int, int], ...]] = {}
        self._by_value: dict[tuple[int, ...], int] = {}
        self._reset_arrays()

    def _reset_arrays(self) -> None:
        self.filter_of = np.full(8, NONE, np.int32)
        self.place_of = np.zeros(8, np.uint8)
        self.owners = Owners(
            sole_owner=np.full(8, NONE, np.int32),
            first_link=np.full(8, NONE, np.int32),
            links=np.zeros((8, 3), np.int32),
            stamp=np.full(8, -1, np.int64),
        )
        self.uses = np.zeros(8, np.int32)
        self.only_conjunction = np.full(8, NONE, np.int32)
        self.only_link = np.full(8, NONE, np.int32)

    @property
    def filter_count(self) -> int:
        """How many filters there are."""
        return self._filters.used

    @property
    def filter_end(self) -> int:
        """One more than the largest number of a filter."""
        return self._filters.end

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        arrays = [value for value in vars(self).values() if isinstance(value, np.ndarray)]
        own = sum(array.nbytes for array in (*arrays, *self.owners))
        return int(own) + self.conjunctions.nbytes

    def owners_of_conjunctions(self) -> dict[int, list[int]]:
        """Return the filters of each conjunction that has any."""
        links, found = self.owners.links, {}
        for conjunction in np.flatnonzero(self.owners.first_link != NONE).tolist():
            link, owners = int(self.owners.first_link[conjunction]), []
            while link != NONE:
                owners.append(int(links[link, 0]))
                link = int(links[link, 1])
            found[conjunction] = owners
        return found

    def add_rows(
        self, rows: Int64Array, starts: Int64Array, *, are_counted: bool = True
    ) -> tuple[Int32Array, Int32Array]:
        """Add filters of one conjunction each; return their numbers and the new conjunctions.

        `are_counted` says whether the pools count a use for each row.
        """
        conjunctions, is_new = self.conjunctions.add(rows, starts, are_counted=are_counted)
        self._grow_conjunctions()
        claimed = np.empty(len(conjunctions), np.int32)
        wanted = claimed[: claim(conjunctions, self.filter_of, claimed)]
        filters = self._new_filters(len(wanted))
        self.filter_of[wanted] = filters
        self.only_conjunction[filters] = wanted
        self.only_link[filters] = self._new_links(filters, wanted)
        found = self.filter_of[conjunctions]
        tally(self.uses, found, 1)
        return found, conjunctions[is_new]

    def add_filter(
        self, rows: Int64Array, starts: Int64Array
    ) -> tuple[int, Int32Array, Int32Array]:
        """Add one filter of any number of conjunctions.

        Returns its number, its conjunctions, and those of them that are new.
        """
        if len(starts) == 2:
            found, new = self.add_rows(rows, starts)
            return int(found[0]), self.only_conjunction[found], new
        several, is_new = self.conjunctions.add(rows, starts)
        self._grow_conjunctions()
        distinct = np.unique(several)
        key = tuple(distinct.tolist())
        number = self._by_value.get(key)
        if number is None:
            number = int(self._new_filters(1)[0])
            links = self._new_links(np.full(len(distinct), number, np.int32), distinct)
            self._by_value[key] = number
            self._several[number] = tuple(zip(key, links.tolist(), strict=True))
        self.uses[number] += 1
        return number, distinct, several[is_new]

    def add_uses(self, number: int, more: int) -> None:
        """Count more uses of a filter."""
        self.uses[number] += more

    def remove(self, numbers: Int64Array) -> Int32Array:
        """Take one use of each filter away; return the conjunctions without owners since then."""
        self._refuse_unknown(numbers)
        tally(self.uses, numbers, -1)
        gone = np.unique(numbers[self.uses[numbers] == 0])
        alone = gone[self.only_conjunction[gone] != NONE]
        conjunctions, links = self.only_conjunction[alone], self.only_link[alone]
        self.filter_of[conjunctions] = NONE
        self.only_conjunction[alone] = self.only_link[alone] = NONE
        if len(alone) < len(gone):
            pairs = [pair for number in gone.tolist() for pair in self._forget_several(number)]
            more = np.array(pairs, np.int32).reshape(-1, 2)
            conjunctions = np.concatenate([conjunctions, more[:, 0]])
            links = np.concatenate([links, more[:, 1]])
        self._filters.give_back(gone.tolist())
        self._links.give_back(links.tolist())
        is_orphan = np.zeros(len(links), np.bool_)
        unlink_owners(conjunctions, links, self.only_conjunction, self.owners, is_orphan)
        return np.asarray(conjunctions[is_orphan])

    def _refuse_unknown(self, numbers: Int64Array) -> None:
        """Raise for the first filter that is not there as often as it is to be removed."""
        inside = (numbers >= 0) & (numbers < self.filter_end)
        missing = numbers[~inside]
        if len(missing) == 0 and len(numbers):
            asked = np.bincount(numbers)
            missing = np.flatnonzero(asked > self.uses[: len(asked)])
        if len(missing):
            msg = f"there is no filter {missing[0]}"
            raise KeyError(msg)

    def _forget_several(self, number: int) -> tuple[tuple[int, int], ...]:
        """Return the conjunctions and links of a filter that has not exactly one."""
        pairs = self._several.pop(number, ())
        self._by_value.pop(tuple(conjunction for conjunction, _ in pairs), None)
        return pairs

    def drop(self, conjunctions: Int32Array) -> None:
        """Let go of conjunctions without owners that no index holds any more."""
        if len(conjunctions) == 0:
            return
        self.conjunctions.drop(conjunctions)
        self.place_of[conjunctions] = 0
        if self.conjunctions.size == 0 and self.filter_count == 0:
            self.conjunctions.reset()
            self._reset_arrays()

    def renumber(self, conjunctions: Int32Array) -> None:
        """Give all conjunctions and literals that are left new numbers from 0 on.

        `conjunctions` are all there are, in order; the i-th becomes i.
        """
        self.conjunctions.renumber(conjunctions)
        self.filter_of, self.place_of = self.filter_of[conjunctions], self.place_of[conjunctions]
        self.owners = self.owners._replace(
            sole_owner=self.owners.sole_owner[conjunctions],
            first_link=self.owners.first_link[conjunctions],
        )
        self._renumber_filters(conjunctions)
        self._grow_conjunctions()

    def _renumber_filters(self, conjunctions: Int32Array) -> None:
        known = self.only_conjunction != NONE
        self.only_conjunction[known] = np.searchsorted(conjunctions, self.only_conjunction[known])
        place = {number: i for i, number in enumerate(conjunctions.tolist())}
        self._several = {
            number: tuple((place[conjunction], link) for conjunction, link in pairs)
            for number, pairs in self._several.items()
        }
        self._by_value = {
            tuple(conjunction for conjunction, _ in pairs): number
            for number, pairs in self._several.items()
        }

    def _grow_conjunctions(self) -> None:
        size = self.conjunctions.room
        if size <= len(self.filter_of):
            return
        self.filter_of = sized(self.filter_of, size, NONE)
        self.place_of = sized(self.place_of, size, 0)
        self.owners = self.owners._replace(
            sole_owner=sized(self.owners.sole_owner, size, NONE),
            first_link=sized(self.owners.first_link, size, NONE),
        )

    def _new_filters(self, count: int) -> Int32Array:
        numbers = self._filters.take(count)
        end = self._filters.end
        if end > len(self.uses):
            size = next_size(len(self.uses), end)
            self.uses = sized(self.uses, size, 0)
            self.only_conjunction = sized(self.only_conjunction, size, NONE)
            self.only_link = sized(self.only_link, size, NONE)
            self.owners = self.owners._replace(stamp=sized(self.owners.stamp, size, -1))
        return numbers

    def _new_links(self, filters: Int32Array, conjunctions: Int32Array) -> Int32Array:
        numbers = self._links.take(len(filters))
        if self._links.end > len(self.owners.links):
            size = next_size(len(self.owners.links), self._links.end)
            self.owners = self.owners._replace(links=grown(self.owners.links, size))
        link_owners(filters, conjunctions, numbers, self.only_conjunction, self.owners)
        return numbers
