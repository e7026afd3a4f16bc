# mypy: disable-error-code="no-untyped-def"

"""The access path of a conjunction: the literal, or the pair of them, by which events find it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import FLOAT, INTEGER
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.kernels import kernel
from tocsin.engine.index.layout import (
    ATTRIBUTE_SHIFT,
    CHOICE,
    FAMILY_SHIFT,
    HIGH_OPEN,
    IN_FLOATS,
    INTERVAL,
    LOW_OPEN,
    NEGATED,
    OPERATION,
    OUTSIDE,
    TEXT,
)
from tocsin.engine.index.statistics import Statistics

SCAN, SINGLE, PAIR, CHOICES, RANGE, BY_TEXT = 0, 1, 2, 3, 4, 5
_NOT_PLAIN = NEGATED | OUTSIDE
_OPEN = LOW_OPEN | HIGH_OPEN
CROWDED = 4
_MOST_CHOICES = 65536
TEXT_KIND = 15


class Members(NamedTuple):
    """The literals of the conjunctions that a segment is made of.

    `literal[first[i]:first[i + 1]]` are those of the i-th; `rows` are the distinct ones,
    `selectivity` the share of events that each lets pass.
    """

    first: Int64Array
    literal: Int32Array
    rows: Int64Array
    selectivity: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]


class Paths(NamedTuple):
    """For each conjunction how it is found, and by which one or two of its literals."""

    sort: Int32Array
    one: Int32Array
    two: Int32Array


@kernel
def is_equality(row):
    """Say whether one value alone satisfies a literal."""
    head = row[0]
    return head & (OPERATION | _NOT_PLAIN | _OPEN) == INTERVAL and row[1] == row[2]


@kernel
def sort_of(row, hashing):
    """Return by which sort of path a literal can be found, alone."""
    head = row[0]
    if head & _NOT_PLAIN:
        return SCAN
    operation = head & OPERATION
    if operation == INTERVAL:
        return SINGLE if hashing and is_equality(row) else RANGE
    if operation == CHOICE and row[2] - row[1] <= _MOST_CHOICES:
        return CHOICES if hashing else SCAN
    return BY_TEXT if operation == TEXT else SCAN


@kernel
def _lightest(members, hashing, paths):
    """Choose the literal of least weight for each conjunction."""
    for i in range(paths.sort.shape[0]):
        best = np.inf
        for j in range(members.first[i], members.first[i + 1]):
            literal = members.literal[j]
            sort = sort_of(members.rows[literal], hashing)
            if sort != SCAN and members.weight[literal] < best:
                best = members.weight[literal]
                paths.sort[i] = sort
                paths.one[i] = literal


@kernel
def _pair_up(members, paths, crowd):
    """Where many are found by one equality, let a second one of another attribute help."""
    for i in range(paths.sort.shape[0]):
        if paths.sort[i] != SINGLE:
            continue
        one = paths.one[i]
        if crowd[one] <= CROWDED:
            continue
        attribute = members.rows[one, 0] >> ATTRIBUTE_SHIFT
        best = np.inf
        for j in range(members.first[i], members.first[i + 1]):
            literal = members.literal[j]
            row = members.rows[literal]
            share = members.selectivity[literal]
            if share < best and row[0] >> ATTRIBUTE_SHIFT != attribute and is_equality(row):
                best = share
                paths.sort[i] = PAIR
                paths.two[i] = literal
        if paths.sort[i] == PAIR and members.rows[paths.two[i], 0] < members.rows[one, 0]:
            paths.one[i], paths.two[i] = paths.two[i], one


def choose_lightest(members: Members, *, hashing: bool) -> Paths:
    """Let the order of the attributes choose the access path of each conjunction.

    Parameters
    ----------
    hashing
        Whether equalities are found by hash; otherwise they are ranges of one value.
    """
    count = len(members.first) - 1
    paths = Paths(*(np.full(count, fill, np.int32) for fill in (SCAN, -1, -1)))
    _lightest(members, hashing, paths)
    return paths


def pair_up(members: Members, paths: Paths, statistics: Statistics) -> None:
    """Where many are found by one equality, let a second one of another attribute help.

    Every pair of attributes is a search of its own, which must be worth it.
    """
    alone = paths.one.copy()
    crowd = np.bincount(alone[paths.sort == SINGLE], minlength=len(members.rows))
    _pair_up(members, paths, crowd)
    pairs = np.flatnonzero(paths.sort == PAIR)
    if len(pairs) == 0:
        return
    share, places = members.selectivity, members.rows[:, 0] >> ATTRIBUTE_SHIFT
    one, two = paths.one[pairs], paths.two[pairs]
    both = places[one] << 32 | places[two]
    keys, key_of = np.unique(both, return_inverse=True)
    saved = np.bincount(key_of, weights=share[alone[pairs]] - share[one] * share[two])
    price = [statistics.presence_of_both(key >> 32, key & 0xFFFFFFFF) for key in keys.tolist()]
    too_dear = pairs[(saved < price)[key_of]]
    paths.sort[too_dear], paths.one[too_dear], paths.two[too_dear] = SINGLE, alone[too_dear], -1


@kernel
def equality_cell(row):
    """Return the canonical cell that an equality asks for."""
    if row[0] & IN_FLOATS:
        key = row[1]
        return np.int64(FLOAT), key ^ ((key >> 63) & np.int64(9223372036854775807))
    return (row[0] >> FAMILY_SHIFT) & OPERATION, row[1]


@kernel
def key_head(attribute, kind, other, other_kind):
    """Return the first word of a key; `other` is -1 where there is one attribute."""
    return kind | (other_kind << 4) | (attribute << 8) | ((other + 1) << 32)


@kernel
def write_keys(paths, members, choices, keys, owner):
    """Write the keys of the conjunctions that the hash table finds, with their owners."""
    end = 0
    for i in range(paths.sort.shape[0]):
        sort = paths.sort[i]
        if sort in (SCAN, RANGE):
            continue
        row = members.rows[paths.one[i]]
        attribute = row[0] >> ATTRIBUTE_SHIFT
        if sort == CHOICES:
            for j in range(row[1], row[2]):
                keys[end, 0] = key_head(attribute, choices[j, 0], -1, 0)
                keys[end, 1] = choices[j, 1]
                owner[end] = i
                end += 1
            continue
        owner[end] = i
        if sort == BY_TEXT:
            keys[end, 0] = key_head(row[2], TEXT_KIND, -1, 0)
            keys[end, 1] = row[1]
        else:
            kind, keys[end, 1] = equality_cell(row)
            keys[end, 0] = key_head(attribute, kind, -1, 0)
        if sort == PAIR:
            second = members.rows[paths.two[i]]
            kind2, keys[end, 2] = equality_cell(second)
            keys[end, 0] = key_head(attribute, kind, second[0] >> ATTRIBUTE_SHIFT, kind2)
        end += 1
    return end


@kernel
def lane_kind(head):
    """Return the kind of the lane of a range: the kind of its cuts."""
    family = (head >> FAMILY_SHIFT) & OPERATION
    return FLOAT if head & IN_FLOATS and family == INTEGER else family
