# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""Building a segment: choose access paths, sort by key, lay out the entries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.hashing import hash_key
from tocsin.engine.index.kernels import kernel
from tocsin.engine.index.lanes import build_lanes
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT, COUNT_SHIFT, WORDS
from tocsin.engine.index.measures import AttributeOrder, Strategy
from tocsin.engine.index.paths import (
    BY_TEXT,
    CHOICES,
    PAIR,
    RANGE,
    SCAN,
    SINGLE,
    TEXT_KIND,
    Members,
    Paths,
    choose_lightest,
    pair_up,
    write_keys,
)
from tocsin.engine.index.searches import choose_searches
from tocsin.engine.index.segment import Parts, Segment, empty_segment, pack
from tocsin.engine.index.statistics import Statistics

_FILTERS_BY_HASH = (SINGLE, PAIR, CHOICES, BY_TEXT)


class _Keys(NamedTuple):
    """Keys in order, whose they are, and where each distinct one begins."""

    rows: Int64Array
    owner: Int64Array
    first: Int64Array


@kernel
def write_entries(order, numbers, paths, members, keep_all, words, begins):
    """Write the entries of conjunctions in an order, the cheapest and most selective check first.

    What found the conjunction is not checked again, unless `keep_all`, and then as the last.
    Returns the end.
    """
    end = begins[0]
    for i in range(order.shape[0]):
        begins[i] = end
        conjunction = order[i]
        left = 0
        for j in range(members.first[conjunction], members.first[conjunction + 1]):
            literal = members.literal[j]
            found_by = literal == paths.one[conjunction] or literal == paths.two[conjunction]
            if keep_all or not found_by:
                place = end + 1 + WORDS * left
                while (
                    place > end + 1
                    and not found_by
                    and (
                        words[place - WORDS] == paths.one[conjunction]
                        or members.weight[words[place - WORDS]] > members.weight[literal]
                    )
                ):
                    words[place] = words[place - WORDS]
                    place -= WORDS
                words[place] = literal
                left += 1
        words[end] = numbers[conjunction] | (np.int64(left) << COUNT_SHIFT)
        for k in range(left):
            place = end + 1 + WORDS * k
            literal = words[place]
            for w in range(WORDS):
                words[place + w] = members.rows[literal, w]
        end += 1 + WORDS * left
    return end


@kernel
def fill_slots(buckets, count, slots):
    """Put the buckets into the hash table."""
    mask = slots.shape[0] - 1
    for i in range(count):
        key = hash_key(buckets[i, 0], buckets[i, 1], buckets[i, 2])
        place = key & mask
        while slots[place] >= 0:
            place = (place + 1) & mask
        slots[place] = (key << 32) | i


def build_segment(
    numbers: Int32Array,
    members: Members,
    choices: Int64Array,
    statistics: Statistics,
    strategy: Strategy,
) -> Segment:
    """Lay out conjunctions; `members` has their literals in the order of `numbers`."""
    if len(numbers) == 0:
        return empty_segment()
    if strategy.attributes is AttributeOrder.ADAPTIVE:
        paths = choose_searches(members, statistics, hashing=strategy.hashing)
    else:
        paths = choose_lightest(members, hashing=strategy.hashing)
    if strategy.hashing:
        pair_up(members, paths, statistics)
    keys = _keys(paths, members, choices)
    ranged = np.flatnonzero(paths.sort == RANGE)
    order = np.concatenate([keys.owner, ranged, np.flatnonzero(paths.sort == SCAN)])
    counts = np.diff(members.first)[order]
    words = np.zeros(int(len(order) + WORDS * counts.sum()) + WORDS + 1, np.int64)
    begins, ends = _lay_out(order, numbers, paths, members, words)
    hashed, in_lanes = len(keys.owner), len(keys.owner) + len(ranged)
    buckets = np.zeros((len(keys.first) + 1, 4), np.int64)
    buckets[:-1, :3] = keys.rows[keys.first]
    buckets[:-1, 3], buckets[-1, 3] = begins[keys.first], ends[0]
    slots = np.full(2 << len(keys.first).bit_length(), -1, np.int64)
    fill_slots(buckets, len(keys.first), slots)
    lanes = build_lanes(
        members.rows[paths.one[ranged]], begins[hashed:in_lanes], statistics, strategy
    )
    tested = members.rows[paths.one[paths.sort == BY_TEXT]]
    texts = np.unique(np.column_stack([tested[:, 0] >> ATTRIBUTE_SHIFT, tested[:, 2]]), axis=0)
    singles, leads, first, others = _directory(buckets[:-1, 0])
    return pack(Parts(
        words[: ends[2]].copy(), slots, buckets, singles, leads, first, others,
        texts.astype(np.int32), *lanes, scan=np.array([*ends[1:], len(order)], np.int64),
    ))  # fmt: skip


def _keys(paths: Paths, members: Members, choices: Int64Array) -> _Keys:
    plain = np.isin(paths.sort, (SINGLE, PAIR, BY_TEXT)).sum()
    chosen = members.rows[paths.one[paths.sort == CHOICES]]
    total = int(plain + (chosen[:, 2] - chosen[:, 1]).sum())
    rows, owner = np.zeros((total, 3), np.int64), np.zeros(total, np.int64)
    write_keys(paths, members, choices, rows, owner)
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
    rows, owner = rows[order], owner[order]
    is_first = np.ones(total, np.bool_)
    is_first[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return _Keys(rows, owner, np.flatnonzero(is_first))


def _lay_out(
    order: Int64Array, numbers: Int32Array, paths: Paths, members: Members, words: Int64Array
) -> tuple[Int64Array, list[int]]:
    """Write all entries; return where each begins, and the ends of the three parts."""
    begins = np.zeros(len(order) + 1, np.int64)
    sorts = paths.sort[order]
    hashed = int(np.isin(sorts, _FILTERS_BY_HASH).sum())
    ranged = hashed + int((sorts == RANGE).sum())
    ends: list[int] = []
    end = 0
    for start, stop, keep_all in ((0, hashed, False), (hashed, ranged, True), (ranged, None, True)):
        part = begins[start : len(order) if stop is None else stop]
        if len(part):
            part[0] = end
            chosen = order[start:stop]
            end = int(write_entries(chosen, numbers, paths, members, keep_all, words, part))
        ends.append(end)
    return begins[:-1], ends


def _directory(heads: Int64Array) -> tuple[Int32Array, Int32Array, Int32Array, Int32Array]:
    """Return which attributes and pairs of attributes have keys."""
    kinds, attributes, others = heads & 15, heads >> 8 & 0xFFFFFF, (heads >> 32) - 1
    singles = np.unique(attributes[(others < 0) & (kinds != TEXT_KIND)])
    pairs = np.unique(attributes[others >= 0] << 32 | others[others >= 0])
    leads, first = np.unique(pairs >> 32, return_index=True)
    first = np.append(first, len(pairs))
    seconds = pairs & 0xFFFFFFFF
    return (
        singles.astype(np.int32), leads.astype(np.int32), first.astype(np.int32),
        seconds.astype(np.int32),
    )  # fmt: skip
