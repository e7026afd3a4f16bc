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

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.counters import CANDIDATES, EVENTS, LITERALS, SATISFIED
from tocsin.engine.index.kernels import kernel
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT, COMPUTED, OPERATION
from tocsin.engine.index.registry import Registry
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
def match_few(few, kind, bits, pools, counters, masks, answers, offsets):
    """Write what each event of a batch satisfies, in bits, and where its filters will begin."""
    size = kind.shape[0]
    for begin in range(0, size, BLOCK):
        end = min(begin + BLOCK, size)
        for i in range(end - begin):
            masks[i] = 0
        for bit in range(few.literals.shape[0]):
            head, low, high = few.literals[bit, 0], few.literals[bit, 1], few.literals[bit, 2]
            ask_column(head, low, high, np.uint64(bit), kind, bits, begin, end, pools, masks)
        for event in range(begin, end):
            found = answer(few, masks[event - begin], kind[event], bits[event], pools)
            answers[event] = found
            count = 0
            while found != 0:
                found &= found - np.uint64(1)
                count += 1
            offsets[event + 1] = offsets[event] + count
    counters[CANDIDATES] += size * few.needs.shape[0]
    counters[LITERALS] += size * few.literals.shape[0]
    counters[SATISFIED] += offsets[size]
    counters[EVENTS] += size


@kernel
def list_filters(few, answers, offsets, found):
    """Write the numbers of the filters of each event."""
    for event in range(answers.shape[0]):
        place, rest, bit = offsets[event], answers[event], 0
        while rest != 0:
            if rest & np.uint64(1):
                found[place] = few.filters[bit]
                place += 1
            rest >>= np.uint64(1)
            bit += 1
