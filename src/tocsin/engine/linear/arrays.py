"""The arrays that the linear kernels read and write."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
UInt8Array = npt.NDArray[np.uint8]

NEXT: Final = 0
FIRST: Final = 1
GATED: Final = 2
ANY: Final = 3
"""How the instances of a group wait: `,`, `->`, `->{…}`, `;`."""

NONE: Final = -1

UNTIL: Final = -2
"""In the place of a move: the event ends what waits, and is not taken."""

LAST_EVENT: Final = 0
FIRST_EVENT: Final = -1
SPAN: Final = -2
"""Which event of an atom a reference means; a number above 0 is the repetition with that number.

`SPAN` means no event but the time from the begin of the match to the end of the current event.
"""


class Plan(NamedTuple):
    """The machines: what a partial match waits for, and what it leads to.

    A *group* is what instances of one node wait for together: its moves, joined by the same link
    and gate. Names say content and index; `first_…_of_…` has one entry more than its index.
    """

    kind_of_group: UInt8Array
    gate_of_group: Int32Array
    gate_guard_of_group: Int32Array
    key_of_group: Int32Array
    span_us_of_group: Int64Array
    span_events_of_group: Int64Array
    first_move_of_group: Int32Array
    filter_of_move: Int32Array
    guard_of_move: Int32Array
    until_of_move: Int32Array
    leaf_of_move: Int32Array
    target_of_move: Int32Array
    guard_of_node: Int32Array
    loop_of_node: Int32Array
    first_group_of_node: Int32Array
    first_accept_of_node: Int32Array
    subscription_of_accept: Int32Array
    guard_of_accept: Int32Array
    span_us_of_accept: Int64Array
    span_events_of_accept: Int64Array
    first_start_of_filter: Int32Array
    start_moves: Int32Array
    first_wait_of_filter: Int32Array
    waiting_groups: Int32Array
    waiting_moves: Int32Array


class Guards(NamedTuple):
    """Conditions that look at the match: a program, and the references it reads.

    Before a program runs, each reference is put into its slot of the scratch row.
    """

    start_of_guard: Int32Array
    end_of_guard: Int32Array
    first_reference_of_guard: Int32Array
    leaf_of_reference: Int32Array
    which_of_reference: Int32Array
    attribute_of_reference: Int32Array
    slot_of_reference: Int32Array
    attribute_of_key: Int32Array
    leaf_of_key: Int32Array
    which_of_key: Int32Array
    own_attribute_of_key: Int32Array


class Instances(NamedTuple):
    """Partial matches, each waiting in one group; `next` and `before` link those of one bucket."""

    group: Int32Array
    link: Int32Array
    key_kind: UInt8Array
    key_bits: Int64Array
    next: Int32Array
    before: Int32Array
    head_of_bucket: Int32Array
    live_in_group: Int32Array


class Links(NamedTuple):
    """Provenance: what each partial match has taken, newest first."""

    parent: Int32Array
    kept: Int32Array
    leaf: Int32Array
    begin_us: Int64Array
    end_us: Int64Array
    first_position: Int64Array


class Kept(NamedTuple):
    """The events that links point to: their cells, and where they came in the input."""

    kind: UInt8Array
    bits: Int64Array
    position: Int64Array
    row: Int64Array


class Work(NamedTuple):
    """Room to work in: what one event takes, what is over, and the scratch row of guards."""

    taken_instance: Int32Array
    taken_move: Int32Array
    over: Int32Array
    stamp: Int64Array
    row_kind: UInt8Array
    row_bits: Int64Array
    out_subscription: Int32Array
    out_link: Int32Array
    out_event: Int32Array
    counters: Int64Array


# Places in `counters`: sizes of the pools, ends of the free lists, and what is told to users.
POSITION: Final = 0
LIVE: Final = 1
FREE: Final = 2
USED: Final = 3
LINKS: Final = 4
KEPT: Final = 5
OUT: Final = 6
TAKEN: Final = 7
OVER: Final = 8
NEXT_FIRST: Final = 9
TOUCHED: Final = 10
ROW: Final = 11
COUNTERS: Final = 16
