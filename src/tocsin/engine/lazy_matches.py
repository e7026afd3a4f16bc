"""Notifications that are made when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from tocsin.engine.lane_unit import Decoded, LaneUnit
from tocsin.engine.linear import Found
from tocsin.engine.linear.arrays import IN_STEP, Int64Array
from tocsin.model.notification import Notification


class LazyMatches(Sequence[Notification]):
    """The matches of lanes over a batch, in the order of notifications.

    Parameters
    ----------
    parts
        The matches of each lane, with the places of its events in the batch.
    """

    def __init__(self, parts: Sequence[tuple[LaneUnit, Int64Array, Found]]) -> None:
        self._parts = [(unit, found) for unit, _, found in parts]
        self._ends = np.cumsum([found.size for _, found in self._parts])
        self._decoded = [Decoded(found, unit) for unit, found in self._parts]
        self._members = [
            {number: unit.members[number] for number in np.unique(found.subscription).tolist()}
            for unit, found in self._parts
        ]  # now: they may be gone when somebody looks
        self._order = _merged(parts) if len({id(unit) for unit, _, _ in parts}) > 1 else None

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def __iter__(self) -> Iterator[Notification]:
        if self._order is not None:
            yield from (self[i] for i in range(len(self)))
            return
        for (_, found), decoded, members in zip(
            self._parts, self._decoded, self._members, strict=True
        ):
            decoded.decode_all()
            for match, number in enumerate(found.subscription.tolist()):
                yield decoded.notification(match, members[number])

    @overload
    def __getitem__(self, index: int) -> Notification: ...

    @overload
    def __getitem__(self, index: slice) -> list[Notification]: ...

    def __getitem__(self, index: int | slice) -> Notification | list[Notification]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            msg = "there are not so many notifications"
            raise IndexError(msg)
        place = place if self._order is None else int(self._order[place])
        part = int(np.searchsorted(self._ends, place, side="right"))
        _, found = self._parts[part]
        match = place - (int(self._ends[part]) - found.size)
        member = self._members[part][int(found.subscription[match])]
        return self._decoded[part].notification(match, member)


def _merged(parts: Sequence[tuple[LaneUnit, Int64Array, Found]]) -> Int64Array:
    """Return the order of the matches of several lanes."""
    keys = []
    for unit, own, found in parts:
        steps = found.kept.where[found.kept_row, IN_STEP]
        for i in range(found.size):
            inside = slice(int(found.first[i]), int(found.first[i + 1]))
            order = int(unit.lane.order_of[found.subscription[i]])
            event, atoms = int(own[found.event[i]]), tuple(found.leaf[inside].tolist())
            keys.append((event, tuple(steps[inside].tolist()), order, atoms))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


class Chained(Sequence[Notification]):
    """Several sequences of notifications, one behind the other."""

    def __init__(self, parts: Sequence[Sequence[Notification]]) -> None:
        self._parts = parts
        self._ends = np.cumsum([len(part) for part in parts])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __iter__(self) -> Iterator[Notification]:
        for part in self._parts:
            yield from part

    @overload
    def __getitem__(self, index: int) -> Notification: ...

    @overload
    def __getitem__(self, index: slice) -> list[Notification]: ...

    def __getitem__(self, index: int | slice) -> Notification | list[Notification]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            msg = "there are not so many notifications"
            raise IndexError(msg)
        part = int(np.searchsorted(self._ends, place, side="right"))
        return self._parts[part][place - (int(self._ends[part]) - len(self._parts[part]))]


def chained(parts: Sequence[Sequence[Notification]]) -> Sequence[Notification]:
    """Return all notifications of several sequences, in their order."""
    full = [part for part in parts if len(part)]
    return Chained(full) if len(full) > 1 else full[0] if full else []
