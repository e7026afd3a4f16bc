# mypy: disable-error-code="no-untyped-def"
"""Looking ahead in chains: events that neither begin nor continue a match need not be processed.

What an event begins is followed through the next events of its key, which lie behind it in a batch
that is arranged by key, before anything is remembered of it. Most beginnings are over after a step
or two. Only those that reach the end of a chain, or the last event of their key in this batch, are
processed, with the events that they see on their way; besides them the first events of each key,
which what waits from earlier batches sees.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.cold_start import tell_if_cold
from tocsin.engine.columns.kinds import MISSING
from tocsin.engine.index.few import Answers
from tocsin.engine.index.interpret import UNANSWERED, order_alike, run_program
from tocsin.engine.index.pools import Pools
from tocsin.engine.linear.arrays import (
    FILTER,
    GUARD,
    NODE_GUARD,
    NONE,
    UNTIL,
    Events,
    Guards,
    Int32Array,
    Int64Array,
    Plan,
    UInt8Array,
)
from tocsin.engine.linear.chains import Chains
from tocsin.engine.linear.kernels import inlined, kernel
from tocsin.engine.linear.key_order import KeyOrder

_KEYS: Final = 64
"""So many different keys may lie in one bucket; more are not told apart, and all is processed."""


class _Seen(NamedTuple):
    """What is looked at, in the order in which the events of a key come together.

    Attributes
    ----------
    words
        What each event satisfies.
    following
        The place of the next event of its key, NONE for the last.
    kind, bits
        By attribute that is compared, the cells of all events.
    order, kinds, rows
        Where events stand in the batch, and its cells: what other guards look at.
    """

    words: npt.NDArray[np.uint64]
    following: Int32Array
    kind: UInt8Array
    bits: Int64Array
    order: Int64Array
    kinds: UInt8Array
    rows: Int64Array


class _Path(NamedTuple):
    """Room to follow what one event begins.

    Attributes
    ----------
    taken
        The places of the events from the first one on.
    nodes, next_nodes
        Where partial matches stand behind an event, and behind the next one.
    row_kind, row_bits
        The cells that a guard reads.
    masks
        By node what the event that leads to it satisfies, must not satisfy, and what it needs
        besides for the node to count.
    """

    taken: Int32Array
    nodes: Int32Array
    next_nodes: Int32Array
    row_kind: UInt8Array
    row_bits: Int64Array
    masks: npt.NDArray[np.uint64]


def look_ahead(
    events: Events,
    keys: KeyOrder,
    answers: Answers,
    chains: Chains,
    machine: tuple[Plan, Guards, Pools],
) -> tuple[Int64Array, UInt8Array]:
    """Return the places of the events that must be processed, and which of them begin something.

    Where something else than chains would have to be followed, these are all of them.

    Parameters
    ----------
    answers
        What the events satisfy, in the order of the batch.
    machine
        What is known of the plan.
    """
    tell_if_cold(_follow)
    size = len(keys.order)
    following, rank = np.full(size, NONE, np.int32), np.zeros(size, np.int32)
    words = answers.words[keys.order]
    key_kind, key_bits = keys.kind[keys.order], keys.bits[keys.order]
    if not _is_plain(key_kind, words, answers, chains) or not _link_keys(
        keys.bucket, key_kind, key_bits, np.zeros(_KEYS, np.int32), following, rank
    ):
        return np.arange(size), np.ones(size, np.uint8)
    kinds, bits = events[0], events[1]
    seen = _Seen(
        words,
        following,
        np.stack([kinds[:, one].take(keys.order) for one in chains.attributes]),
        np.stack([bits[:, one].take(keys.order) for one in chains.attributes]),
        keys.order,
        kinds,
        bits,
    )
    kept, begins = (rank < chains.longest - 1).astype(np.uint8), np.zeros(size, np.uint8)
    path = _path(chains, machine[0], answers, kinds.shape[1])
    _follow(key_kind, seen, chains, *machine, path, kept, begins)
    chosen = np.flatnonzero(kept)
    return chosen, begins[chosen]


def _is_plain(
    key_kind: UInt8Array, words: npt.NDArray[np.uint64], answers: Answers, chains: Chains
) -> bool:
    """Say whether every filter has a bit, and every event with a key passes all gates.

    A filter that no event can satisfy has none.
    """
    if not np.isin(chains.asked, answers.filters).all():
        return False
    gates = np.uint64(answers.mask(chains.gates.tolist()))
    return bool((((words & gates) == gates) | (key_kind == MISSING)).all())


def _path(chains: Chains, plan: Plan, answers: Answers, width: int) -> _Path:
    nodes = len(chains.ends)
    masks = np.zeros((nodes, 3), np.uint64)
    for node in chains.behind.tolist():
        until, guard = int(plan.moves[node, UNTIL]), int(plan.moves[node, NODE_GUARD])
        masks[node] = (
            answers.mask([int(plan.moves[node, FILTER])]),
            answers.mask([] if until == NONE else [until]),
            answers.mask([] if guard >= NONE else [-2 - guard]),
        )
    return _Path(
        np.zeros(chains.longest + 1, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(width, np.uint8),
        np.zeros(width, np.int64),
        masks,
    )


@kernel
def _link_keys(bucket, kind, bits, heads, following, rank):
    """Write which event is the next of its key, and how many of it come before it in the batch.

    `heads` has room for the last event of each key of a bucket. Return whether it was enough.
    """
    count = 0
    for place in range(bucket.shape[0]):
        if place == 0 or bucket[place] != bucket[place - 1]:
            count = 0
        head = 0
        while head < count:
            last = heads[head]
            if bits[last] == bits[place] and kind[last] == kind[place]:
                following[last] = place
                rank[place] = rank[last] + 1
                break
            head += 1
        if head == heads.shape[0]:
            return False
        heads[head] = place
        count = max(count, head + 1)
    return True


@inlined
def _guard_holds(guard, places, place, seen, guards, path, pools):
    """Say whether a guard holds for an event and those before it, in the places that it names."""
    event = seen.order[place]
    for attribute in range(path.row_kind.shape[0]):
        path.row_kind[attribute] = seen.kinds[event, attribute]
        path.row_bits[attribute] = seen.rows[event, attribute]
    first = guards.programs[guard, 2]
    for i in range(guards.programs[guard, 3]):
        attribute, slot = guards.references[first + i, 2], guards.references[first + i, 3]
        path.row_kind[slot] = MISSING
        if places[i] != NONE:
            other = seen.order[path.taken[places[i]]]
            path.row_kind[slot] = seen.kinds[other, attribute]
            path.row_bits[slot] = seen.rows[other, attribute]
    start, stop = guards.programs[guard, 0], guards.programs[guard, 1]
    return run_program(start, stop, path.row_kind, path.row_bits, pools)


@inlined
def _compare(move, place, seen, chains, path):
    """Answer the guard of a move where it compares two numbers or times: 0 or 1."""
    operation, own = chains.compared[move, 0], chains.compared[move, 1]
    answer = UNANSWERED
    if operation != NONE:
        other, its = path.taken[chains.compared[move, 2]], chains.compared[move, 3]
        answer = order_alike(
            operation,
            seen.kind[own, place],
            seen.bits[own, place],
            seen.kind[its, other],
            seen.bits[its, other],
        )
    return answer


@inlined
def _reaches(move, place, seen, chains, plan, guards, pools, path):
    """Say whether an event leads by a move to the node behind it."""
    word, masks = seen.words[place], path.masks
    if word & masks[move, 0] != masks[move, 0] or word & masks[move, 1] != 0:
        return False
    guard = plan.moves[move, GUARD]
    if guard != NONE:
        answer = _compare(move, place, seen, chains, path)
        if answer == UNANSWERED:
            places = chains.places[move, 0]
            answer = np.int64(_guard_holds(guard, places, place, seen, guards, path, pools))
        if answer == 0:
            return False
    guard = plan.moves[move, NODE_GUARD]
    if guard >= 0:
        return _guard_holds(guard, chains.places[move, 1], place, seen, guards, path, pools)
    return word & masks[move, 2] == masks[move, 2]


@inlined
def _step(place, count, seen, chains, plan, guards, pools, path):
    """Write where an event leads, from nowhere (0) or from so many nodes.

    Return how many nodes that are, and whether one of them is an end.
    """
    more, is_end = 0, False
    for i in range(max(count, 1)):
        node = path.nodes[i] if count > 0 else np.int32(NONE)
        for j in range(chains.first_behind[node + 1], chains.first_behind[node + 2]):
            move = chains.behind[j]
            if _reaches(move, place, seen, chains, plan, guards, pools, path):
                is_end |= chains.ends[move]
                if chains.first_behind[move + 1] < chains.first_behind[move + 2]:
                    path.next_nodes[more] = move
                    more += 1
    for i in range(more):
        path.nodes[i] = path.next_nodes[i]
    return more, is_end


@kernel
def _follow(key_kinds, seen, chains, plan, guards, pools, path, kept, begins):
    """Mark the places of the events that begin what must be processed, and of all that it sees."""
    for place in range(kept.shape[0]):
        if key_kinds[place] == MISSING:
            kept[place] = begins[place] = 1
            continue
        path.taken[0] = place
        count, is_end = _step(place, 0, seen, chains, plan, guards, pools, path)
        last, depth = place, 1
        while count > 0:
            if seen.following[last] == NONE:
                is_end = True
                break
            last = seen.following[last]
            path.taken[depth] = last
            depth += 1
            count, ends = _step(last, count, seen, chains, plan, guards, pools, path)
            is_end |= ends
        if is_end:
            begins[place] = kept[last] = 1
            at = place
            while at != last:
                kept[at] = 1
                at = seen.following[at]
