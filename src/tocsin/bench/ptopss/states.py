"""States, transitions and matches of the merged machine, counted apart from any engine.

A state is a prefix of subscriptions: subscriptions that begin alike share their first states. A
transition is an instance that moves into a state. Levels are worked off one after the other, all
states of a level at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tocsin.bench.draws import IntArray
from tocsin.bench.ptopss.workload import NOBODY, Workload


@dataclass(frozen=True, slots=True)
class Counts:
    """What the machine of a workload has and does.

    Attributes
    ----------
    states
        How many different prefixes there are.
    commonality
        The share of the states without merging that merging saves.
    transitions
        How often instances move over the whole stream.
    matches
        How many matches all subscriptions have.
    """

    states: int
    commonality: float
    transitions: int
    matches: int


class _Level(NamedTuple):
    """The states of a level: `keys` are sorted, and state i is entered by key i."""

    keys: IntArray
    state_of_subscription: IntArray


class _Instances(NamedTuple):
    """Partial matches in one state with the same first and last event, and how many."""

    state: IntArray
    first: IntArray
    last: IntArray
    ways: IntArray


def count(work: Workload) -> Counts:
    """Count states, transitions and matches.

    Examples
    --------
    >>> from tocsin.bench.ptopss.workload import Parameters, make_workload
    >>> found = count(make_workload(200, Parameters(subscriptions=20, length=3, pool=5)))
    >>> found.states <= 60, found.transitions > found.matches > 0
    (True, True)
    """
    subscriptions, length = work.types.shape
    parent = np.zeros(subscriptions, np.int64)
    instances = _Instances(*(np.zeros(0, np.int64) for _ in range(4)))
    states = transitions = 0
    for place in range(length):
        level = _level(work, place, parent)
        moved = _opened(work) if place == 0 else _moved(work, instances)
        instances = _entered(level, moved)
        parent = level.state_of_subscription
        states += len(level.keys)
        transitions += int(instances.ways.sum())
    owners = np.bincount(parent, minlength=len(level.keys))
    matches = int((owners[instances.state] * instances.ways).sum())
    return Counts(states, 1 - states / (subscriptions * length), transitions, matches)


def _key(work: Workload, state: IntArray, is_any: IntArray, kind: IntArray) -> IntArray:
    return (state * 2 + is_any) * work.parameters.pool + kind


def _level(work: Workload, place: int, parent: IntArray) -> _Level:
    is_any = work.is_any[:, place].astype(np.int64)
    keys, state = np.unique(_key(work, parent, is_any, work.types[:, place]), return_inverse=True)
    return _Level(keys, state)


def _entered(level: _Level, moved: tuple[IntArray, _Instances]) -> _Instances:
    """Keep the moves that some state allows, and put together what is equal."""
    keys, instances = moved
    place = np.minimum(np.searchsorted(level.keys, keys), len(level.keys) - 1)
    kept = level.keys[place] == keys
    rows = np.stack([place[kept], instances.first[kept], instances.last[kept]], axis=1)
    found, which = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(which.ravel(), instances.ways[kept], len(found)).astype(np.int64)
    return _Instances(found[:, 0], found[:, 1], found[:, 2], counts)


def _opened(work: Workload) -> tuple[IntArray, _Instances]:
    """Every event of the pool may open a match."""
    at = np.flatnonzero(work.stream != NOBODY)
    nothing = np.zeros(len(at), np.int64)
    keys = _key(work, nothing, nothing, work.stream[at])
    return keys, _Instances(nothing, at, at, np.ones(len(at), np.int64))


def _moved(work: Workload, instances: _Instances) -> tuple[IntArray, _Instances]:
    """Every instance may take the next event, and by `;` every later one of its window."""
    at = np.flatnonzero(work.stream != NOBODY)
    begin = np.searchsorted(at, instances.last, side="right")
    end = np.searchsorted(at, instances.first + work.parameters.within, side="left")
    lengths = np.maximum(end - begin, 0)
    which = np.repeat(np.arange(len(lengths)), lengths)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    taken = at[begin[which] + offset]
    later = _Instances(instances.state[which], instances.first[which], taken, instances.ways[which])
    is_next = taken == instances.last[which] + 1
    joined = [
        (_key(work, later.state, np.full(len(taken), is_any), work.stream[taken])[kept], kept)
        for is_any, kept in ((1, np.ones(len(taken), np.bool_)), (0, is_next))
    ]
    keys = np.concatenate([keys for keys, _ in joined])
    columns = (np.concatenate([column[kept] for _, kept in joined]) for column in later)
    return keys, _Instances(*columns)
