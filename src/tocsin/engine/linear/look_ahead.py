# mypy: disable-error-code="no-untyped-def"
"""Looking ahead in chains: events that neither begin nor continue a match need not be processed.

What waits in a chain sees the very next event of its key, so that all that can wait for a key is a
set of nodes. It is carried from event to event of the key before anything is remembered of them.
Most beginnings are over after a step or two; those that reach the end of a chain are matches (see
`found_ahead`). Only those that reach the last event of their key in this batch are processed, with
the events that they see on their way. What waits from earlier batches may be anything, and sees the
first events of a key. Where matches have conditions of their own (WHERE), they are processed, too.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.cold_start import tell_if_cold
from tocsin.engine.columns.cells import canonical
from tocsin.engine.columns.kinds import MISSING, STRING
from tocsin.engine.index.few import Answers
from tocsin.engine.index.hashing import mix
from tocsin.engine.index.interpret import UNANSWERED, order_alike, run_program
from tocsin.engine.index.pools import Pools
from tocsin.engine.index.prefetch import fetch
from tocsin.engine.linear.arrays import (
    FILTER,
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
from tocsin.engine.linear.found import Found
from tocsin.engine.linear.found_ahead import found_ahead
from tocsin.engine.linear.kernels import inlined, kernel

_SAMPLED: Final = 8_192
"""From so many events it is guessed how many keys there are."""
_GROWTH: Final = 4
"""So many times as many keys are expected as the sample has, and again where that was too few; and
codes of texts that are at most so many times as many as there are events are places in a list."""
_FAILS_A_GATE: Final = -1
"""An event that has a key does not pass all gates."""
_IS_CROWDED: Final = -2
"""The table has no room for all keys."""

_KIND, _BITS, _LAST = range(3)
"""What is known of a key: its canonical cell, and the place of its last event."""
_ACTIVE, _LIVE = range(2)
"""What is known behind an event: the nodes at which something may wait, and those among them at
which it certainly is processed."""
_SOON: Final = 16
"""So many events ahead, what will be read of a key is asked for."""


class _Seen(NamedTuple):
    """The events of a batch.

    Attributes
    ----------
    kinds, bits
        Their cells.
    key_kinds, key_bits
        Those of the key.
    compared_kinds, compared_bits
        By attribute that is compared, the cells of all events: close together, since those of
        events that lie far back are read again and again.
    words
        What each one satisfies.
    previous
        The place of the one before it that has its key, NONE for the first of the batch.
    is_last
        Whether none behind it has its key.
    """

    kinds: UInt8Array
    bits: Int64Array
    key_kinds: UInt8Array
    key_bits: Int64Array
    compared_kinds: UInt8Array
    compared_bits: Int64Array
    words: npt.NDArray[np.uint64]
    previous: Int32Array
    is_last: UInt8Array


class _Asked(NamedTuple):
    """What nodes ask of an event; those that ask the same are asked together.

    Attributes
    ----------
    nodes
        The sets of nodes that ask the same.
    masks
        By set what the event satisfies, what it must not satisfy, and what it needs besides for a
        node to count.
    compared
        By set, what is compared, as in `Chains`.
    judged
        The nodes with guards that are no comparison.
    row_kind, row_bits
        Room for the cells that a guard reads.
    """

    nodes: Int64Array
    masks: npt.NDArray[np.uint64]
    compared: Int32Array
    judged: int
    row_kind: UInt8Array
    row_bits: Int64Array


class _Marks(NamedTuple):
    """By event, whether it must be processed, and whether it begins something.

    Besides, the events that complete what need not be, and the sets of nodes at which they do.
    """

    kept: UInt8Array
    begins: UInt8Array
    completing: Int32Array
    completed: Int64Array


class Foreseen(NamedTuple):
    """What looking ahead tells.

    Attributes
    ----------
    chosen, begins
        The places of the events that must be processed, and which of them begin something.
    found
        The matches of all others, by the events that complete them.
    """

    chosen: Int64Array
    begins: UInt8Array
    found: Found | None


def look_ahead(
    events: Events, key: int, answers: Answers, chains: Chains, machine: tuple[Plan, Guards, Pools]
) -> Foreseen:
    """Return what must be processed, and the matches for which that is not so.

    Where something else than chains would have to be followed, all events must be.

    Parameters
    ----------
    key
        The attribute by which everything that waits is found.
    answers
        What the events satisfy.
    machine
        What is known of the plan.
    """
    size = len(events[0])
    if np.isin(chains.asked, answers.filters).all():  # one that nothing can satisfy has no bit
        followed = _followed(events, key, answers, chains, machine)
        if followed is not None:
            previous, marks = followed
            chosen = np.flatnonzero(marks.kept.view(np.bool_))
            completed = marks.completing, marks.completed
            found = found_ahead(events, previous, marks.begins, completed, chains, machine[0])
            return Foreseen(chosen, marks.begins[chosen], found)
    return Foreseen(np.arange(size), np.ones(size, np.uint8), None)


def _followed(
    events: Events, key: int, answers: Answers, chains: Chains, machine: tuple[Plan, Guards, Pools]
) -> tuple[Int32Array, _Marks] | None:
    """Return which event comes before each one, and what following the chains marks.

    None where gates are not passed. All else that it takes is free again then.
    """
    tell_if_cold(_follow)
    seen = _seen(events, key, answers, chains)
    if seen is None:
        return None
    plan, guards, pools = machine
    asked = _asked(chains, plan, answers, events[0].shape[1])
    size = len(events[0])
    marks = _Marks(
        np.zeros(size, np.uint8), np.zeros(size, np.uint8),
        np.empty(size, np.int32), np.empty(size, np.int64),
    )  # fmt: skip
    sets = np.empty((size, 2), np.int64)
    count = _follow(seen, chains, asked, guards, pools, sets, marks)
    done = marks._replace(completing=marks.completing[:count], completed=marks.completed[:count])
    return seen.previous, done


def _seen(events: Events, key: int, answers: Answers, chains: Chains) -> _Seen | None:
    """Return events of which each knows the one before it; None where gates are not passed."""
    kinds, bits, *_ = events
    gates = np.uint64(answers.mask(chains.gates.tolist()))
    own = np.array([key, *chains.attributes.tolist()], np.int64)
    column_kinds, column_bits = (
        np.empty((len(own), len(kinds)), one.dtype) for one in (kinds, bits)
    )
    _copy_columns(kinds, bits, own, column_kinds, column_bits)
    seen = _Seen(
        kinds,
        bits,
        column_kinds[0],
        column_bits[0],
        column_kinds[1:],
        column_bits[1:],
        answers.words,
        np.empty(len(kinds), np.int32),
        np.empty(len(kinds), np.uint8),
    )
    if (seen.key_kinds == STRING).all():
        codes = int(seen.key_bits.max(initial=0)) + 1
        if codes <= _GROWTH * len(kinds):
            found = _link_texts(seen, gates, np.full(codes, NONE, np.int32))
            return None if found == _FAILS_A_GATE else seen
    keys = _GROWTH * len(np.unique(seen.key_bits[:_SAMPLED]))
    while True:
        found = _link(seen, gates, np.zeros((1 << keys.bit_length(), 3), np.int64))
        if found != _IS_CROWDED:
            return None if found == _FAILS_A_GATE else seen
        keys *= _GROWTH


def _asked(chains: Chains, plan: Plan, answers: Answers, width: int) -> _Asked:
    nodes: dict[tuple[int, ...], int] = {}
    judged = 0
    for node, move in enumerate(chains.moves.tolist()):
        until, (guard, own) = int(plan.moves[move, UNTIL]), chains.guards[node].tolist()
        compared = chains.compared[node].tolist()
        asked = (
            answers.mask([int(plan.moves[move, FILTER])]),
            answers.mask([] if until == NONE else [until]),
            answers.mask([] if own >= NONE else [-2 - own]),
            *compared,
        )
        nodes[asked] = nodes.get(asked, 0) | 1 << node
        if own >= 0 or (guard != NONE and compared[0] == NONE):
            judged |= 1 << node
    return _Asked(
        np.array([*nodes.values()], np.int64),
        np.array([asked[:3] for asked in nodes], np.uint64),
        np.array([asked[3:] for asked in nodes], np.int32),
        judged,
        np.zeros(width, np.uint8),
        np.zeros(width, np.int64),
    )


@inlined
def _far_back(place, back, previous):
    """Return the place of the event so many before this one of its key, NONE if not in here."""
    for _ in range(back):
        if place != NONE:
            place = previous[place]
    return place


@inlined
def _guard_holds(guard, back, place, seen, guards, asked, pools):
    """Say whether a guard holds for an event and those before it.

    It is taken to hold where it refers to an event of an earlier batch.
    """
    row_kind, row_bits = asked.row_kind, asked.row_bits
    for attribute in range(row_kind.shape[0]):
        row_kind[attribute] = seen.kinds[place, attribute]
        row_bits[attribute] = seen.bits[place, attribute]
    first = guards.programs[guard, 2]
    for i in range(guards.programs[guard, 3]):
        attribute, slot = guards.references[first + i, 2], guards.references[first + i, 3]
        row_kind[slot] = MISSING
        if back[i] != NONE:
            other = _far_back(place, back[i], seen.previous)
            if other == NONE:
                return True
            row_kind[slot] = seen.kinds[other, attribute]
            row_bits[slot] = seen.bits[other, attribute]
    return run_program(
        guards.programs[guard, 0], guards.programs[guard, 1], row_kind, row_bits, pools
    )


@inlined
def _passes(number, place, seen, asked):
    """Answer what some nodes ask of an event: 0 or 1, or not, where a guard has to be asked."""
    word, masks = seen.words[place], asked.masks
    operation, own = asked.compared[number, 0], asked.compared[number, 1]
    answer = np.int64(
        word & masks[number, 0] == masks[number, 0]
        and word & masks[number, 1] == 0
        and word & masks[number, 2] == masks[number, 2]
    )
    if answer != 0 and operation != NONE:
        other = _far_back(place, asked.compared[number, 2], seen.previous)
        its = asked.compared[number, 3]
        if other != NONE:  # what waits from earlier batches may have seen anything
            answer = order_alike(
                operation,
                seen.compared_kinds[own, place],
                seen.compared_bits[own, place],
                seen.compared_kinds[its, other],
                seen.compared_bits[its, other],
            )
    return answer


@inlined
def _guards_hold(node, place, seen, chains, asked, guards, pools):
    """Say whether the guards of a node hold."""
    holds = True
    for part in range(2):
        guard = chains.guards[node, part]
        if holds and guard >= 0:
            back = chains.back[node, part]
            holds = _guard_holds(guard, back, place, seen, guards, asked, pools)
    return holds


@inlined
def _behind(nodes, chains):
    """Return the set of nodes behind some."""
    found = (nodes & chains.straight) << 1
    rest, node = nodes & ~chains.straight, 0
    while rest != 0:
        if rest & 1:
            found |= chains.behind[node]
        rest >>= 1
        node += 1
    return found


@inlined
def _reached(place, candidates, seen, chains, asked, guards, pools):
    """Return to which of some nodes an event leads."""
    found, doubtful = np.int64(0), asked.judged
    for number in range(asked.nodes.shape[0]):
        nodes = asked.nodes[number] & candidates
        if nodes != 0:
            answer = _passes(number, place, seen, asked)
            found |= nodes & -np.int64(answer != 0)  # without a branch, which nobody could foretell
            doubtful |= nodes & -np.int64(answer == UNANSWERED)
    doubtful &= found
    node = 0
    while doubtful != 0:
        if doubtful & 1 and not _guards_hold(node, place, seen, chains, asked, guards, pools):
            found &= ~(1 << node)
        doubtful >>= 1
        node += 1
    return found


@inlined
def _mark(place, depth, previous, marks):
    """Let what began so many events of the key ago be processed, with all that it has seen."""
    for _ in range(depth - 1):
        marks.kept[place] = 1
        place = previous[place]
    marks.kept[place] = marks.begins[place] = 1


@inlined
def _mark_ways(nodes, place, previous, chains, marks):
    """Do so for the ways to some nodes; return all nodes to which the same beginnings lead."""
    node, found = 0, 0
    while nodes != 0:
        if nodes & 1:
            _mark(place, chains.depths[node], previous, marks)
            found |= chains.alike[node]
        nodes >>= 1
        node += 1
    return found


@inlined
def _slot_of(kind, bits, table):
    """Return the place of a key in the table, or the free one that it may have."""
    slot = _first_slot(kind, bits, table)
    while table[slot, _KIND] != MISSING and (
        table[slot, _BITS] != bits or table[slot, _KIND] != kind
    ):
        slot = (slot + 1) & (table.shape[0] - 1)
    return slot


@inlined
def _first_slot(kind, bits, table):
    return mix(np.int64(kind), np.int64(bits)) & (table.shape[0] - 1)


@kernel
def _copy_columns(kinds, bits, attributes, column_kinds, column_bits):
    """Write some attributes of all events, each as a column: rows are gone through once."""
    for place in range(kinds.shape[0]):
        for i in range(attributes.shape[0]):
            column_kinds[i, place] = kinds[place, attributes[i]]
            column_bits[i, place] = bits[place, attributes[i]]


@kernel
def _link(seen, gates, table):
    """Write which event comes before each one; return how many keys there are, or why not."""
    count, size = 0, seen.words.shape[0]
    for place in range(size):
        if place + _SOON < size:
            soon = place + _SOON
            fetch(table, _first_slot(seen.key_kinds[soon], seen.key_bits[soon], table))
        kind, bits = canonical(seen.key_kinds[place], seen.key_bits[place])
        seen.previous[place], seen.is_last[place] = NONE, 1
        if kind == MISSING:
            continue
        if seen.words[place] & gates != gates:
            return _FAILS_A_GATE
        slot = _slot_of(kind, bits, table)
        if table[slot, _KIND] == MISSING:
            count += 1
            if 2 * count > table.shape[0]:
                return _IS_CROWDED
            table[slot, _KIND], table[slot, _BITS] = kind, bits
        else:
            seen.previous[place] = table[slot, _LAST]
            seen.is_last[table[slot, _LAST]] = 0
        table[slot, _LAST] = place
    return count


@kernel
def _link_texts(seen, gates, last):
    """Do so where all keys are texts, whose codes are small numbers.

    `last` has room for the last event of each of them.
    """
    for place in range(seen.words.shape[0]):
        if seen.words[place] & gates != gates:
            return _FAILS_A_GATE
        code = seen.key_bits[place]
        before = last[code]
        seen.previous[place], seen.is_last[place] = before, 1
        if before != NONE:
            seen.is_last[before] = 0
        last[code] = place
    return 0


@kernel
def _follow(seen, chains, asked, guards, pools, sets, marks):
    """Mark the events that begin what must be processed, and all that it sees.

    Returns how many events complete what need not be.
    """
    size, count = seen.words.shape[0], 0
    for place in range(size):
        if place + _SOON < size and seen.previous[place + _SOON] != NONE:
            soon = seen.previous[place + _SOON]
            fetch(sets, soon)
            for number in range(asked.compared.shape[0]):
                if asked.compared[number, 0] != NONE:
                    fetch(seen.compared_bits[asked.compared[number, 3]], soon)
                    fetch(seen.compared_kinds[asked.compared[number, 3]], soon)
        if seen.key_kinds[place] == MISSING:
            marks.kept[place] = marks.begins[place] = 1
            continue
        before = seen.previous[place]
        active = live = chains.goes_on
        if before != NONE:
            active, live = sets[before, _ACTIVE], sets[before, _LIVE]
        if live != 0:
            marks.kept[place] = 1
        candidates = chains.starts | _behind(active, chains)
        reached = _reached(place, candidates, seen, chains, asked, guards, pools)
        live = reached & _behind(live, chains)
        completed = reached & chains.ends & ~live
        if completed != 0 and chains.tells:
            marks.completing[count], marks.completed[count] = place, completed
            count += 1
        elif completed != 0:
            live |= reached & _mark_ways(completed, place, seen.previous, chains, marks)
        sets[place, _ACTIVE], sets[place, _LIVE] = reached & chains.goes_on, live & chains.goes_on
        if seen.is_last[place]:
            waiting = sets[place, _ACTIVE] & ~sets[place, _LIVE]
            _mark_ways(waiting, place, seen.previous, chains, marks)
    return count
