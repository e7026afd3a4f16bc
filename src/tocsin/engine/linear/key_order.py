# mypy: disable-error-code="no-untyped-def"
"""The order in which the events of a batch are processed where all that waits has one key.

Where whatever waits is found by one key, events of different keys do not know of each other. Those
of a key may then come together, before those of the next: what is remembered of a key is fetched
into the processor's cache once for a batch, and not again for each of its events.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.cells import canonical
from tocsin.engine.index.prefetch import fetch
from tocsin.engine.linear.arrays import NONE, Events, Int32Array, Int64Array, UInt8Array
from tocsin.engine.linear.kernels import kernel
from tocsin.engine.linear.key_buckets import bucket_of_key
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.recipe import START

UInt16Array: TypeAlias = npt.NDArray[np.uint16]

_AHEAD: Final = 16  # rows that are asked for before they are copied


def common_key(tables: PlanTables, keys: Int32Array) -> int:
    """Return the attribute by which everything that waits is found, NONE where there is none.

    What waits for the very next event of all is found by no key.

    Parameters
    ----------
    keys
        Those of the guards.
    """
    of_moves = tables.moves["group"][: tables.moves.size]
    is_used = np.zeros(tables.groups.size, np.bool_)
    is_used[of_moves[of_moves != NONE]] = True
    is_used &= tables.groups["kind"][: tables.groups.size] != START
    key = tables.groups["key"][: tables.groups.size][is_used]
    if len(key) == 0 or (key == NONE).any():
        return NONE
    attributes = keys[key][:, [0, 3]]  # of the event, and of the match
    attribute = int(attributes[0, 0])
    return attribute if (attributes == attribute).all() else NONE


class KeyOrder(NamedTuple):
    """Events of a batch in an order in which those of a key come together.

    Attributes
    ----------
    order
        Where they stand in the batch.
    bucket
        Of each one in this order that of its key; they grow.
    places
        Where each one stands among those that were to be ordered.
    """

    order: Int64Array
    bucket: UInt16Array
    places: Int64Array


def key_order(events: Events, attribute: int, some: Int64Array) -> KeyOrder:
    """Return the order of some events; those with an equal attribute keep theirs."""
    bucket = np.empty(len(some), np.uint16)
    _write_buckets(events[0], events[1], attribute, some, bucket)
    places = np.argsort(bucket, kind="stable")
    return KeyOrder(some[places], bucket[places], places)


class Arranged(NamedTuple):
    """Events of a batch, those of a key together, and how far they are done on the way.

    Attributes
    ----------
    order
        Where they stand in the batch.
    bucket
        Of each one in this order that of its key; they grow.
    events
        The events in this order.
    before, behind
        The time in microseconds and the position of the first event of the batch, and of what
        follows the last one.
    """

    order: Int64Array
    bucket: UInt16Array
    events: Events
    before: tuple[int, int]
    behind: tuple[int, int]


def arranged(events: Events, keys: KeyOrder, begins: UInt8Array, now_us: int) -> Arranged:
    """Return the events of a batch in an order, or some of them.

    Parameters
    ----------
    begins
        By event in this order, whether it may begin a match.
    now_us
        Where the clock stands before the batch.
    """
    _, bits, *_, positions, _ = events
    order = keys.order
    found = copied(events, order)
    before = max(now_us, int(bits[0, 2])), int(positions[0])
    behind = max(now_us, int(bits[-1, 2])), int(positions[-1]) + 1
    return Arranged(order, keys.bucket, (*found, begins), before, behind)


def copied(events: Events, order: Int64Array) -> Any:
    """Return some of the events in an order, all but which of them may begin something."""
    found: Any = tuple(np.empty((len(order), *one.shape[1:]), one.dtype) for one in events[:5])
    _arrange(order, events, found)
    return found


@kernel
def _write_buckets(kinds, bits, attribute, some, bucket):
    for i in range(some.shape[0]):
        kind, own = canonical(kinds[some[i], attribute], bits[some[i], attribute])
        bucket[i] = bucket_of_key(kind, own)


@kernel
def _arrange(order, events, found):
    kinds, bits, rows, steps, positions, _ = events
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
