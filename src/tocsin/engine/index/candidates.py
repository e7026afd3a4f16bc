# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913, SIM109 - kernels take up to ten arguments and compare one by one
"""Candidates: the spans of entries that an event finds by hash, range and text.

A span is a begin and an end among the words of the segment. A span of a node of ranges is among the
lists instead, and marked by a negative begin: its items are begins of entries.
"""

from __future__ import annotations

import math

import numpy as np

from tocsin.engine.columns.cells import INT_MAX, INT_MIN, TWO_63, canonical, float_of
from tocsin.engine.columns.kinds import FLOAT, INTEGER, MISSING, STRING
from tocsin.engine.index.counters import OPERATIONS
from tocsin.engine.index.hashing import hash_key
from tocsin.engine.index.kernels import kernel
from tocsin.engine.index.paths import TEXT_KIND, key_head
from tocsin.engine.index.segment import (
    BUCKET_WIDTH,
    BUCKETS,
    CUTS,
    LANE_ATTRIBUTE,
    LANE_COUNT,
    LANE_CUT_COUNT,
    LANE_CUTS,
    LANE_KIND,
    LANE_LEAVES,
    LANE_NODES,
    LANE_ORDER,
    LANE_STEPS,
    LANE_WIDTH,
    LANES,
    LEAD_COUNT,
    LEADS,
    NODE_ENTRIES,
    NODES,
    ORDER,
    PAIR_FIRST,
    PAIR_OTHERS,
    SINGLE_COUNT,
    SINGLES,
    SLOT_COUNT,
    SLOTS,
    TEXT_COUNT,
    TEXTS,
)
from tocsin.engine.index.verify import ordered_key

_LOW = 0xFFFFFFFF


@kernel
def add_bucket(table, head, first, second, spans, count):
    """Append the span of a key, if it is there."""
    key = hash_key(head, first, second)
    mask, slots = table[SLOT_COUNT] - 1, table[SLOTS]
    place = key & mask
    slot = table[slots + place]
    while slot >= 0:
        if slot >> 32 == key:
            row = table[BUCKETS] + BUCKET_WIDTH * (slot & _LOW)
            if table[row] == head and table[row + 1] == first and table[row + 2] == second:
                spans[count, 0] = table[row + 3]
                spans[count, 1] = table[row + BUCKET_WIDTH + 3]
                return count + 1
        place = (place + 1) & mask
        slot = table[slots + place]
    return count


@kernel
def by_single(table, lists, kind_row, bits_row, counters, spans):
    """Find by equalities of one attribute."""
    count = 0
    for i in range(table[SINGLES], table[SINGLES] + table[SINGLE_COUNT]):
        attribute = np.int64(lists[i])
        if kind_row[attribute] != MISSING:
            kind, bits = canonical(kind_row[attribute], bits_row[attribute])
            counters[OPERATIONS] += 1
            head = key_head(attribute, kind, -1, 0)
            count = add_bucket(table, head, bits, np.int64(0), spans, count)
    return count


@kernel
def by_pair(table, lists, kind_row, bits_row, counters, spans, count):
    """Find by equalities of two attributes."""
    for i in range(table[LEAD_COUNT]):
        attribute = np.int64(lists[table[LEADS] + i])
        if kind_row[attribute] == MISSING:
            continue
        kind, bits = canonical(kind_row[attribute], bits_row[attribute])
        place = table[PAIR_FIRST] + i
        for j in range(lists[place], lists[place + 1]):
            other = np.int64(lists[table[PAIR_OTHERS] + j])
            if kind_row[other] != MISSING:
                kind2, bits2 = canonical(kind_row[other], bits_row[other])
                counters[OPERATIONS] += 1
                head = key_head(attribute, kind, other, kind2)
                count = add_bucket(table, head, bits, bits2, spans, count)
    return count


@kernel
def by_text(table, lists, kind_row, bits_row, pools, spans, count):
    """Find by the tests that a string passes."""
    for i in range(table[TEXT_COUNT]):
        attribute = lists[table[TEXTS] + 2 * i]
        lane = np.int64(lists[table[TEXTS] + 2 * i + 1])
        if kind_row[attribute] != STRING:
            continue
        row = pools.row_of_code[lane, bits_row[attribute]]
        head = key_head(lane, np.int64(TEXT_KIND), -1, 0)
        for j in range(pools.first_of_row[row], pools.first_of_row[row + 1]):
            test = np.int64(pools.test_of_row[j])
            count = add_bucket(table, head, test, np.int64(0), spans, count)
    return count


@kernel
def locate(table, lists, lane, point, counters):
    """Return the elementary interval of a point: first by the order of trial, then by halves."""
    base, cuts = table[CUTS] + table[lane + LANE_CUTS], table[lane + LANE_CUT_COUNT]
    order = table[ORDER] + table[lane + LANE_ORDER]
    for i in range(order, order + table[lane + LANE_STEPS]):
        counters[OPERATIONS] += 1
        interval = np.int64(lists[i])
        if (interval == 0 or table[base + interval - 1] <= point) and (
            interval == cuts or point < table[base + interval]
        ):
            return interval
    low, high = np.int64(0), cuts
    while low < high:
        counters[OPERATIONS] += 1
        middle = (low + high) // 2
        if table[base + middle] <= point:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def add_nodes(table, lists, lane, point, counters, spans, count):
    """Append the nodes from the leaf of a point to the root."""
    interval = locate(table, lists, lane, point, counters)
    base = table[NODES] + table[lane + LANE_NODES]
    node = interval + table[lane + LANE_LEAVES]
    entries = table[NODE_ENTRIES]
    while node >= 1:
        start, end = lists[base + node], lists[base + node + 1]
        if start < end:
            spans[count, 0] = -1 - (entries + start)
            spans[count, 1] = entries + end
            count += 1
        node >>= 1
    return count


@kernel
def points_of(lane_kind, kind, bits):
    """Return the one or two points that a cell has among the cuts of a lane.

    A float between two integers has both as points: verification tells which limits it keeps.
    """
    if lane_kind == FLOAT:
        number = float_of(bits) if kind == FLOAT else np.float64(bits)
        point = ordered_key(number)
        return point, point
    if kind != FLOAT:
        return bits, bits
    number = float_of(bits)
    if number >= TWO_63:
        return INT_MAX, INT_MAX
    if number < -TWO_63:
        return INT_MIN, INT_MIN
    return np.int64(math.floor(number)), np.int64(math.ceil(number))


@kernel
def by_range(table, lists, kind_row, bits_row, counters, spans, count):
    """Find by ranges."""
    for i in range(table[LANE_COUNT]):
        lane = table[LANES] + LANE_WIDTH * i
        attribute, sort = table[lane + LANE_ATTRIBUTE], table[lane + LANE_KIND]
        kind = np.int64(kind_row[attribute])
        numbers = (kind == INTEGER or kind == FLOAT) and (sort == INTEGER or sort == FLOAT)
        if kind == MISSING or (kind != sort and not numbers):
            continue
        point, other = points_of(sort, kind, bits_row[attribute])
        count = add_nodes(table, lists, lane, point, counters, spans, count)
        if other != point:
            count = add_nodes(table, lists, lane, other, counters, spans, count)
    return count
