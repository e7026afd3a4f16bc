"""A segment: conjunctions laid out for search. The index has a large one and a small one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array


class Parts(NamedTuple):
    """The parts of a segment before they are packed.

    Attributes
    ----------
    words
        Entries: a word with the conjunction and the number of literals left to check, then those.
    slots, buckets
        A hash table of keys. A slot holds hash and bucket; a bucket its three words and where its
        entries begin (they end where those of the next begin).
    singles
        The attributes that equalities are found by.
    pair_leads, pair_first, pair_others
        Pairs of attributes that equalities are found by: the others of each leading one.
    text_lanes
        Attribute and lane of the tests of strings that entries are found by.
    lanes
        Ranges, a lane for each attribute and sort of limit: attribute, kind, where its cuts, nodes
        and order begin, how many cuts, how many leaves, how many steps in order.
    cuts, first_of_node, entry_of_node
        Where elementary intervals begin, and a tree over them: the entries of a node hold on all
        elementary intervals below it.
    order
        Elementary intervals in the order in which they are tried before binary search.
    scan
        Begin and end of the entries that nothing finds, which are checked for every event, and
        how many entries there are in all.
    """

    words: Int64Array
    slots: Int64Array
    buckets: Int64Array
    singles: Int32Array
    pair_leads: Int32Array
    pair_first: Int32Array
    pair_others: Int32Array
    text_lanes: Int32Array
    lanes: Int64Array
    cuts: Int64Array
    first_of_node: Int32Array
    entry_of_node: Int32Array
    order: Int32Array
    scan: Int64Array


class Segment(NamedTuple):
    """A segment as kernels read it: three arrays, since each one costs on every call.

    `table` begins with where its own parts and those of `lists` begin: see the names below.
    """

    words: Int64Array
    table: Int64Array
    lists: Int32Array

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return sum(array.nbytes for array in self)

    def count(self, place: int) -> int:
        """Return a number from the head of the table."""
        return int(self.table[place])


SLOTS, SLOT_COUNT, BUCKETS, BUCKET_COUNT, LANES, LANE_COUNT, CUTS = 0, 1, 2, 3, 4, 5, 6
SINGLES, SINGLE_COUNT, LEADS, LEAD_COUNT, PAIR_FIRST, PAIR_OTHERS = 7, 8, 9, 10, 11, 12
TEXTS, TEXT_COUNT, NODES, NODE_ENTRIES, ORDER = 13, 14, 15, 16, 17
SCAN_BEGIN, SCAN_END, PAIR_COUNT, ENTRY_COUNT, HEAD = 18, 19, 20, 21, 24
BUCKET_WIDTH = 4

LANE_ATTRIBUTE, LANE_KIND, LANE_CUTS, LANE_NODES, LANE_ORDER = 0, 1, 2, 3, 4
LANE_CUT_COUNT, LANE_LEAVES, LANE_STEPS, LANE_WIDTH = 5, 6, 7, 8


def pack(parts: Parts) -> Segment:
    """Pack the parts of a segment into three arrays."""
    head = np.zeros(HEAD, np.int64)
    wide = (parts.slots, parts.buckets.ravel(), parts.lanes.ravel(), parts.cuts)
    narrow = (
        parts.singles, parts.pair_leads, parts.pair_first, parts.pair_others,
        parts.text_lanes.ravel(), parts.first_of_node, parts.entry_of_node, parts.order,
    )  # fmt: skip
    head[[SLOTS, BUCKETS, LANES, CUTS]] = HEAD + _begins(wide)
    places = [SINGLES, LEADS, PAIR_FIRST, PAIR_OTHERS, TEXTS, NODES, NODE_ENTRIES, ORDER]
    head[places] = _begins(narrow)
    head[SLOT_COUNT], head[BUCKET_COUNT] = len(parts.slots), len(parts.buckets) - 1
    head[LANE_COUNT], head[SINGLE_COUNT] = len(parts.lanes), len(parts.singles)
    head[LEAD_COUNT], head[TEXT_COUNT] = len(parts.pair_leads), len(parts.text_lanes)
    head[PAIR_COUNT] = len(parts.pair_others)
    head[SCAN_BEGIN], head[SCAN_END], head[ENTRY_COUNT] = parts.scan
    return Segment(parts.words, np.concatenate([head, *wide]), np.concatenate(narrow))


def _begins(arrays: tuple[npt.NDArray[Any], ...]) -> Int64Array:
    """Return where each of several arrays begins when they lie end to end."""
    lengths = np.array([len(array) for array in arrays], np.int64)
    return np.cumsum(lengths) - lengths


def room_of(segment: Segment) -> int:
    """Return how many spans one event can find at most: a lane has two paths to its root."""
    keys = segment.count(SINGLE_COUNT) + segment.count(PAIR_COUNT)
    tests = segment.count(BUCKET_COUNT) if segment.count(TEXT_COUNT) else 0
    return keys + tests + 2 * 64 * segment.count(LANE_COUNT) + 1


def empty_segment() -> Segment:
    """Return a segment without entries."""
    none = np.zeros(0, np.int32)
    return pack(
        Parts(
            words=np.zeros(1, np.int64),
            slots=np.full(2, -1, np.int64),
            buckets=np.zeros((1, 4), np.int64),
            singles=none,
            pair_leads=none,
            pair_first=np.zeros(1, np.int32),
            pair_others=none,
            text_lanes=np.zeros((0, 2), np.int32),
            lanes=np.zeros((0, LANE_WIDTH), np.int64),
            cuts=np.zeros(0, np.int64),
            first_of_node=np.zeros(1, np.int32),
            entry_of_node=none,
            order=none,
            scan=np.zeros(3, np.int64),
        )
    )
