"""Conjunctions of literals: each stored once, and let go when an index holds it no more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import STRING
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.encode import Encoder
from tocsin.engine.index.fingerprints import sort_members, store_members
from tocsin.engine.index.hashing import RowTable, sized
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT, FAMILY_SHIFT, INTERVAL, OPERATION
from tocsin.engine.index.owners import tally
from tocsin.engine.index.slices import Slices


class Conjunctions:
    """Gives equal conjunctions one number; their literals are shared by value as well."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.literals = RowTable(3)
        self._prints = RowTable(2)
        self._members = Slices(1, np.int32)
        self.reset()

    def reset(self) -> None:
        """Give the memory back, when nothing is left."""
        self._literal_uses = np.zeros(8, np.int32)
        self._first_member = np.zeros(8, np.int32)
        self._member_count = np.zeros(8, np.int32)

    @property
    def size(self) -> int:
        """How many there are."""
        return self._prints.size

    @property
    def room(self) -> int:
        """One more than the largest number that there is room for."""
        return len(self._prints.rows)

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        own = (self._literal_uses, self._first_member, self._member_count, self._members.rows)
        tables = self.literals.nbytes + self._prints.nbytes
        return sum(array.nbytes for array in own) + tables

    def add(
        self, rows: Int64Array, starts: Int64Array, *, are_counted: bool = True
    ) -> tuple[Int32Array, npt.NDArray[np.bool_]]:
        """Return the numbers of conjunctions, and which of them are new.

        `are_counted` says whether the pools count a use for each row.
        """
        members, is_new_literal = self.literals.intern(rows)
        points = rows[:, 0] & OPERATION != INTERVAL
        if points.any():
            self._count_in_pools(rows[points], is_new_literal[points], are_counted=are_counted)
        ends = np.empty(len(starts) - 1, np.int64)
        prints = np.empty((len(ends), 2), np.int64)
        total = int(sort_members(members, starts, ends, prints))
        found, is_new = self._prints.intern(prints)
        self._literal_uses = sized(self._literal_uses, len(self.literals.rows), 0)
        self._first_member = sized(self._first_member, self.room, 0)
        self._member_count = sized(self._member_count, self.room, 0)
        if is_new.any():
            self._store(members, np.column_stack([starts[:-1], ends])[is_new], found[is_new], total)
        return found, is_new

    def _count_in_pools(
        self, rows: Int64Array, is_new: npt.NDArray[np.bool_], *, are_counted: bool
    ) -> None:
        """In the pools the literal stored first counts, and no other."""
        count = self._encoder.release if are_counted else self._encoder.retain
        for head, low, high in rows[is_new != are_counted].tolist():
            count((head, low, high))

    def _store(self, members: Int32Array, slices: Int64Array, new: Int32Array, most: int) -> None:
        """Store the literals of new conjunctions, at most so many."""
        taken = np.empty((most, 1), np.int32)
        total = store_members(members, slices, new, taken, self._first_member, self._member_count)
        tally(self._literal_uses, taken[:total, 0], 1)
        self._first_member[new] += self._members.take(taken[:total]) if total else 0

    def drop(self, conjunctions: Int32Array) -> None:
        """Let go of conjunctions."""
        _, members = self.gather(conjunctions)
        tally(self._literal_uses, members, -1)
        unused = np.unique(members[self._literal_uses[members] == 0])
        rows = self.literals.rows[unused]
        for head, low, high in rows[rows[:, 0] & OPERATION != INTERVAL].tolist():
            self._encoder.release((head, low, high))
        self.literals.remove(unused)
        starts, counts = self._first_member[conjunctions], self._member_count[conjunctions]
        self._members.give_back_all(starts, counts)
        self._prints.remove(conjunctions)

    def gather(self, conjunctions: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return where the literals of each conjunction begin, and all of them end to end."""
        counts = self._member_count[conjunctions].astype(np.int64)
        first = np.concatenate([[0], np.cumsum(counts)])
        begins = self._first_member[conjunctions] - first[:-1]
        places = np.repeat(begins, counts) + np.arange(first[-1])
        return first, self._members.rows[places, 0]

    def rows_of(self, conjunction: int) -> Int64Array:
        """Return the literals of a conjunction as rows."""
        start, count = int(self._first_member[conjunction]), int(self._member_count[conjunction])
        members = self._members.rows[start : start + count, 0]
        return np.asarray(self.literals.rows[members])

    def string_codes(self) -> Int64Array:
        """Return the codes of the strings that literals name."""
        rows = self.literals.rows[np.flatnonzero(self._literal_uses)]
        asks = (1 << ATTRIBUTE_SHIFT) - (1 << FAMILY_SHIFT) | OPERATION
        return np.asarray(rows[rows[:, 0] & asks == INTERVAL | STRING << FAMILY_SHIFT, 1])

    @property
    def is_loose(self) -> bool:
        """Whether it holds far more room than conjunctions, so that `renumber` pays."""
        return len(self._first_member) > 4 * self.size + 64

    def renumber(self, conjunctions: Int32Array) -> None:
        """Give all that are left new numbers from 0 on: the i-th of them becomes i."""
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
        self._literal_uses = np.bincount(members, minlength=len(distinct)).astype(np.int32)
        self._first_member = sized(first[:-1].astype(np.int32), self.room, 0)
        self._member_count = sized(np.diff(first).astype(np.int32), self.room, 0)
