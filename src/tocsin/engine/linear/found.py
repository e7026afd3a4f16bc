# mypy: disable-error-code="no-untyped-def"
"""Complete matches as arrays, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tocsin.engine.linear.arrays import AT, IN_ROW, Int32Array, Int64Array, Kept
from tocsin.engine.linear.kernels import kernel

_FEW = 12  # so many are sorted by insertion
_SPARSE = 16  # fewer than one number in so many are sorted; otherwise all places are looked at


class Found(NamedTuple):
    """Complete matches of a batch, in the order of notifications.

    The events of match i are those from `first[i]` to `first[i + 1]`, oldest first: rows of `kept`,
    which nobody changes any more, and the atoms they play.

    Attributes
    ----------
    event
        The place of the completing event in the batch.
    subscription
        Who matches, by its number in the lane.
    """

    event: Int32Array
    subscription: Int32Array
    first: Int64Array
    kept_row: Int32Array
    leaf: Int32Array
    kept: Kept

    @property
    def size(self) -> int:
        """How many matches there are."""
        return len(self.event)

    def rows(self) -> Int64Array:
        """Return the input rows of all events of all matches."""
        rows: Int64Array = self.kept.where[self.kept_row, IN_ROW]
        return rows

    def alone(self) -> Found:
        """Return the matches with the events that they hold and no others."""
        rows, kept_row = _numbered(self.kept_row, len(self.kept.where))
        kept = Kept._make(array[rows] for array in self.kept)
        return self._replace(kept_row=kept_row.astype(np.int32), kept=kept)

    def chosen(self, chosen: Int64Array) -> Found:
        """Return some of the matches, in the order given."""
        if len(chosen) == self.size and np.array_equal(chosen, np.arange(self.size)):
            return self  # they stand in their order most of the time
        counts = self.first[chosen + 1] - self.first[chosen]
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        inside = np.repeat(self.first[chosen] - first[:-1], counts) + np.arange(first[-1])
        return Found(
            self.event[chosen],
            self.subscription[chosen],
            first,
            self.kept_row[inside],
            self.leaf[inside],
            self.kept,
        )


def _numbered(numbers: Int32Array, end: int) -> tuple[Int64Array, Int64Array]:
    """Return the distinct numbers, which grow and lie before the end, and which each one is."""
    if len(numbers) < end // _SPARSE:
        return np.unique(numbers, return_inverse=True)
    is_there = np.zeros(end, np.bool_)
    is_there[numbers] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[numbers]


def in_order(parts: Sequence[Found], order: Int64Array) -> Found:
    """Return the matches of events that were processed in an order, as these stand in the batch.

    All matches of an event lie in one part, side by side.
    """
    whole = parts[0] if len(parts) == 1 else _joined(parts)
    return by_event(whole._replace(event=order[whole.event].astype(np.int32)))


def by_event(found: Found) -> Found:
    """Return matches by the events that complete them."""
    return found.chosen(np.argsort(found.event, kind="stable"))


def as_told(found: Found, rank: Int64Array) -> Found:
    """Return matches that come by their events in the order of notifications.

    Parameters
    ----------
    rank
        That of each subscription.
    """
    if found.size < 2:
        return found
    order, room = np.empty(found.size, np.int64), np.empty(found.size, np.int64)
    positions = found.kept.where[found.kept_row, AT]
    sort_matches(
        found.event, rank, found.subscription, found.first, positions, found.leaf, order, room
    )
    return found.chosen(order)


def merged(one: Found, other: Found, rank: Int64Array) -> Found:
    """Return all matches in the order of notifications, wherever they were found."""
    return as_told(by_event(_joined([one, other])), rank)


def _joined(parts: Sequence[Found]) -> Found:
    """Return the matches of parts, one behind the other."""
    entries = np.cumsum([0, *(len(part.kept_row) for part in parts)])
    rows = np.cumsum([0, *(len(part.kept.where) for part in parts)])
    numbered = list(enumerate(parts))
    return Found(
        np.concatenate([part.event for part in parts]),
        np.concatenate([part.subscription for part in parts]),
        np.concatenate([[0], *(part.first[1:] + entries[n] for n, part in numbered)]),
        np.concatenate([part.kept_row + np.int32(rows[n]) for n, part in numbered]),
        np.concatenate([part.leaf for part in parts]),
        Kept._make(map(np.concatenate, zip(*(part.kept for part in parts), strict=True))),
    )


@kernel
def _is_before(one, other, rank, subscription, first, position, leaf):
    """Say whether a match comes before another that the same event completes."""
    length = min(first[one + 1] - first[one], first[other + 1] - first[other])
    for i in range(length):
        left, right = position[first[one] + i], position[first[other] + i]
        if left != right:
            return left < right
    lengths = first[one + 1] - first[one], first[other + 1] - first[other]
    if lengths[0] != lengths[1]:
        return lengths[0] < lengths[1]
    left, right = rank[subscription[one]], rank[subscription[other]]
    if left != right:
        return left < right
    for i in range(length):
        if leaf[first[one] + i] != leaf[first[other] + i]:
            return leaf[first[one] + i] < leaf[first[other] + i]
    return False


@kernel
def _insertion_sort(begin, end, order, rank, subscription, first, position, leaf):
    for i in range(begin + 1, end):
        match = order[i]
        place = i
        while place > begin and _is_before(
            match, order[place - 1], rank, subscription, first, position, leaf
        ):
            order[place] = order[place - 1]
            place -= 1
        order[place] = match


@kernel
def _merge_sort(begin, end, order, room, rank, subscription, first, position, leaf):
    """Sort runs by insertion, then merge them pair by pair."""
    for start in range(begin, end, _FEW):
        stop = min(start + _FEW, end)
        _insertion_sort(start, stop, order, rank, subscription, first, position, leaf)
    width = _FEW
    while width < end - begin:
        for start in range(begin, end, 2 * width):
            middle, stop = min(start + width, end), min(start + 2 * width, end)
            left, right = start, middle
            for place in range(start, stop):
                takes_right = left == middle or (
                    right < stop
                    and _is_before(
                        order[right], order[left], rank, subscription, first, position, leaf
                    )
                )
                if takes_right:
                    room[place] = order[right]
                    right += 1
                else:
                    room[place] = order[left]
                    left += 1
        for place in range(begin, end):
            order[place] = room[place]
        width *= 2


@kernel
def sort_matches(event, rank, subscription, first, position, leaf, order, room):
    """Write the order of notifications: by event, then by positions, subscription and atoms.

    The matches come in the order of their events already; `rank` is that of a subscription.
    """
    begin = 0
    while begin < event.shape[0]:
        end = begin
        while end < event.shape[0] and event[end] == event[begin]:
            order[end] = end
            end += 1
        if end - begin > 1:
            _merge_sort(begin, end, order, room, rank, subscription, first, position, leaf)
        begin = end
