# mypy: disable-error-code="no-untyped-def"
"""Matches that begin and end in one batch: looking ahead finds them whole.

Their events need not be processed for that, and nothing is remembered of them. An event that must
be processed all the same, as something that it begins waits behind the batch, begins all it can.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin.engine.linear.arrays import (
    NONE,
    TERMS_EVENTS,
    TERMS_US,
    Events,
    Int32Array,
    Int64Array,
    Kept,
    Plan,
    UInt8Array,
)
from tocsin.engine.linear.chains import Chains
from tocsin.engine.linear.found import Found
from tocsin.engine.linear.kernels import inlined, kernel


class _Told(NamedTuple):
    """Room for matches, and the places of their events in the batch, oldest first."""

    event: Int32Array
    subscription: Int32Array
    first: Int64Array
    place: Int32Array
    leaf: Int32Array


def found_ahead(
    events: Events,
    previous: Int32Array,
    begins: UInt8Array,
    completed: Int64Array,
    chains: Chains,
    plan: Plan,
) -> Found:
    """Return the matches that are found ahead, by the events that complete them.

    Parameters
    ----------
    previous
        By event, the place of the one before it that has its key.
    begins
        By event, whether it is processed, and begins all that it can.
    completed
        By event, the set of nodes that it reaches and at which a match may be complete.
    """
    places = np.flatnonzero(completed)
    most = int(np.bitwise_count(completed[places]).sum()) * max(plan.accepts_of_node.longest, 1)
    told = _Told(
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.zeros(most + 1, np.int64),
        np.empty(most * chains.leaves.shape[1], np.int32),
        np.empty(most * chains.leaves.shape[1], np.int32),
    )
    size = _tell(places, completed, events, previous, begins, chains, plan, told)
    entries = int(told.first[size])
    rows, kept_row = np.empty(entries, np.int64), np.empty(entries, np.int32)
    number = np.full(len(previous), NONE, np.int32)
    rows = rows[: _number(told.place[:entries], number, rows, kept_row)]
    return Found(
        told.event[:size],
        told.subscription[:size],
        told.first[: size + 1],
        kept_row,
        told.leaf[:entries],
        _kept(events, rows),
    )


def _kept(events: Events, rows: Int64Array) -> Kept:
    """Return some events as partial matches keep them."""
    kinds, bits, own_rows, steps, positions, _ = events
    where = np.stack([positions[rows], own_rows[rows], steps[rows]], axis=1)
    return Kept(kinds[rows], bits[rows], where)


@inlined
def _walk(place, node, at, bits, previous, chains, told):
    """Write the events and atoms of a match; return its first event, its begin and its end."""
    begin_us, end_us = bits[place, 1], bits[place, 2]
    for step in range(chains.depths[node] - 1, -1, -1):
        told.place[at + step], told.leaf[at + step] = place, chains.leaves[node, step]
        begin_us, end_us = min(begin_us, bits[place, 1]), max(end_us, bits[place, 2])
        first, place = place, previous[place]
    return first, begin_us, end_us


@inlined
def _accept(node, size, place, first, span_us, positions, chains, plan, told):
    """Write the match at the end of those that are told, for all whose terms it keeps."""
    span = plan.accepts_of_node.spans[chains.moves[node]]
    depth, at = chains.depths[node], told.first[size]
    for i in range(span[0], span[0] + span[1]):
        subscription, terms = (
            plan.accepts_of_node.items[i, 0],
            plan.accepts_of_node.items[i, 1],
        )
        if (
            positions[first] < plan.made[subscription]
            or span_us > plan.terms[terms, TERMS_US]
            or positions[place] - positions[first] >= plan.terms[terms, TERMS_EVENTS]
        ):
            continue
        begin = told.first[size]
        if begin != at:
            for step in range(depth):
                told.place[begin + step] = told.place[at + step]
                told.leaf[begin + step] = told.leaf[at + step]
        told.event[size], told.subscription[size] = place, subscription
        size += 1
        told.first[size] = begin + depth
    return size


@kernel
def _tell(places, completed, events, previous, begins, chains, plan, told):
    """Write all matches; return how many there are."""
    bits, positions = events[1], events[4]
    size = 0
    for i in range(places.shape[0]):
        place, node = places[i], 0
        nodes = completed[place]
        while nodes != 0:
            if nodes & 1:
                at = told.first[size]
                first, begin_us, end_us = _walk(place, node, at, bits, previous, chains, told)
                if begins[first] == 0:
                    span_us = end_us - begin_us
                    size = _accept(node, size, place, first, span_us, positions, chains, plan, told)
            nodes >>= 1
            node += 1
    return size


@kernel
def _number(places, number, rows, kept_row):
    """Number the events of matches; write which each number is, and return how many there are."""
    count = 0
    for i in range(places.shape[0]):
        place = places[i]
        if number[place] < 0:
            number[place] = count
            rows[count] = place
            count += 1
        kept_row[i] = number[place]
    return count
