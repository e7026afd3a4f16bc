# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""The filters that one event satisfies: candidates first, then verification."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tocsin.engine.columns.kinds import FLOAT
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.candidates import by_pair, by_range, by_single, by_text
from tocsin.engine.index.layout import (
    ATTRIBUTE_SHIFT,
    COUNT_SHIFT,
    FAMILY_SHIFT,
    IN_FLOATS,
    INTERVAL,
    NEGATED,
    OPERATION,
    OUTSIDE,
    WORDS,
)
from tocsin.engine.index.owners import Owners
from tocsin.engine.index.pools import Pools
from tocsin.engine.index.segment import (
    ENTRY_COUNT,
    SCAN_BEGIN,
    SCAN_END,
    TEXT_COUNT,
    Segment,
)
from tocsin.engine.index.verify import holds

CANDIDATES, LITERALS, SATISFIED, OPERATIONS, EVENTS = 0, 1, 2, 3, 4
COUNTERS = 5
_LOW = 0xFFFFFFFF
_UNUSUAL = OPERATION | NEGATED | IN_FLOATS


class IndexArrays(NamedTuple):
    """All that `probe` reads and writes; valid until the index changes.

    `spans` and `left` are room for the candidates and the survivors of one segment; `fresh_end`
    is where the fresh entries end.
    """

    main: Segment
    delta: Segment
    fresh: Int64Array
    fresh_end: Int64Array
    owners: Owners
    pools: Pools
    counters: Int64Array
    spans: Int64Array
    left: Int32Array


@njit(cache=True, nogil=True)
def check_usual(words, entry, kind_row, bits_row):
    """Check the plain intervals at the head of an entry against cells that are no floats.

    Returns the first literal that is something else, or the end; -1 - that where one failed.
    """
    literal = entry + 1
    end = literal + WORDS * (words[entry] >> COUNT_SHIFT)
    while literal < end:
        head = words[literal]
        attribute = head >> ATTRIBUTE_SHIFT
        kind = kind_row[attribute]
        if head & _UNUSUAL != INTERVAL or kind == FLOAT:
            return literal
        bits = bits_row[attribute]
        inside = (words[literal + 1] <= bits) & (bits <= words[literal + 2])
        if kind != (head >> FAMILY_SHIFT) & OPERATION or inside == (head & OUTSIDE != 0):
            return -1 - literal
        literal += WORDS
    return literal


@njit(cache=True, nogil=True)
def sift(words, lists, spans, found, kind_row, bits_row, counters, left):
    """Write the candidates that pass their usual checks, and how far those went; return how many.

    Most fail here, in a loop that hands on no more than it must: arrays passed on cost more than
    a literal checked.
    """
    count, candidates, checked = 0, 0, 0
    for i in range(found):
        start, end = spans[i, 0], spans[i, 1]
        in_lists = start < 0
        place = -1 - start if in_lists else start
        while place < end:
            entry = np.int64(lists[place]) if in_lists else place
            reached = check_usual(words, entry, kind_row, bits_row)
            place += 1 if in_lists else 1 + WORDS * (words[entry] >> COUNT_SHIFT)
            candidates += 1
            if reached >= 0:
                checked += (reached - entry - 1) // WORDS
                left[count, 0] = entry
                left[count, 1] = reached
                count += 1
            else:
                checked += (-1 - reached - entry - 1) // WORDS + 1
    counters[CANDIDATES] += candidates
    counters[LITERALS] += checked
    return count


@njit(cache=True, nogil=True)
def settle(words, survivors, kind_row, bits_row, index, out, count):
    """Check what is left of the survivors; append the filters of those that hold."""
    owners, now, left = index.owners, index.pools.now[0], index.left
    for i in range(survivors):
        entry, literal = np.int64(left[i, 0]), np.int64(left[i, 1])
        end = entry + 1 + WORDS * (words[entry] >> COUNT_SHIFT)
        while literal < end:
            index.counters[LITERALS] += 1
            if not holds(
                words[literal], words[literal + 1], words[literal + 2], kind_row, bits_row,
                index.pools,
            ):  # fmt: skip
                break
            literal += WORDS
        if literal < end:
            continue
        link = owners.first_link[words[entry] & _LOW]
        while link >= 0:
            owner = owners.links[link, 0]
            if owners.stamp[owner] != now:
                owners.stamp[owner] = now
                out[count] = owner
                count += 1
            link = owners.links[link, 1]
    return count


@njit(cache=True, nogil=True)
def find_spans(table, lists, kind_row, bits_row, counters, spans):
    """Write the spans that hash and ranges find, and what is scanned; return how many."""
    found = by_single(table, lists, kind_row, bits_row, counters, spans)
    found = by_pair(table, lists, kind_row, bits_row, counters, spans, found)
    found = by_range(table, lists, kind_row, bits_row, counters, spans, found)
    if table[SCAN_BEGIN] < table[SCAN_END]:
        spans[found, 0] = table[SCAN_BEGIN]
        spans[found, 1] = table[SCAN_END]
        found += 1
    return found


@njit(cache=True, nogil=True)
def probe_segment(segment, kind_row, bits_row, index, out, count):
    """Append the filters that an event satisfies by the conjunctions of a segment."""
    words, table, lists = segment.words, segment.table, segment.lists
    found = find_spans(table, lists, kind_row, bits_row, index.counters, index.spans)
    if table[TEXT_COUNT] > 0:
        found = by_text(table, lists, kind_row, bits_row, index.pools, index.spans, found)
    survivors = sift(
        words, lists, index.spans, found, kind_row, bits_row, index.counters, index.left
    )
    if survivors == 0:
        return count
    return settle(words, survivors, kind_row, bits_row, index, out, count)


@njit(cache=True, nogil=True)
def probe(index, kind_row, bits_row, out):
    """Write the filters that one event satisfies to `out`, each once; return how many.

    `out` needs room for all filters. Afterwards `owners.stamp[f] == pools.now[0]` says the same.
    """
    index.pools.now[0] += 1
    count = probe_segment(index.main, kind_row, bits_row, index, out, 0)
    if index.delta.table[ENTRY_COUNT] > 0:
        count = probe_segment(index.delta, kind_row, bits_row, index, out, count)
    if index.fresh_end[0] > 0:
        index.spans[0, 0] = 0
        index.spans[0, 1] = index.fresh_end[0]
        survivors = sift(
            index.fresh, index.main.lists, index.spans, 1, kind_row, bits_row, index.counters,
            index.left,
        )  # fmt: skip
        count = settle(index.fresh, survivors, kind_row, bits_row, index, out, count)
    index.counters[SATISFIED] += count
    index.counters[EVENTS] += 1
    return count


@njit(cache=True, nogil=True)
def probe_batch(index, kind, bits, begin, offsets, found, out):
    """Probe events from `begin` on; return the first whose filters do not fit into `found`.

    Those are in `out` then, and its offset counts them.
    """
    used = offsets[begin]
    for event in range(begin, kind.shape[0]):
        count = probe(index, kind[event], bits[event], out)
        offsets[event + 1] = used + count
        if used + count > found.shape[0]:
            return event
        for i in range(count):
            found[used + i] = out[i]
        used += count
    return kind.shape[0]
