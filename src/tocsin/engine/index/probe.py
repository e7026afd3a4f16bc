# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""The filters that one event satisfies: candidates first, then verification."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.candidates import by_pair, by_range, by_single, by_text
from tocsin.engine.index.counters import EVENTS, LITERALS, SATISFIED
from tocsin.engine.index.kernels import inlined, kernel
from tocsin.engine.index.layout import COUNT_SHIFT, WORDS
from tocsin.engine.index.owners import Owners
from tocsin.engine.index.pools import Pools
from tocsin.engine.index.segment import (
    ENTRY_COUNT,
    LANE_COUNT,
    SCAN_BEGIN,
    SCAN_END,
    TEXT_COUNT,
    Segment,
)
from tocsin.engine.index.sift import sift
from tocsin.engine.index.verify import holds

_LOW = 0xFFFFFFFF


class IndexArrays(NamedTuple):
    """All that `probe` reads and writes; valid until the index changes.

    `spans` and `left` are room for the candidates and the survivors of one segment; `fresh_end`
    is where the fresh entries end; `everyone` has no entries: each filter is awaited.
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
    everyone: npt.NDArray[np.uint8]


@kernel
def settle(words, survivors, is_once, kind_row, bits_row, index, awaited, out, count):
    """Check what is left of the survivors; append the awaited filters of those that hold.

    `is_once` says that no entry is among the survivors twice: then most filters need no stamp.
    """
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
        conjunction = words[entry] & _LOW
        owner = owners.sole_owner[conjunction]
        if is_once and owner >= 0:  # it was awaited, or it would not have been picked
            out[count] = owner
            count += 1
            continue
        link = owners.first_link[conjunction]
        while link >= 0:
            owner = owners.links[link, 0]
            wanted = awaited.shape[0] == 0 or awaited[owner] != 0
            if wanted and owners.stamp[owner] != now:
                owners.stamp[owner] = now
                out[count] = owner
                count += 1
            link = owners.links[link, 1]
    return count


@kernel
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


@inlined
def verify(words, lists, found, is_once, kind_row, bits_row, index, awaited, out, count):
    """Verify the candidates in the spans found; append the filters of those that hold."""
    survivors = sift(
        words, lists, index.spans, found, kind_row, bits_row, index.owners, awaited,
        index.counters, index.left,
    )  # fmt: skip
    if survivors > 0:
        count = settle(words, survivors, is_once, kind_row, bits_row, index, awaited, out, count)
    return count


@inlined
def probe_segment(segment, kind_row, bits_row, index, awaited, out, count):
    """Append the filters that an event satisfies by the conjunctions of a segment."""
    table, lists = segment.table, segment.lists
    found = find_spans(table, lists, kind_row, bits_row, index.counters, index.spans)
    if table[TEXT_COUNT] > 0:
        found = by_text(table, lists, kind_row, bits_row, index.pools, index.spans, found)
    if found > 0:
        # A float between two integers finds the ranges around both, some of them twice.
        is_once = table[LANE_COUNT] == 0
        count = verify(
            segment.words, lists, found, is_once, kind_row, bits_row, index, awaited, out, count
        )
    return count


@inlined
def probe_awaited(index, kind_row, bits_row, awaited, out):
    """Write the awaited filters that one event satisfies to `out`, each once; return how many.

    `awaited` says by filter whether somebody waits for it (any number but 0); a candidate that
    nobody waits for is skipped. Without entries it means: everyone. `out` needs room for all
    filters.
    """
    index.pools.now[0] += 1
    count = 0
    if index.main.table[ENTRY_COUNT] > 0:
        count = probe_segment(index.main, kind_row, bits_row, index, awaited, out, count)
    if index.delta.table[ENTRY_COUNT] > 0:
        count = probe_segment(index.delta, kind_row, bits_row, index, awaited, out, count)
    if index.fresh_end[0] > 0:
        index.spans[0, 0] = 0
        index.spans[0, 1] = index.fresh_end[0]
        count = verify(
            index.fresh, index.main.lists, 1, True, kind_row, bits_row, index, awaited, out, count
        )
    index.counters[SATISFIED] += count
    index.counters[EVENTS] += 1
    return count


@inlined
def probe(index, kind_row, bits_row, out):
    """Write the filters that one event satisfies to `out`, each once; return how many."""
    return probe_awaited(index, kind_row, bits_row, index.everyone, out)


@kernel
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
