"""Matches that begin and end in one batch: looking ahead finds them whole.

Their events need not be processed for that, and nothing is remembered of them. An event that must
be processed all the same, as something that it begins waits behind the batch, begins all it can.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.linear.arrays import (
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
from tocsin.engine.linear.found import Found, by_event
from tocsin.engine.linear.key_order import copied
from tocsin.model.values import INTEGER_MAX

_BEGIN, _END = 1, 2  # attributes of every event


class _Complete(NamedTuple):
    """Matches of as many events each: who matches, the places of the events, and their atoms."""

    subscription: Int32Array
    places: Int32Array
    leaf: Int32Array


def found_ahead(
    events: Events,
    previous: Int32Array,
    begins: UInt8Array,
    completed: tuple[Int32Array, Int64Array],
    chains: Chains,
    plan: Plan,
) -> Found | None:
    """Return the matches that are found ahead, by the events that complete them, if there are any.

    Parameters
    ----------
    previous
        By event, the place of the one before it that has its key.
    begins
        By event, whether it is processed, and begins all that it can.
    completed
        The events that reach nodes at which a match may be complete, and the sets of these.
    """
    at, sets = completed
    parts: list[_Complete] = []
    for node in range(len(chains.depths)):
        own = at[(sets >> node & 1).astype(np.bool_)]
        if len(own):
            places = _ways(own, int(chains.depths[node]), previous)
            places = places[begins[places[:, 0]] == 0]
            parts += _accepted(places, node, events, chains, plan)
    return _found(parts, events) if parts else None


def _ways(at: Int32Array, depth: int, previous: Int32Array) -> Int32Array:
    """Return the places of so many events of a key, those of each way in a row, `at` the last."""
    places = np.empty((depth, len(at)), np.int32)
    places[-1] = at
    for step in range(depth - 1, 0, -1):
        places[step - 1] = previous[places[step]]
    return np.ascontiguousarray(places.T)


def _accepted(
    places: Int32Array, node: int, events: Events, chains: Chains, plan: Plan
) -> Iterator[_Complete]:
    """Yield the matches at a node that keep the terms of those who are told."""
    begin, count = plan.accepts_of_node.spans[chains.moves[node]].tolist()
    accepts = plan.accepts_of_node.items[begin : begin + count, :2]
    made = plan.made[accepts[:, 0]]
    alike, which = np.unique(np.stack([accepts[:, 1], made], axis=1), axis=0, return_inverse=True)
    for number, (terms, since) in enumerate(alike.tolist()):
        own = accepts[which == number, 0]
        kept = places[_keeps(places, plan.terms[terms], since, events)]
        if len(kept):
            yield _Complete(
                np.tile(own, len(kept)),
                np.repeat(kept, len(own), axis=0),
                chains.leaves[node, : places.shape[1]],
            )


def _keeps(
    places: Int32Array, terms: Int64Array, since: int, events: Events
) -> npt.NDArray[np.bool_] | slice:
    """Return which matches keep terms, and have no event from before a subscription was made."""
    bits, positions = events[1], events[4]
    span_us, span_events = int(terms[TERMS_US]), int(terms[TERMS_EVENTS])
    first, last = int(positions[0]), int(positions[-1])
    if since <= first and span_events > last - first and span_us == INTEGER_MAX:
        return slice(None)
    begins, ends = (bits[places, time] for time in (_BEGIN, _END))
    first_position = positions[places[:, 0]]
    kept: npt.NDArray[np.bool_] = first_position >= since
    kept &= positions[places[:, -1]] - first_position < span_events
    kept &= ends.max(axis=1) - begins.min(axis=1) <= span_us
    return kept


def _found(parts: list[_Complete], events: Events) -> Found:
    """Return matches by the events that complete them, with the events that they hold."""
    every = np.concatenate([part.places.ravel() for part in parts])
    is_held = np.zeros(len(events[0]), np.bool_)
    is_held[every] = True
    rows = np.flatnonzero(is_held)
    number = np.empty(len(is_held), np.int32)
    number[rows] = np.arange(len(rows), dtype=np.int32)
    lengths = np.concatenate([np.full(len(one.places), one.places.shape[1]) for one in parts])
    found = Found(
        np.concatenate([part.places[:, -1] for part in parts]),
        np.concatenate([part.subscription for part in parts]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        number[every],
        np.concatenate([np.tile(part.leaf, len(part.places)) for part in parts]),
        _kept(events, rows),
    )
    return found if len(parts) == 1 else by_event(found)


def _kept(events: Events, rows: Int64Array) -> Kept:
    """Return some events as partial matches keep them."""
    kinds, bits, own_rows, steps, positions = copied(events, rows)
    return Kept(kinds, bits, np.stack([positions, own_rows, steps], axis=1))
