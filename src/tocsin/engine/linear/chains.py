"""Chains: patterns of which each event must be the very next one of its key.

In `a:[k = $x] ->{k = $x} b:[…] ->{k = $x} c:[…]` what waits looks at the next event of its key, and
then either goes on or is over. So where the events of a key lie together, an event can be seen to
begin nothing before anything is remembered of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.column import BoolArray
from tocsin.engine.index.interpret import ATTRIBUTE
from tocsin.engine.linear.arrays import (
    GATED,
    LAST_EVENT,
    NONE,
    REGISTER,
    SPAN,
    Guards,
    Int32Array,
    Int64Array,
)
from tocsin.engine.linear.plan_tables import PlanTables
from tocsin.engine.linear.recipe import START

_Compared: TypeAlias = tuple[int, int, int, int]

_NOT_COMPARED: Final[_Compared] = (NONE, NONE, NONE, NONE)
_COMPARISON: Final = 3
"""A program that compares two attributes has so many steps."""
_MOST: Final = 64
"""With more nodes than that, there is more to look at ahead than it saves."""


class Chains(NamedTuple):
    """What is known of a plan that has nothing but chains.

    Attributes
    ----------
    asked
        All filters that are asked of an event.
    gates
        Those of all gates: what has a key has to satisfy each of them.
    first_behind, behind
        The moves that begin a match, then those that follow each node; and where the moves of
        each begin.
    ends
        By node, whether a match is complete there.
    places
        By node, of what the guard of its move and its own refer to, the how manieth event on the
        way each is; NONE for none of them.
    longest
        How many events the longest way has.
    compared
        By node, where all that its guard asks is how two values compare: the operation, the
        attribute of the event, the place of another event on the way, and its attribute. The
        operation is NONE elsewhere.
    attributes
        Those that are compared; `compared` has their places here.
    """

    asked: Int32Array
    gates: Int32Array
    first_behind: Int32Array
    behind: Int32Array
    ends: BoolArray
    places: Int32Array
    longest: int
    compared: Int32Array
    attributes: Int32Array


def chains_of(tables: PlanTables, guards: Guards, steps: Int64Array) -> Chains | None:
    """Return what is known of chains, None where something else is among them.

    Everything that waits is taken to be found by one key.

    Parameters
    ----------
    steps
        Those of the programs of guards.
    """
    size = len(tables.moves.rows)
    nodes = np.flatnonzero(tables.moves["group"] != NONE)
    used = np.unique(tables.moves["group"][nodes])
    inner = used[tables.groups["kind"][used] != START]
    is_chain = (
        len(inner) > 0
        and len(nodes) <= _MOST
        and (tables.groups["kind"][inner] == GATED).all()
        and (tables.groups["gate_guard"][inner] == NONE).all()
        and (tables.moves["target"][nodes] == nodes).all()
        and (tables.moves["loop"][nodes] == NONE).all()
        and not any(_looks_elsewhere(one, guards) for one in _guards(tables, nodes))
    )
    if not is_chain:
        return None
    queue = tables.groups["queue"][inner]
    gates = np.unique(np.where(queue >= 0, queue, -2 - queue)).astype(np.int32)
    is_start = tables.groups["node"][tables.moves["group"][nodes]] == NONE
    behind = [nodes[is_start].tolist(), *(_behind(tables, node) for node in range(size))]
    asked = (tables.moves[name][nodes] for name in ("filter", "until"))
    of_nodes = -2 - tables.moves["node_guard"][nodes]
    every = np.unique(np.concatenate([gates, *asked, of_nodes]))
    return Chains(
        every[every >= 0].astype(np.int32),
        gates,
        np.cumsum([0, *map(len, behind)]).astype(np.int32),
        np.array([move for moves in behind for move in moves], np.int32),
        tables.accepts_of_node.arrays(size).spans[:size, 1] > 0,
        *_ways(tables, nodes.tolist(), guards, steps),
    )


def _guards(tables: PlanTables, nodes: npt.NDArray[np.int64]) -> list[int]:
    """Return the guards on the way to nodes."""
    found = np.concatenate([tables.moves[name][nodes] for name in ("guard", "node_guard")])
    return [int(one) for one in np.unique(found[found >= 0])]


def _looks_elsewhere(guard: int, guards: Guards) -> bool:
    """Say whether a guard looks at more than the events of a match."""
    _, _, first, count = guards.programs[guard].tolist()
    return bool(np.isin(guards.references[first : first + count, 1], (SPAN, REGISTER)).any())


def _behind(tables: PlanTables, node: int) -> list[int]:
    """Return the moves that follow a node."""
    groups = tables.groups_of_node.of(node)[:, 0].tolist()
    return [move for one in groups for move in tables.moves_of_group.of(one)[:, 0].tolist()]


def _ways(
    tables: PlanTables, nodes: Sequence[int], guards: Guards, steps: Int64Array
) -> tuple[Int32Array, int, Int32Array, Int32Array]:
    """Return places, the length of the longest way, comparisons, and the attributes compared."""
    size, most, longest = len(tables.moves.rows), int(guards.programs[:, 3].max(initial=1)), 0
    places = np.full((size, 2, most), NONE, np.int32)
    compared = np.full((size, 4), NONE, np.int32)
    for node in nodes:
        leaves = tables.moves["leaf"][[*tables.way(node)][::-1]].tolist()
        longest = max(longest, len(leaves))
        guard, own = (int(tables.moves[name][node]) for name in ("guard", "node_guard"))
        for part, (one, seen) in enumerate(((guard, leaves[:-1]), (own, leaves))):
            found = _places(one, seen, guards)
            places[node, part, : len(found)] = found
        compared[node] = _compared(guard, int(places[node, 0, 0]), guards, steps)
    is_compared = compared[:, 0] != NONE
    pairs = compared[np.ix_(is_compared, [1, 3])]
    attributes, numbers = np.unique(pairs, return_inverse=True)
    compared[np.ix_(is_compared, [1, 3])] = numbers.reshape(pairs.shape)
    attributes = attributes if len(attributes) else np.zeros(1, np.int32)  # kernels want a column
    return places, longest, compared, attributes.astype(np.int32)


def _places(guard: int, leaves: Sequence[int], guards: Guards) -> list[int]:
    """Return the places of the events that a guard refers to, given the atoms of all."""
    if guard < 0:
        return []
    _, _, first, count = guards.programs[guard].tolist()
    references = guards.references[first : first + count, :2].tolist()
    return [place_of(leaves, leaf, which) for leaf, which in references]


def place_of(leaves: Sequence[int], leaf: int, which: int) -> int:
    """Return the how manieth event a reference means, NONE for none, given the atoms of all.

    Examples
    --------
    >>> from tocsin.engine.linear.arrays import FIRST_EVENT
    >>> place_of([0, 1, 1, 2], 1, LAST_EVENT), place_of([0, 1, 1, 2], 1, FIRST_EVENT)
    (2, 1)
    >>> place_of([0, 1, 1, 2], 1, 3)
    -1
    """
    places = [place for place, one in enumerate(leaves) if one == leaf]
    if which == LAST_EVENT:
        return places[-1] if places else NONE
    number = max(which, 1)  # the first is the one with number 1
    return places[number - 1] if number <= len(places) else NONE


def _compared(guard: int, place: int, guards: Guards, steps: Int64Array) -> _Compared:
    if guard == NONE or place == NONE:
        return _NOT_COMPARED
    start, end, first, count = guards.programs[guard].tolist()
    program = steps[start:end, :2].tolist()
    if count != 1 or len(program) != _COMPARISON:
        return _NOT_COMPARED
    (left, own), (right, other), (operation, _) = program
    attribute, slot = guards.references[first, 2:].tolist()
    if not left == right == ATTRIBUTE or other != slot:
        return _NOT_COMPARED
    return operation, own, place, attribute
