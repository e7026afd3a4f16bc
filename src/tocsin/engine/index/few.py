# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""Few filters: each literal is asked of a whole column of events, and nothing is searched for.

What an event satisfies fits into the bits of a word: first its literals, then its filters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import MISSING
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.counters import CANDIDATES, EVENTS, LITERALS, SATISFIED
from tocsin.engine.index.kernels import inlined, kernel
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT, COMPUTED, NEGATED, OPERATION, PRESENT
from tocsin.engine.index.registry import Registry
from tocsin.engine.index.satisfied import Satisfied
from tocsin.engine.index.verify import holds, is_usual, usual_holds

UInt64Array = npt.NDArray[np.uint64]

MOST: Final = 64
"""As many literals, conjunctions and filters as a word has bits."""

BLOCK: Final = 256
"""So many events are asked at a time: their cells stay in the fastest memory."""


class Few(NamedTuple):
    """The filters of a small index.

    Attributes
    ----------
    literals
        Those that a column answers; the bit of each is its place.
    needs
        By conjunction, the bits of the literals that it needs.
    computed, first_computed
        The literals that run a program, end to end, and where those of each conjunction begin.
    owners
        By conjunction, the bits of the filters that it satisfies.
    filters
        The numbers of the filters, in the order of their bits.
    """

    literals: Int64Array
    needs: UInt64Array
    computed: Int64Array
    first_computed: Int64Array
    owners: UInt64Array
    filters: Int32Array


def few_of(registry: Registry) -> Few | None:
    """Return the filters of a registry if they are few, None otherwise."""
    if registry.filter_count > MOST or registry.conjunctions.size > MOST:
        return None
    chains = registry.owners_of_conjunctions()
    rows = {one: registry.conjunctions.rows_of(one).tolist() for one in chains}
    is_column = {tuple(row) for found in rows.values() for row in found if not _is_computed(row)}
    bit_of = {row: bit for bit, row in enumerate(sorted(is_column))}
    if len(bit_of) > MOST:
        return None
    filters = sorted({owner for owners in chains.values() for owner in owners})
    place_of = {number: place for place, number in enumerate(filters)}
    computed = [[row for row in found if _is_computed(row)] for found in rows.values()]
    return Few(
        np.array(sorted(bit_of), np.int64).reshape(-1, 3),
        _bits({bit_of[tuple(r)] for r in found if not _is_computed(r)} for found in rows.values()),
        np.array([row for found in computed for row in found], np.int64).reshape(-1, 3),
        np.cumsum([0, *map(len, computed)]),
        _bits({place_of[owner] for owner in owners} for owners in chains.values()),
        np.array(filters, np.int32),
    )


def _is_computed(row: list[int]) -> bool:
    return row[0] & OPERATION == COMPUTED


def _bits(sets: Iterable[set[int]]) -> UInt64Array:
    return np.array([sum(1 << bit for bit in one) for one in sets], np.uint64)


@kernel
def ask_column(head, low, high, bit, kind, bits, begin, end, pools, masks):
    """Set a bit in the masks of the events for which a literal holds."""
    attribute = head >> ATTRIBUTE_SHIFT
    if head & OPERATION == PRESENT:
        wanted = head & NEGATED == 0
        for event in range(begin, end):
            found = (kind[event, attribute] != MISSING) == wanted
            masks[event - begin] |= np.uint64(found) << bit
        return
    for event in range(begin, end):
        sort, cell = kind[event, attribute], bits[event, attribute]
        if is_usual(head, sort):
            found = usual_holds(head, low, high, sort, cell)
        else:
            found = holds(head, low, high, kind[event], bits[event], pools)
        masks[event - begin] |= np.uint64(found) << bit


@kernel
def answer(few, mask, kind_row, bits_row, pools):
    """Return the bits of the filters that an event satisfies, from those of its literals."""
    pools.now[0] += 1
    found = np.uint64(0)
    for conjunction in range(few.needs.shape[0]):
        if mask & few.needs[conjunction] != few.needs[conjunction]:
            continue
        passes = True
        for i in range(few.first_computed[conjunction], few.first_computed[conjunction + 1]):
            head, low, high = few.computed[i, 0], few.computed[i, 1], few.computed[i, 2]
            passes = passes and holds(head, low, high, kind_row, bits_row, pools)
        if passes:
            found |= few.owners[conjunction]
    return found


@kernel
def match_few(few, kind, bits, pools, counters, masks, answers):
    """Write what each event of a batch satisfies, in bits."""
    size = kind.shape[0]
    for begin in range(0, size, BLOCK):
        end = min(begin + BLOCK, size)
        for i in range(end - begin):
            masks[i] = 0
        for bit in range(few.literals.shape[0]):
            head, low, high = few.literals[bit, 0], few.literals[bit, 1], few.literals[bit, 2]
            ask_column(head, low, high, np.uint64(bit), kind, bits, begin, end, pools, masks)
        for event in range(begin, end):
            found, mask = np.uint64(0), masks[event - begin]
            if few.computed.shape[0] > 0:
                found = answer(few, mask, kind[event], bits[event], pools)
            else:
                for i in range(few.needs.shape[0]):
                    if mask & few.needs[i] == few.needs[i]:
                        found |= few.owners[i]
            answers[event] = found
            counters[SATISFIED] += _count(found)
    counters[CANDIDATES] += size * few.needs.shape[0]
    counters[LITERALS] += size * few.literals.shape[0]
    counters[EVENTS] += size


@inlined
def _count(word):
    """Return how many bits of a word are set."""
    count = 0
    while word != 0:
        word &= word - np.uint64(1)
        count += 1
    return count


@kernel
def _write_offsets(answers, offsets):
    for event in range(answers.shape[0]):
        offsets[event + 1] = offsets[event] + _count(answers[event])


@kernel
def _list_filters(filters, answers, offsets, found):
    for event in range(answers.shape[0]):
        place, rest, bit = offsets[event], answers[event], 0
        while rest != 0:
            if rest & np.uint64(1):
                found[place] = filters[bit]
                place += 1
            rest >>= np.uint64(1)
            bit += 1


class Answers(NamedTuple):
    """What each event satisfies, in the bits of a word.

    Attributes
    ----------
    words
        One for each event.
    filters
        The number of the filter for which each bit stands; they grow.
    """

    words: UInt64Array
    filters: Int32Array

    def mask(self, numbers: Iterable[int]) -> int:
        """Return the word in which the bits of some filters are set, all of which have one.

        Examples
        --------
        >>> Answers(np.zeros(0, np.uint64), np.array([4, 7], np.int32)).mask([7])
        2
        """
        return sum(1 << int(np.searchsorted(self.filters, number)) for number in {*numbers})

    def satisfied(self) -> Satisfied:
        """Return the same as lists of filters."""
        offsets = np.zeros(len(self.words) + 1, np.int64)
        _write_offsets(self.words, offsets)
        found = np.empty(int(offsets[-1]), np.int32)
        _list_filters(self.filters, self.words, offsets, found)
        return Satisfied(offsets, found)
