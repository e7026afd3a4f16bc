"""Chains: patterns of which each event must be the very next one of its key.

In `a:[k = $x] ->{k = $x} b:[…] ->{k = $x} c:[…]` what waits looks at the next event of its key, and
then either goes on or is over. So all that can wait for a key is a set of places in the chains, and
an event can be seen to begin nothing before anything is remembered of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

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
_GUARDS: Final = ("guard", "node_guard")
_COMPARISON: Final = 3
"""A program that compares two attributes has so many steps."""
_MOST: Final = 62
"""With more nodes than that, there is more to look at ahead than it saves; and they are the bits of
a number."""


class Chains(NamedTuple):
    """What is known of a plan that has nothing but chains.

    A node is a place in a chain, and the move that leads there; they have numbers of their own.
    Sets of nodes are numbers of which each node has its bit.

    Attributes
    ----------
    asked
        All filters that are asked of an event.
    gates
        Those of all gates: what has a key has to satisfy each of them.
    moves
        By node, its move in the plan.
    depths, alike
        By node, how many events lead there, and the set of nodes to which as many lead.
    leaves
        By node, the atoms of the events that lead there, the first one first.
    starts
        The set of nodes that begin a match.
    straight
        That of nodes behind which there is one node, which has the next number.
    behind
        By node, the set of those behind it.
    ends, goes_on
        The sets of nodes at which a match is complete, and behind which there are others.
    tells
        Whether a match is known to be one without being processed: nobody has a WHERE.
    guards
        By node, the guard of its move and its own.
    back
        By node and guard, how many events of its key before this one each event is that the guard
        refers to; NONE for none of them.
    compared
        By node, where all that the guard of its move asks is how two values compare: the operation,
        the attribute of the event, how far back the other event is, and its attribute. The
        operation is NONE elsewhere.
    attributes
        Those that are compared; `compared` has their places here.
    """

    asked: Int32Array
    gates: Int32Array
    moves: Int32Array
    depths: Int32Array
    alike: Int64Array
    leaves: Int32Array
    starts: int
    straight: int
    behind: Int64Array
    ends: int
    goes_on: int
    tells: bool
    guards: Int32Array
    back: Int32Array
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
    moves = np.flatnonzero(tables.moves["group"] != NONE)
    if not _are_chains(tables, moves, guards):
        return None
    starts = [int(one) for one in moves if len([*tables.way(int(one))]) == 1]
    nodes = list(_in_order(tables, starts))
    number = {move: node for node, move in enumerate(nodes)}
    behind = [[number[one] for one in _behind(tables, move)] for move in nodes]
    ways = [[*tables.way(move)][::-1] for move in nodes]
    depths = [len(way) for way in ways]
    accepts = [tables.accepts_of_node.of(move) for move in nodes]
    terms = [int(one) for accepted in accepts for one in accepted[:, 1]]
    gates = _gates(tables, moves)
    return Chains(
        _asked(tables, moves, gates),
        gates,
        np.array(nodes, np.int32),
        np.array(depths, np.int32),
        np.array(
            [_set(np.flatnonzero(np.equal(depths, one)).tolist()) for one in depths], np.int64
        ),
        _leaves(tables, ways),
        _set(number[one] for one in starts),
        _set(node for node, found in enumerate(behind) if found == [node + 1]),
        np.array([_set(found) for found in behind], np.int64),
        _set(node for node, accepted in enumerate(accepts) if len(accepted)),
        _set(node for node, found in enumerate(behind) if found),
        bool((tables.terms["guard"][terms] == NONE).all()),
        *_asking(tables, ways, guards, steps),
    )


def _leaves(tables: PlanTables, ways: Sequence[Sequence[int]]) -> Int32Array:
    leaves = np.full((len(ways), max(map(len, ways))), NONE, np.int32)
    for node, way in enumerate(ways):
        leaves[node, : len(way)] = tables.moves["leaf"][way]
    return leaves


def _in_order(tables: PlanTables, moves: Iterable[int]) -> Iterator[int]:
    """Yield moves, each with all that follow it right behind: most nodes then are straight."""
    for move in moves:
        yield move
        yield from _in_order(tables, _behind(tables, move))


def _set(nodes: Iterable[int]) -> int:
    return sum(1 << node for node in nodes)


def _are_chains(tables: PlanTables, moves: npt.NDArray[np.int64], guards: Guards) -> bool:
    used = np.unique(tables.moves["group"][moves])
    inner = used[tables.groups["kind"][used] != START]
    return bool(
        len(inner) > 0
        and len(moves) <= _MOST
        and (tables.groups["kind"][inner] == GATED).all()
        and (tables.groups["gate_guard"][inner] == NONE).all()
        and (tables.moves["target"][moves] == moves).all()
        and (tables.moves["loop"][moves] == NONE).all()
        and not any(_looks_elsewhere(one, guards) for one in _guards(tables, moves))
        and all(_knows_its_key(int(one), tables, guards) for one in inner)
    )


def _knows_its_key(group: int, tables: PlanTables, guards: Guards) -> bool:
    """Say whether the event that has the key lies on the way to what waits in a group.

    Where it is one that may be absent, what waits without it has no key, and nothing follows.
    """
    _, leaf, which, _ = guards.keys[tables.groups["key"][group]].tolist()
    way = [*tables.way(int(tables.groups["node"][group]))][::-1]
    return place_of(tables.moves["leaf"][way].tolist(), leaf, which) != NONE


def _gates(tables: PlanTables, moves: npt.NDArray[np.int64]) -> Int32Array:
    used = np.unique(tables.moves["group"][moves])
    queue = tables.groups["queue"][used[tables.groups["kind"][used] != START]]
    return np.unique(np.where(queue >= 0, queue, -2 - queue)).astype(np.int32)


def _asked(tables: PlanTables, moves: npt.NDArray[np.int64], gates: Int32Array) -> Int32Array:
    asked = (tables.moves[name][moves] for name in ("filter", "until"))
    every = np.unique(np.concatenate([gates, *asked, -2 - tables.moves["node_guard"][moves]]))
    return every[every >= 0].astype(np.int32)


def _guards(tables: PlanTables, nodes: npt.NDArray[np.int64]) -> list[int]:
    """Return the guards on the way to nodes."""
    found = np.concatenate([tables.moves[name][nodes] for name in _GUARDS])
    return [int(one) for one in np.unique(found[found >= 0])]


def _looks_elsewhere(guard: int, guards: Guards) -> bool:
    """Say whether a guard looks at more than the events of a match."""
    _, _, first, count = guards.programs[guard].tolist()
    return bool(np.isin(guards.references[first : first + count, 1], (SPAN, REGISTER)).any())


def _behind(tables: PlanTables, node: int) -> list[int]:
    """Return the moves that follow a node."""
    groups = tables.groups_of_node.of(node)[:, 0].tolist()
    return [move for one in groups for move in tables.moves_of_group.of(one)[:, 0].tolist()]


def _asking(
    tables: PlanTables, ways: Sequence[Sequence[int]], guards: Guards, steps: Int64Array
) -> tuple[Int32Array, Int32Array, Int32Array, Int32Array]:
    """Return guards, how far back what they refer to is, comparisons, and attributes compared."""
    most = int(guards.programs[:, 3].max(initial=1))
    own = np.array([[tables.moves[name][way[-1]] for name in _GUARDS] for way in ways], np.int32)
    back = np.full((len(ways), 2, most), NONE, np.int32)
    compared = np.full((len(ways), 4), NONE, np.int32)
    for node, way in enumerate(ways):
        leaves = tables.moves["leaf"][way].tolist()
        for part, (one, seen) in enumerate(
            zip(own[node].tolist(), (leaves[:-1], leaves), strict=True)
        ):
            found = np.array(_places(one, seen, guards), np.int32)
            back[node, part, : len(found)] = np.where(found == NONE, NONE, len(way) - 1 - found)
        compared[node] = _compared(int(own[node, 0]), int(back[node, 0, 0]), guards, steps)
    is_compared = compared[:, 0] != NONE
    pairs = compared[np.ix_(is_compared, [1, 3])]
    attributes, numbers = np.unique(pairs, return_inverse=True)
    compared[np.ix_(is_compared, [1, 3])] = numbers.reshape(pairs.shape)
    attributes = attributes if len(attributes) else np.zeros(1, np.int32)  # kernels want a column
    return own, back, compared, attributes.astype(np.int32)


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


def _compared(guard: int, back: int, guards: Guards, steps: Int64Array) -> _Compared:
    if guard == NONE or back == NONE:
        return _NOT_COMPARED
    start, end, first, count = guards.programs[guard].tolist()
    program = steps[start:end, :2].tolist()
    if count != 1 or len(program) != _COMPARISON:
        return _NOT_COMPARED
    (left, own), (right, other), (operation, _) = program
    attribute, slot = guards.references[first, 2:].tolist()
    if not left == right == ATTRIBUTE or other != slot:
        return _NOT_COMPARED
    return operation, own, back, attribute
