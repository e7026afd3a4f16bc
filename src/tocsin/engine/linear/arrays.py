"""The arrays that the linear kernels read and write.

A table is one array with a row for each thing, so that all about a thing lies together; constants
name its columns. Few arrays also make kernels that compile quickly.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
UInt8Array = npt.NDArray[np.uint8]

Events: TypeAlias = tuple[UInt8Array, Int64Array, Int64Array, Int64Array, Int64Array, UInt8Array]
"""Cells (kinds, bits), rows of the input, steps of the course, positions in the stream, and which
events may begin a match; that is empty where all of them may."""


def slice_of(events: Events, begin: int, end: int) -> Events:
    """Return some of the events that follow one another."""
    kinds, bits, rows, steps, positions, begins = events
    some = slice(begin, end)
    return kinds[some], bits[some], rows[some], steps[some], positions[some], begins[some]


NONE: Final = -1

NEXT: Final = 0
FIRST: Final = 1
GATED: Final = 2
ANY: Final = 3
"""How the instances of a group wait: `,`, `->`, `->{…}`, `;`."""

LAST_EVENT: Final = 0
FIRST_EVENT: Final = -1
SPAN: Final = -2
REGISTER: Final = -3
"""Which event of an atom a reference means; a number above 0 is the repetition with that number.

`SPAN` means no event but the time from the begin of the match to the end of the current event,
`REGISTER` an aggregate of the repetitions so far; its number stands in the place of the atom.
"""

COUNT: Final = 0
SUM: Final = 1
AVERAGE: Final = 2
LEAST: Final = 3
GREATEST: Final = 4
"""What a register holds."""

# Columns of `Plan.groups`.
KIND: Final = 0
QUEUE: Final = 1
GATE_GUARD: Final = 2
KEY: Final = 3
OWNER: Final = 4
SPAN_US: Final = 5
SPAN_EVENTS: Final = 6
NODE: Final = 7

# Columns of `Plan.moves`; a node has the number of the move that leads to it.
FILTER: Final = 0
GUARD: Final = 1
UNTIL: Final = 2
LEAF: Final = 3
TARGET: Final = 4
GROUP: Final = 5
NODE_GUARD: Final = 6
LOOP: Final = 7
USES: Final = 8

# Columns of `Plan.terms`.
WHERE: Final = 0
TERMS_US: Final = 1
TERMS_EVENTS: Final = 2
TERMS_USES: Final = 3

# Columns of `Instances.cells`: where it waits, what it has taken, the neighbours in its bucket, and
# where it is looked for: its group, or the queue of a filter as -2 - filter.
WAITS_IN: Final = 0
LINK: Final = 1
KEY_KIND: Final = 2
AFTER: Final = 3
BEFORE: Final = 4
SOUGHT_IN: Final = 5

# Columns of `Instances.lost`, by group.
REFUSED: Final = 0
DROPPED: Final = 1

# Columns of `Links.cells` and `Links.times`.
PARENT: Final = 0
EVENT: Final = 1
ATOM: Final = 2
BEGIN_US: Final = 0
END_US: Final = 1
FIRST_POSITION: Final = 2

# Planes of `Links.registers`.
REGISTER_KIND: Final = 0
REGISTER_BITS: Final = 1
REGISTER_COUNT: Final = 2

# Columns of `Kept.where`.
AT: Final = 0
IN_ROW: Final = 1
IN_STEP: Final = 2

# Columns of `Work.taken` and `Work.out`.
INSTANCE: Final = 0
MOVE: Final = 1
OUT_SUBSCRIPTION: Final = 0
OUT_LINK: Final = 1
OUT_EVENT: Final = 2


class ListArrays(NamedTuple):
    """Many lists in one array: list i has `spans[i, 1]` rows of `items` from `spans[i, 0]` on.

    A row of one number that is alone in its list is `spans[i, 0]` itself. No list is longer than
    `longest`.
    """

    spans: Int32Array
    items: Int32Array
    longest: int


class Plan(NamedTuple):
    """The machines: what a partial match waits for, and what it leads to.

    A *group* is what instances of one node wait for together: its moves, joined by the same link
    and gate. A move without target ends what waits: the ends of a group. The owner of a group is
    the only subscription that waits in it, NONE where several may share it. Groups that wait for
    one filter alone put their instances into one *queue* for each key: an event that satisfies the
    filter finds those that are there, however many groups there are. `waits_of_filter` has, for
    each filter, its queues as -2 - key, and the groups (each with a move) that wait for other
    filters, too. `QUEUE` of a group is the filter; NONE, or -2 - gate where it waits at a gate, if
    it has none. `terms` are what complete matches must keep, `made` is the position from which on
    events count for a subscription.
    """

    groups: Int32Array
    moves: Int32Array
    terms: Int64Array
    made: Int64Array
    moves_of_group: ListArrays
    ends_of_group: ListArrays
    groups_of_node: ListArrays
    accepts_of_node: ListArrays
    starts_of_filter: ListArrays
    waits_of_filter: ListArrays


class Guards(NamedTuple):
    """Conditions that look at the match: a program, and the references it reads.

    A row of `programs` has the begin and the end of a program, its first reference and how many
    there are; one of `references` has atom, which of its events, attribute, and the slot of the
    scratch row into which it is put before the program runs. A key is the attribute of the event,
    and atom, which and attribute of the match; a register is function, atom and attribute.
    """

    programs: Int32Array
    references: Int32Array
    keys: Int32Array
    registers: Int32Array


class Instances(NamedTuple):
    """Partial matches, each waiting in one group under the value of its key.

    By group: how many wait in it, and, where limits are set, how many were lost.
    """

    cells: Int32Array
    key_bits: Int64Array
    head_of_bucket: Int32Array
    waiting: Int32Array
    lost: Int32Array
    live_of_owner: Int32Array


class Links(NamedTuple):
    """Provenance: what each partial match has taken, newest first."""

    cells: Int32Array
    times: Int64Array
    registers: Int64Array


class Kept(NamedTuple):
    """The events that links point to: their cells, and where they came.

    `where` has the position, the row of the input, and the step of the course, or a number below 0
    for an event whose place is told elsewhere.
    """

    kind: UInt8Array
    bits: Int64Array
    where: Int64Array


class Work(NamedTuple):
    """Room to work in: what one event takes, what is over, and the scratch row of guards.

    `awaited` has for each filter how many starts and groups with instances need it; it has no
    entries where filters are evaluated ahead.
    """

    taken: Int32Array
    over: Int32Array
    marks: Int64Array
    row_kind: UInt8Array
    row_bits: Int64Array
    out: Int32Array
    counters: Int64Array
    awaited: Int32Array


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
MOST: Final = 12
MOST_EACH: Final = 13
REFUSES: Final = 14
FAULT: Final = 15
SWITCHES: Final = 16
STEP: Final = 17
BEGINS: Final = 18
COUNTERS: Final = 24

NO_ACTIVE_STATES: Final = 1
NO_EDGE_INDEX: Final = 2
SINGLE_STEP: Final = 4
"""Bits of `SWITCHES`: indexes that are left out, to measure what they are good for, and whether
filters that nobody waits for are not evaluated."""
