# mypy: disable-error-code="no-untyped-def"

"""Searches: what every event pays for an access path, whether or not it finds anything.

The equalities of an attribute share one hash probe, its ranges one search among their cuts, its
tests of strings one list. A conjunction may be cheaper to find by a second choice whose search is
paid for anyway: searches are given up one by one while that saves operations.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import BOOLEAN, STRING
from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.kernels import kernel
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT, FAMILY_SHIFT, OPERATION
from tocsin.engine.index.measures import expected_trials
from tocsin.engine.index.paths import (
    BY_TEXT,
    CROWDED,
    RANGE,
    SCAN,
    SINGLE,
    Members,
    Paths,
    is_equality,
    lane_kind,
    sort_of,
)
from tocsin.engine.index.ranges import cuts_of
from tocsin.engine.index.statistics import Statistics

FloatArray = npt.NDArray[np.float64]
_NONE: Final = -1
_HASH, _TEXTS, _LANES = 0, 1, 2
_CANDIDATE = 0.5
"""What it costs to come upon a candidate, in literals checked."""

_MOST_ROUNDS: Final = 64


class Searches(NamedTuple):
    """The searches that literals can be found by, and what each costs an event.

    A literal has up to two: an equality of numbers or times is a range of one value, too.
    """

    sort: Int32Array
    of_literal: Int32Array
    price: FloatArray


class _Choice(NamedTuple):
    """The best and the second-best search of each conjunction."""

    literal: Int32Array
    sort: Int32Array
    search: Int32Array
    cost: FloatArray
    second: FloatArray


@kernel
def _write_sorts(rows, hashing, sort, key):
    """Write how each literal can be found, and which searches that takes part in."""
    for i in range(rows.shape[0]):
        head = rows[i, 0]
        attribute, family = (head >> ATTRIBUTE_SHIFT) << 8, (head >> FAMILY_SHIFT) & OPERATION
        lane = attribute | (_LANES + lane_kind(head))
        sort[i, 0], sort[i, 1] = sort_of(rows[i], hashing), SCAN
        key[i, 0] = key[i, 1] = -1
        if sort[i, 0] == RANGE:
            key[i, 0] = lane
        elif sort[i, 0] != SCAN:
            key[i, 0] = attribute | (_TEXTS if sort[i, 0] == BY_TEXT else _HASH)
        if sort[i, 0] == SINGLE and family != STRING and family != BOOLEAN:
            key[i, 1], sort[i, 1] = lane, RANGE


@kernel
def _two_least(members, begin, end, equalities):
    """Return the literal that lets the fewest events pass, its share, and the next share.

    Where `equalities`, among those alone.
    """
    literal, least, second = np.int32(-1), 1.0, 1.0
    for k in range(begin, end):
        one = members.literal[k]
        share = members.selectivity[one]
        if share < second and (not equalities or is_equality(members.rows[one])):
            if share < least:
                literal, least, second = one, share, least
            else:
                second = share
    return literal, least, second


@kernel
def _choose(members, searches, crowd, is_open, choice):
    """Choose the cheapest search of each conjunction among those that are open.

    The cost is what can be foreseen: the share of events that come upon the conjunction, times the
    literals that are checked then. What found a range is checked again, as the last; an equality
    that finds many is helped by another one.
    """
    for i in range(choice.literal.shape[0]):
        begin, end = members.first[i], members.first[i + 1]
        choice.literal[i] = choice.search[i] = -1
        choice.sort[i] = SCAN
        choice.cost[i] = choice.second[i] = np.inf
        lightest, least, second = _two_least(members, begin, end, False)
        partner, least_equal, second_equal = _two_least(members, begin, end, True)
        for place in range(2 * begin, 2 * end):
            literal, which = members.literal[place // 2], place % 2
            search, sort = searches.of_literal[literal, which], searches.sort[literal, which]
            if search < 0 or not is_open[search]:
                continue
            rest = second if literal == lightest else least
            checks = 1.0 + rest if end - begin > 2 else np.float64(end - begin - 1)
            if sort == RANGE:
                checks += rest
            elif sort == SINGLE and crowd[literal] > CROWDED:
                checks *= second_equal if literal == partner else least_equal
            cost = members.selectivity[literal] * (_CANDIDATE + checks)
            if cost < choice.cost[i]:
                if choice.search[i] != search:
                    choice.second[i] = choice.cost[i]
                choice.cost[i], choice.literal[i] = cost, literal
                choice.search[i], choice.sort[i] = search, sort
            elif search != choice.search[i] and cost < choice.second[i]:
                choice.second[i] = cost


def choose_searches(members: Members, statistics: Statistics, *, hashing: bool) -> Paths:
    """Choose by which literal each conjunction is found, so that events pay the least in all."""
    searches = _searches(members.rows, statistics, hashing=hashing)
    count = len(members.first) - 1
    whole, costs = np.empty((3, count), np.int32), np.empty((2, count))
    choice = _Choice(*whole, *costs)
    crowd = np.bincount(members.literal, minlength=len(members.rows))
    is_open = np.ones(len(searches.price), np.bool_)
    for _ in range(_MOST_ROUNDS):
        _choose(members, searches, crowd, is_open, choice)
        is_used = np.zeros_like(is_open)
        is_used[choice.search[choice.search >= 0]] = True
        if (is_used == is_open).all():
            worst = _dearest(searches.price, choice)
            if worst == _NONE:
                break
            is_used[worst] = False
        is_open = is_used  # what nobody takes first is not paid for, so it is no second choice
    else:
        _choose(members, searches, crowd, is_open, choice)
    return Paths(choice.sort, choice.literal, np.full(count, _NONE, np.int32))


def _dearest(price: FloatArray, choice: _Choice) -> int:
    """Return the search that costs most beyond what it saves; none where each is worth it."""
    found = choice.search >= 0
    if not found.any():
        return _NONE
    more = choice.second[found] - choice.cost[found]
    loss = price - np.bincount(choice.search[found], weights=more, minlength=len(price))
    loss[np.bincount(choice.search[found], minlength=len(price)) == 0] = 0.0
    worst = int(np.argmax(loss))
    return worst if loss[worst] > 0 else _NONE


def _searches(rows: Int64Array, statistics: Statistics, *, hashing: bool) -> Searches:
    sort, key = np.empty((len(rows), 2), np.int32), np.empty((len(rows), 2), np.int64)
    _write_sorts(rows, hashing, sort, key)
    seen = np.zeros(int(key.max(initial=-1)) + 2, np.bool_)
    seen[key] = True
    seen[-1] = False  # where a literal has no search
    keys, number = np.flatnonzero(seen), np.cumsum(seen) - 1
    of_literal = np.where(key < 0, _NONE, number[key]).astype(np.int32)
    flat = np.argsort(of_literal, axis=None, kind="stable")
    ends = np.searchsorted(of_literal.ravel()[flat], np.arange(len(keys) + 1))
    price = [
        _price(key, rows[flat[begin:end] // 2], statistics)
        for key, begin, end in zip(keys.tolist(), ends[:-1], ends[1:], strict=True)
    ]
    return Searches(sort, of_literal, np.array(price))


def _price(key: int, rows: Int64Array, statistics: Statistics) -> float:
    """Return the operations that a search costs an event."""
    attribute, group = key >> 8, key & 255
    if group < _LANES:
        return statistics.presence(attribute)
    cuts = cuts_of(rows[:, 1], np.maximum(rows[:, 1], rows[:, 2]))
    share = statistics.histogram(attribute, group - _LANES, cuts)
    family = int(rows[0, 0]) >> FAMILY_SHIFT & OPERATION
    return statistics.presence(attribute, family) * expected_trials(share)
