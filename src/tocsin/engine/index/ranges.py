# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""Ranges by elementary intervals: the cuts of one attribute, and a tree over what lies between.

An interval is stored at the few nodes that together cover its elementary intervals; an event walks
from its leaf to the root and finds exactly the intervals that hold its value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.kernels import kernel
from tocsin.model.values import INTEGER_MAX


class Lane(NamedTuple):
    """The ranges of one attribute: their cuts and the tree over them."""

    cuts: Int64Array
    leaves: int
    first_of_node: Int32Array
    entry_of_node: Int32Array
    cover: Int64Array
    """How many of the ranges hold on each elementary interval."""


@kernel
def _count_nodes(first, last, leaves, counts):
    for i in range(first.shape[0]):
        left, right = first[i] + leaves, last[i] + leaves + 1
        while left < right:
            if left & 1:
                counts[left + 1] += 1
                left += 1
            if right & 1:
                right -= 1
                counts[right + 1] += 1
            left >>= 1
            right >>= 1


@kernel
def _fill_nodes(first, last, leaves, ends, entries, filled):
    for i in range(first.shape[0]):
        left, right = first[i] + leaves, last[i] + leaves + 1
        while left < right:
            if left & 1:
                filled[ends[left]] = entries[i]
                ends[left] += 1
                left += 1
            if right & 1:
                right -= 1
                filled[ends[right]] = entries[i]
                ends[right] += 1
            left >>= 1
            right >>= 1


def cuts_of(low: Int64Array, high: Int64Array) -> Int64Array:
    """Return where the elementary intervals of closed intervals begin.

    Examples
    --------
    >>> cuts_of(np.array([1, 5]), np.array([5, 9])).tolist()
    [1, 5, 6, 10]
    """
    return np.unique(np.concatenate([low, high[high < INTEGER_MAX] + 1])).astype(np.int64)


def build_lane(low: Int64Array, high: Int64Array, entries: Int32Array) -> Lane:
    """Build the tree of closed intervals; `entries` says what is stored for each.

    Examples
    --------
    >>> lane = build_lane(np.array([1, 5]), np.array([5, 9]), np.array([70, 80], np.int32))
    >>> lane.cuts.tolist(), lane.cover.tolist()
    ([1, 5, 6, 10], [0, 1, 2, 1, 0])
    """
    cuts = cuts_of(low, high)
    first = np.searchsorted(cuts, low, "right")
    last = np.searchsorted(cuts, high, "right")
    leaves = 1 << len(cuts).bit_length()
    counts = np.zeros(2 * leaves + 1, np.int64)
    _count_nodes(first, last, leaves, counts)
    starts = np.cumsum(counts)
    filled = np.empty(int(starts[-1]), np.int32)
    _fill_nodes(first, last, leaves, starts[:-1].copy(), entries, filled)
    cover = np.zeros(len(cuts) + 2, np.int64)
    np.add.at(cover, first, 1)
    np.add.at(cover, last + 1, -1)
    return Lane(cuts, leaves, starts.astype(np.int32), filled, np.cumsum(cover)[:-1])
