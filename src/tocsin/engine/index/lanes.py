"""The lanes of a segment: ranges grouped by attribute, each with its order of trial."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT
from tocsin.engine.index.measures import Strategy, order_values
from tocsin.engine.index.paths import lane_kind
from tocsin.engine.index.ranges import Lane, build_lane
from tocsin.engine.index.segment import LANE_WIDTH
from tocsin.engine.index.statistics import Statistics


class Lanes(NamedTuple):
    """The arrays of a segment that serve ranges."""

    lanes: Int64Array
    cuts: Int64Array
    first_of_node: Int32Array
    entry_of_node: Int32Array
    order: Int32Array


def build_lanes(
    rows: Int64Array, entries: Int64Array, statistics: Statistics, strategy: Strategy
) -> Lanes:
    """Build the lanes of range literals; `entries` says where each one's entry begins."""
    places = rows[:, 0] >> ATTRIBUTE_SHIFT
    kinds = np.array([lane_kind(head) for head in rows[:, 0]], np.int64)
    groups, group_of = np.unique(places << 8 | kinds, return_inverse=True)
    table = np.zeros((len(groups), LANE_WIDTH), np.int64)
    built: list[Lane] = []
    orders: list[Int32Array] = [np.zeros(0, np.int32)]
    ends = np.zeros(4, np.int64)  # of cuts, nodes, node entries and orders
    for i, group in enumerate(groups.tolist()):
        chosen = np.flatnonzero(group_of == i)
        low, high = rows[chosen, 1], rows[chosen, 2]
        high = np.maximum(low, high)  # an empty range is found and then refused
        lane = build_lane(low, high, entries[chosen].astype(np.int32))
        share = statistics.histogram(group >> 8, group & 255, lane.cuts)
        order, steps = order_values(strategy.values, share, lane.cover.astype(np.float64))
        table[i] = (
            group >> 8, group & 255, ends[0], ends[1], ends[3], len(lane.cuts), lane.leaves, steps,
        )  # fmt: skip
        built.append(lane._replace(first_of_node=lane.first_of_node + np.int32(ends[2])))
        orders.append(order)
        ends += (
            len(lane.cuts), len(lane.first_of_node), len(lane.entry_of_node), len(order),
        )  # fmt: skip
    return Lanes(
        table,
        np.concatenate([np.zeros(0, np.int64), *(lane.cuts for lane in built)]),
        np.concatenate([np.zeros(1, np.int32)[:0], *(lane.first_of_node for lane in built)]),
        np.concatenate([np.zeros(0, np.int32), *(lane.entry_of_node for lane in built)]),
        np.concatenate(orders),
    )
