"""Which matches of a batch are told: the policies of subscriptions, decided on arrays.

DUPLICATES needs no more than the batch. PAIRS and LIMIT look at one match after the other, with
what the subscription has kept so far, but at numbers only: no event is made for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.decode import values_of
from tocsin.engine.columns.kinds import FLOAT, INTEGER
from tocsin.engine.lane_matches import LaneMatches
from tocsin.engine.linear.arrays import AT, IN_STEP, NONE, Int64Array
from tocsin.engine.match_columns import BoolArray, Cells, MatchColumns
from tocsin.engine.members import Member, counted, has_policies, place_of
from tocsin.language.tree import Subscription
from tocsin.model.values import Value

_TWO_63 = 2.0**63


def choose(matches: LaneMatches) -> LaneMatches:
    """Return the matches that their subscriptions keep, and let these remember what they kept."""
    choosing = {n: one for n, one in matches.members.items() if has_policies(one.tree)}
    if not choosing:
        return matches
    is_kept = np.ones(matches.found.size, np.bool_)
    _drop_duplicates(matches, choosing, is_kept)
    _drop_by_history(matches, choosing, is_kept)
    kept = np.flatnonzero(is_kept)
    numbers, counts = counted(matches.found.subscription[kept], max(matches.members) + 1)
    for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
        matches.members[number].notified += count
    return matches if len(kept) == matches.found.size else matches.chosen(kept)


def _drop_duplicates(matches: LaneMatches, choosing: dict[int, Member], is_kept: BoolArray) -> None:
    """Of matches that one event completes with equal variables, keep the first or the last."""
    of_tree = {number: one.tree.duplicates for number, one in choosing.items()}
    for which in ("FIRST", "LAST"):
        numbers = [number for number, duplicates in of_tree.items() if duplicates == which]
        if not numbers:
            continue
        several = np.flatnonzero(np.isin(matches.found.subscription, numbers))
        several = several[_has_company(matches, several)]
        if not len(several):
            continue
        part = matches.chosen(several)
        group = _groups(MatchColumns(part))
        one_of_group = np.zeros(len(several), np.int64)
        order = np.arange(len(several)) if which == "LAST" else np.arange(len(several))[::-1]
        one_of_group[group[order]] = order  # the last that is written stays
        is_kept[several] = one_of_group[group] == np.arange(len(several))


def _has_company(matches: LaneMatches, chosen: Int64Array) -> BoolArray:
    """Say which matches have another one of the same event."""
    event = matches.found.event[chosen]
    is_same = event[1:] == event[:-1]
    has_company: BoolArray = np.zeros(len(event), np.bool_)
    has_company[1:] = is_same
    has_company[:-1] |= is_same
    return has_company


def _groups(columns: MatchColumns) -> Int64Array:
    """Number the matches so that those agree that have event, subscription and variables alike."""
    keys: list[npt.NDArray[np.integer[Any]]] = [columns.found.event, columns.found.subscription]
    most = max((len(one.subscription.variables) for one in columns.tellings), default=0)
    for place in range(most):
        keys += _canonical(columns.variable(place))
    order = np.lexsort(keys)
    is_new = np.zeros(len(order), np.bool_)
    for key in keys:
        is_new[1:] |= key[order][1:] != key[order][:-1]
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(is_new)
    return group


def _canonical(cells: Cells) -> Cells:
    """Return cells that are equal where `=` holds: a whole float becomes an integer."""
    number = cells.bits.view(np.float64)
    with np.errstate(invalid="ignore"):  # the bits of other kinds may look like anything
        is_whole = (
            (cells.kind == FLOAT)
            & (number >= -_TWO_63)
            & (number < _TWO_63)
            & (np.floor(number) == number)
        )
    if not is_whole.any():
        return cells
    kind, bits = cells.kind.copy(), cells.bits.copy()
    kind[is_whole], bits[is_whole] = INTEGER, number[is_whole].astype(np.int64)
    return Cells(kind, bits)


def _drop_by_history(matches: LaneMatches, choosing: dict[int, Member], is_kept: BoolArray) -> None:
    """Let PAIRS and LIMIT decide, in the order of notifications."""
    for is_asked, decide in _BY_HISTORY:
        numbers = [number for number, one in choosing.items() if is_asked(one.tree)]
        if numbers:
            chosen = np.flatnonzero(is_kept & np.isin(matches.found.subscription, numbers))
            decided = decide(matches.chosen(chosen))
            is_kept[chosen] = np.fromiter(decided, np.bool_, len(chosen))


def _unique(part: LaneMatches) -> Iterator[bool]:
    found = part.found
    positions = found.kept.where[found.kept_row, AT].tolist()
    inside = pairwise(found.first.tolist())
    for number, (begin, end) in zip(found.subscription.tolist(), inside, strict=True):
        yield part.members[number].policies.is_unique(positions[begin:end])


def _separate(part: LaneMatches) -> Iterator[bool]:
    found, places = part.found, part.places
    steps = found.kept.where[found.kept_row, IN_STEP]
    firsts, lasts = steps[found.first[:-1]].tolist(), steps[found.first[1:] - 1].tolist()
    for number, first, last in zip(found.subscription.tolist(), firsts, lasts, strict=True):
        policies = part.members[number].policies
        yield policies.is_separate(place_of(first, places), place_of(last, places))


def _among_first(part: LaneMatches) -> Iterator[bool]:
    for number, value in zip(part.found.subscription.tolist(), _values(part), strict=True):
        member = part.members[number]
        assert member.tree.limit is not None
        yield member.policies.is_among_first(member.tree.limit, value)


def _values(part: LaneMatches) -> list[Value]:
    """Return by match the value of the variable of `LIMIT n PER $x`, None where there is none."""
    variable = np.full(len(part.members), NONE, np.int64)
    for place, member in enumerate(part.members.values()):
        limit, names = member.tree.limit, member.telling.subscription.variables
        if limit is not None and limit.per is not None:
            variable[place] = names.index(limit.per)
    of_match, columns = variable[part.member_of_match()], MatchColumns(part)
    kind, bits = np.zeros(columns.size, np.uint8), np.zeros(columns.size, np.int64)
    for one in np.unique(of_match[of_match != NONE]).tolist():
        chosen, cells = of_match == one, columns.variable(one)
        kind[chosen], bits[chosen] = cells.kind[chosen], cells.bits[chosen]
    return values_of(kind, bits, part.words)


_Asked: TypeAlias = Callable[[Subscription], bool]
_Decide: TypeAlias = Callable[[LaneMatches], Iterator[bool]]

_BY_HISTORY: Final[tuple[tuple[_Asked, _Decide], ...]] = (
    (lambda tree: tree.pairs == "UNIQUE", _unique),
    (lambda tree: tree.pairs == "SEPARATE", _separate),
    (lambda tree: tree.limit is not None, _among_first),
)
