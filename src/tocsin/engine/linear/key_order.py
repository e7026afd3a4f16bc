# mypy: disable-error-code="no-untyped-def"
"""The order in which the events of a batch are processed where all that waits has one key.

Where whatever waits is found by one key, events of different keys do not know of each other. Those
of a key may then come together, before those of the next: what is remembered of a key is fetched
into the processor's cache once for a batch, and not again for each of its events.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin.engine.columns import Batch
from tocsin.engine.columns.cells import canonical
from tocsin.engine.index.hashing import mix
from tocsin.engine.index.prefetch import fetch
from tocsin.engine.linear.arrays import NONE, Int32Array, Int64Array
from tocsin.engine.linear.evaluation import Events
from tocsin.engine.linear.kernels import kernel
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.recipe import START

_BUCKETS = 1 << 16
_AHEAD = 16  # rows that are asked for before they are copied


def common_key(tables: PlanTables, keys: Int32Array) -> int:
    """Return the attribute by which everything that waits is found, NONE where there is none.

    What waits for the very next event of all is found by no key.

    Parameters
    ----------
    keys
        Those of the guards.
    """
    groups = np.unique(tables.moves["group"][: tables.moves.size])
    groups = groups[groups != NONE]
    groups = groups[tables.groups["kind"][groups] != START]
    key = tables.groups["key"][groups]
    if len(key) == 0 or (key == NONE).any():
        return NONE
    attributes = keys[key][:, [0, 3]]  # of the event, and of the match
    attribute = int(attributes[0, 0])
    return attribute if (attributes == attribute).all() else NONE


def order_by_key(batch: Batch, attribute: int) -> Int64Array:
    """Return the events of a batch so that those with an equal attribute come together.

    Those of a key keep their order.
    """
    buckets = np.zeros(batch.size, np.uint16)
    if attribute < batch.kind.shape[1]:
        _write_buckets(batch.kind, batch.bits, attribute, buckets)
    return np.argsort(buckets, kind="stable")


@kernel
def _write_buckets(kinds, bits, attribute, buckets):
    for event in range(kinds.shape[0]):
        kind, own = canonical(kinds[event, attribute], bits[event, attribute])
        buckets[event] = mix(mix(np.int64(1), kind), own) & (_BUCKETS - 1)


def arranged(events: Events, order: Int64Array) -> Events:
    """Return events in an order."""
    found: Any = tuple(map(np.empty_like, events))
    _arrange(order, events, found)
    return found  # type: ignore[no-any-return]


@kernel
def _arrange(order, events, found):
    kinds, bits, rows, steps, positions = events
    for place in range(order.shape[0]):
        if place + _AHEAD < order.shape[0]:
            soon = order[place + _AHEAD]
            fetch(kinds, soon)
            fetch(bits, soon)
            fetch(rows, soon)
            fetch(steps, soon)
            fetch(positions, soon)
        event = order[place]
        for attribute in range(kinds.shape[1]):
            found[0][place, attribute] = kinds[event, attribute]
            found[1][place, attribute] = bits[event, attribute]
        found[2][place] = rows[event]
        found[3][place] = steps[event]
        found[4][place] = positions[event]
