"""What the matches of lanes say, by column instead of one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns import Vocabulary
from tocsin.engine.columns.kinds import MISSING
from tocsin.engine.lane_matches import LaneMatches
from tocsin.engine.linear.arrays import IN_ROW, NONE, Int32Array, Int64Array, UInt8Array
from tocsin.engine.telling import LinearTelling

BoolArray = npt.NDArray[np.bool_]

_BEGIN, _END = 1, 2  # attributes of every event


class Cells(NamedTuple):
    """One value for each match, as in a batch."""

    kind: UInt8Array
    bits: Int64Array


class Slots(NamedTuple):
    """Values by match and name: those of match i are from `first[i]` to `first[i + 1]`."""

    first: Int64Array
    names: list[str]
    name: Int64Array


class MatchColumns:
    """The matches of one lane over a batch as arrays; a column is made when it is asked for.

    An *entry* is an event of a match: entries `found.first[i]` to `found.first[i + 1]` belong to
    match i. Subscriptions that are told in the same way share what they need for it.
    """

    def __init__(self, matches: LaneMatches) -> None:
        self.matches = matches
        self.found = matches.found
        self.size = matches.found.size
        tellings = {id(m.telling): m.telling for m in matches.members.values()}
        self.tellings = list(tellings.values())
        self.telling = np.zeros(self.size, np.int64)
        if len(tellings) > 1:
            place_of = {key: place for place, key in enumerate(tellings)}
            places = np.array([place_of[id(m.telling)] for m in matches.members.values()])
            self.telling = places[matches.member_of_match()]

    @cached_property
    def match_of_entry(self) -> Int64Array:
        """The match of each entry."""
        return np.repeat(np.arange(self.size), np.diff(self.found.first))

    @cached_property
    def begin_us(self) -> Int64Array:
        """The earliest begin of the events of each match."""
        first, rows, bits = self.found.first[:-1], self.found.kept_row, self.found.kept.bits
        begins: Int64Array = bits[rows[first] if self._none_last else rows, _BEGIN]
        return begins if self._none_last or not self.size else np.minimum.reduceat(begins, first)

    @cached_property
    def _none_last(self) -> bool:
        """Whether no event lasts, so that the first one of a match begins first.

        It is not asked where other events are kept, too: there may be far more of them.
        """
        bits = self.found.kept.bits
        is_alone = len(bits) <= len(self.found.kept_row)
        return is_alone and bool((bits[:, _BEGIN] == bits[:, _END]).all())

    @cached_property
    def end_us(self) -> Int64Array:
        """The latest end of the events of each match: that of the last one, as ends grow."""
        return self.at_us

    @cached_property
    def at_us(self) -> Int64Array:
        """When each match became certain."""
        ends: Int64Array = self.found.kept.bits[self._last_row, _END]
        return ends

    @cached_property
    def row(self) -> Int64Array:
        """The input row that completed each match; NO_ROW where the clock did."""
        rows: Int64Array = self.found.kept.where[self._last_row, IN_ROW]
        return rows

    @cached_property
    def _last_row(self) -> Int32Array:
        return self.found.kept_row[self.found.first[1:] - 1]

    def by_alias(self) -> tuple[Slots, Int64Array, Int64Array]:
        """Return the aliases of each match, and input rows by alias.

        Those of alias i are from place i to place i + 1 of the first array in the second.
        """
        slots = self.slots([one.subscription.aliases for one in self.tellings])
        alias = self._of_entry(_alias_table(self.tellings))
        named = np.flatnonzero(alias != NONE)
        slot = slots.first[self.match_of_entry[named]] + alias[named]
        counts = np.bincount(slot, minlength=len(slots.name))
        rows = self.found.rows()[named[np.argsort(slot, kind="stable")]]
        return slots, np.concatenate([[0], np.cumsum(counts)]), rows

    def variables(self) -> tuple[Slots, Cells]:
        """Return the variables of each match, and the value of each of them."""
        names = [one.subscription.variables for one in self.tellings]
        slots = self.slots(names)
        kind, bits = np.zeros(len(slots.name), np.uint8), np.zeros(len(slots.name), np.int64)
        counts = np.array([len(one) for one in names], np.int64)[self.telling]
        for place in range(max(map(len, names), default=0)):
            has = np.flatnonzero(counts > place)
            cells = self.variable(place)
            kind[slots.first[has] + place] = cells.kind[has]
            bits[slots.first[has] + place] = cells.bits[has]
        return slots, Cells(kind, bits)

    def variable(self, place: int) -> Cells:
        """Return the value of the variable in a place among those of its subscription."""
        table = _attribute_table(self.tellings, place, self.matches.vocabulary)
        attribute = self._of_entry(table)
        return self.cells(self._first_of(attribute != NONE), attribute)

    def first_of_alias(self, alias: str) -> Int64Array:
        """Return the first entry of an alias in each match, NONE where there is none."""
        return self._first_of(self._is_of(alias))

    def last_of_alias(self, alias: str) -> Int64Array:
        """Return the last entry of an alias in each match, NONE where there is none."""
        found = np.full(self.size, NONE, np.int64)
        entries = np.flatnonzero(self._is_of(alias))
        found[self.match_of_entry[entries]] = entries  # a later one overwrites those before
        return found

    def count_of_alias(self, alias: str) -> Int64Array:
        """Return how many events an alias has in each match."""
        return np.bincount(self.match_of_entry[self._is_of(alias)], minlength=self.size)

    def cells(self, entry: Int64Array, attribute: Int64Array) -> Cells:
        """Return an attribute of an entry of each match; `attribute` is by entry."""
        kept = self.found.kept
        kind, bits = np.full(self.size, MISSING, np.uint8), np.zeros(self.size, np.int64)
        there = np.flatnonzero(entry != NONE)
        places = attribute[entry[there]]
        there = there[places < kept.kind.shape[1]]  # nobody had the others when it came
        rows, places = self.found.kept_row[entry[there]], attribute[entry[there]]
        kind[there], bits[there] = kept.kind[rows, places], kept.bits[rows, places]
        return Cells(kind, bits)

    def slots(self, names: Sequence[Sequence[str]]) -> Slots:
        """Return a slot for each name of each match; `names` are by telling."""
        sizes = np.array([len(one) for one in names], np.int64)
        starts = np.cumsum(sizes) - sizes
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[self.telling])])
        shift = np.repeat(starts[self.telling] - first[:-1], sizes[self.telling])
        return Slots(first, [name for one in names for name in one], shift + np.arange(first[-1]))

    def _of_entry(self, table: Int64Array) -> Int64Array:
        """Look each entry up in a table by telling and atom."""
        is_shared = len(self.tellings) == 1
        telling = 0 if is_shared else self.telling[self.match_of_entry]
        found: Int64Array = table[telling, self.found.leaf]
        return found

    def _first_of(self, wanted: BoolArray) -> Int64Array:
        first = self.found.first[:-1]
        if wanted[first].all():  # which is so where the first event of a pattern is meant
            return first
        found = np.full(self.size, NONE, np.int64)
        entries = np.flatnonzero(wanted)[::-1]
        found[self.match_of_entry[entries]] = entries  # an earlier one overwrites those behind
        return found

    def _is_of(self, alias: str) -> BoolArray:
        table = _table(self.tellings)
        for place, telling in enumerate(self.tellings):
            for number, atom in telling.atoms.items():
                table[place, number] = NONE if atom.alias != alias else 0
        is_of: BoolArray = self._of_entry(table) != NONE
        return is_of


def _table(tellings: Sequence[LinearTelling]) -> Int64Array:
    width = max((number for one in tellings for number in one.atoms), default=0) + 1
    return np.full((len(tellings), width), NONE, np.int64)


def _alias_table(tellings: Sequence[LinearTelling]) -> Int64Array:
    """Return the place of the alias of each atom among those of its subscription."""
    table = _table(tellings)
    for place, telling in enumerate(tellings):
        of_alias = {alias: i for i, alias in enumerate(telling.subscription.aliases)}
        for number, atom in telling.atoms.items():
            table[place, number] = of_alias.get(atom.alias, NONE)
    return table


def _attribute_table(
    tellings: Sequence[LinearTelling], variable: int, vocabulary: Vocabulary
) -> Int64Array:
    """Return the attribute by which each atom binds a variable."""
    table = _table(tellings)
    for place, telling in enumerate(tellings):
        names = telling.subscription.variables
        name = names[variable] if variable < len(names) else None
        for number, atom in telling.atoms.items():
            bound = [attribute for one, attribute in atom.bindings if one == name]
            if bound:
                table[place, number] = vocabulary.attribute(bound[0])
    return table
