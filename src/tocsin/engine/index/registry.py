"""Filters, conjunctions and literals: each stored once, counted, and let go when unused."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.encode import Encoder
from tocsin.engine.index.fingerprints import sort_members
from tocsin.engine.index.hashing import RowTable, grown, sized
from tocsin.engine.index.layout import INTERVAL, OPERATION
from tocsin.engine.index.owners import Numbers, Owners, link_owners
from tocsin.engine.index.slices import Slices

NONE: Final = -1


class Registry:
    """Keeps filters as conjunctions of literals, shared by value.

    A conjunction without owners stays until `drop`, so that an index may still hold it.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.literals = RowTable(3)
        self._prints = RowTable(2)
        self._members = Slices(1, np.int32)
        self._filters, self._links = Numbers(), Numbers()
        self._several: dict[int, tuple[tuple[int, int], ...]] = {}
        self._by_value: dict[tuple[int, ...], int] = {}
        self._reset_arrays()

    def _reset_arrays(self) -> None:
        self.literal_uses = np.zeros(8, np.int32)
        self.first_member = np.zeros(8, np.int64)
        self.member_count = np.zeros(8, np.int32)
        self.filter_of = np.full(8, NONE, np.int32)
        self.place_of = np.zeros(8, np.uint8)
        self.owners = Owners(
            np.full(8, NONE, np.int32), np.zeros((8, 3), np.int32), np.full(8, -1, np.int64)
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
    def conjunction_count(self) -> int:
        """How many conjunctions there are, those without owners included."""
        return self._prints.size

    @property
    def members(self) -> Int32Array:
        """The literals of all conjunctions, slice by slice."""
        return self._members.rows[:, 0]

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        arrays = [value for value in vars(self).values() if isinstance(value, np.ndarray)]
        own = sum(array.nbytes for array in (*arrays, *self.owners, self._members.rows))
        return int(own) + self.literals.nbytes + self._prints.nbytes

    def add_rows(self, rows: Int64Array, starts: Int64Array) -> tuple[Int32Array, Int32Array]:
        """Add filters of one conjunction each; return their numbers and the new conjunctions."""
        conjunctions, is_new = self._conjunctions(rows, starts)
        known = self.filter_of[conjunctions]
        wanted = np.unique(conjunctions[known == NONE])
        filters = self._new_filters(len(wanted))
        self.filter_of[wanted] = filters
        links = self._new_links(filters, wanted)
        self.only_conjunction[filters] = wanted
        self.only_link[filters] = links
        found = self.filter_of[conjunctions]
        np.add.at(self.uses, found, 1)
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
        several, is_new = self._conjunctions(rows, starts)
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

    def remove(self, number: int) -> list[int]:
        """Take one use of a filter away; return the conjunctions that have no owner any more."""
        if not 0 <= number < self.filter_end or self.uses[number] == 0:
            msg = f"there is no filter {number}"
            raise KeyError(msg)
        self.uses[number] -= 1
        if self.uses[number]:
            return []
        if number in self._several:
            pairs = self._several.pop(number)
            del self._by_value[tuple(conjunction for conjunction, _ in pairs)]
        else:
            only = int(self.only_conjunction[number])
            pairs = ((only, int(self.only_link[number])),)
            self.filter_of[only] = NONE
            self.only_conjunction[number] = self.only_link[number] = NONE
        self._filters.give_back(number)
        return [conjunction for conjunction, link in pairs if self._unlink(conjunction, link)]

    def drop(self, conjunctions: Int32Array) -> None:
        """Let go of conjunctions without owners that no index holds any more."""
        if len(conjunctions) == 0:
            return
        _, members = self.gather(conjunctions)
        np.subtract.at(self.literal_uses, members, 1)
        unused = np.unique(members[self.literal_uses[members] == 0])
        rows = self.literals.rows[unused]
        for head, low, high in rows[rows[:, 0] & OPERATION != INTERVAL].tolist():
            self._encoder.release((head, low, high))
        self.literals.remove(unused)
        starts, counts = self.first_member[conjunctions], self.member_count[conjunctions]
        self._members.give_back_all(starts, counts)
        self.place_of[conjunctions] = 0
        self._prints.remove(conjunctions)
        if self.conjunction_count == 0 and self.filter_count == 0:
            self._reset_arrays()

    def gather(self, conjunctions: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return where the literals of each conjunction begin, and all of them end to end."""
        counts = self.member_count[conjunctions].astype(np.int64)
        first = np.concatenate([[0], np.cumsum(counts)])
        begins = self.first_member[conjunctions] - first[:-1]
        return first, self.members[np.repeat(begins, counts) + np.arange(first[-1])]

    @property
    def is_loose(self) -> bool:
        """Whether it holds far more room than conjunctions, so that `renumber` pays."""
        return len(self.first_member) > 4 * self.conjunction_count + 64

    def renumber(self, conjunctions: Int32Array) -> None:
        """Give all conjunctions and literals that are left new numbers from 0 on.

        `conjunctions` are all there are, in order; the i-th becomes i.
        """
        first, members = self.gather(conjunctions)
        distinct, literal = np.unique(members, return_inverse=True)
        rows, size = self.literals.rows[distinct], len(conjunctions)
        self.literals, self._prints = RowTable(3), RowTable(2)
        self.literals.intern(rows)
        members = literal.astype(np.int32)
        ends, prints = np.empty(size, np.int64), np.empty((size, 2), np.int64)
        sort_members(members, first, ends, prints)
        self._prints.intern(prints)
        self._members = Slices(1, np.int32)
        self._members.take(members[:, None])
        self.literal_uses = np.bincount(members, minlength=len(distinct)).astype(np.int32)
        self.first_member = first[:-1].copy()
        self.member_count = np.diff(first).astype(np.int32)
        self.filter_of, self.place_of = self.filter_of[conjunctions], self.place_of[conjunctions]
        first_link = self.owners.first_link[conjunctions]
        self.owners = self.owners._replace(first_link=first_link)
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

    def rows_of(self, conjunction: int) -> Int64Array:
        """Return the literals of a conjunction as rows."""
        start, count = int(self.first_member[conjunction]), int(self.member_count[conjunction])
        return self.literals.rows[self.members[start : start + count]]

    def _conjunctions(
        self, rows: Int64Array, starts: Int64Array
    ) -> tuple[Int32Array, npt.NDArray[np.bool_]]:
        members, is_new_literal = self.literals.intern(rows)
        for place in np.flatnonzero(~is_new_literal & (rows[:, 0] & 15 != 0)):
            head, low, high = rows[place].tolist()
            self._encoder.release((head, low, high))  # the one stored first counts
        ends = np.empty(len(starts) - 1, np.int64)
        prints = np.empty((len(ends), 2), np.int64)
        sort_members(members, starts, ends, prints)
        found, is_new = self._prints.intern(prints)
        self._grow_conjunctions()
        self._store(members, starts[:-1][is_new], ends[is_new], found[is_new])
        return found, is_new

    def _store(
        self, members: Int32Array, starts: Int64Array, ends: Int64Array, new: Int32Array
    ) -> None:
        counts = ends - starts
        total = int(counts.sum())
        self.literal_uses = sized(self.literal_uses, len(self.literals.rows), 0)
        self.member_count[new] = counts
        self.first_member[new] = 0
        if total == 0:
            return
        inside = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(total)
        taken = members[inside]
        np.add.at(self.literal_uses, taken, 1)
        block = self._members.take(taken[:, None])
        self.first_member[new] = block + np.cumsum(counts) - counts

    def _grow_conjunctions(self) -> None:
        size = len(self._prints.rows)
        self.first_member = sized(self.first_member, size, 0)
        self.member_count = sized(self.member_count, size, 0)
        self.filter_of = sized(self.filter_of, size, NONE)
        self.place_of = sized(self.place_of, size, 0)
        first_link = sized(self.owners.first_link, size, NONE)
        self.owners = self.owners._replace(first_link=first_link)

    def _new_filters(self, count: int) -> Int32Array:
        numbers = self._filters.take(count)
        end = self._filters.end
        if end > len(self.uses):
            size = max(end, int(1.5 * len(self.uses)))
            self.uses = sized(self.uses, size, 0)
            self.only_conjunction = sized(self.only_conjunction, size, NONE)
            self.only_link = sized(self.only_link, size, NONE)
            self.owners = self.owners._replace(stamp=sized(self.owners.stamp, size, -1))
        return numbers

    def _new_links(self, filters: Int32Array, conjunctions: Int32Array) -> Int32Array:
        numbers = self._links.take(len(filters))
        if self._links.end > len(self.owners.links):
            size = max(self._links.end, int(1.5 * len(self.owners.links)))
            self.owners = self.owners._replace(links=grown(self.owners.links, size))
        link_owners(filters, conjunctions, numbers, self.owners.first_link, self.owners.links)
        return numbers

    def _unlink(self, conjunction: int, link: int) -> bool:
        """Take a link out of its chain; say whether the chain is empty now."""
        _, following, before = self.owners.links[link].tolist()
        if following >= 0:
            self.owners.links[following, 2] = before
        if before >= 0:
            self.owners.links[before, 1] = following
        else:
            self.owners.first_link[conjunction] = following
        self._links.give_back(link)
        return bool(self.owners.first_link[conjunction] == NONE)
