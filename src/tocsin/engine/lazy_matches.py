"""Notifications that are made when somebody looks at them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from tocsin.engine.lane_unit import Decoded, LaneUnit
from tocsin.engine.linear import Found
from tocsin.engine.linear.arrays import IN_STEP, Int64Array
from tocsin.model.notification import Notification


class Parts(Sequence[Notification], ABC):
    """Notifications in several parts, of which `ends` says where each ends."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._ends = np.cumsum(sizes)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

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
        return self.at(place)

    @abstractmethod
    def at(self, place: int) -> Notification:
        """Return the notification in a place."""

    def part_of(self, place: int) -> tuple[int, int]:
        """Return in which part a place lies, and where in it."""
        part = int(np.searchsorted(self._ends, place, side="right"))
        return part, place - (int(self._ends[part - 1]) if part else 0)


class LazyMatches(Parts):
    """The matches of lanes over a batch, in the order of notifications.

    Parameters
    ----------
    parts
        The matches of each lane, with the places of its events in the batch.
    """

    def __init__(self, parts: Sequence[tuple[LaneUnit, Int64Array, Found]]) -> None:
        self._parts = [(unit, found) for unit, _, found in parts]
        super().__init__([found.size for _, found in self._parts])
        self._decoded = [Decoded(found, unit) for unit, found in self._parts]
        self._members = [
            {number: unit.members[number] for number in np.unique(found.subscription).tolist()}
            for unit, found in self._parts
        ]  # now: they may be gone when somebody looks
        self._order = _merged(parts) if len({id(unit) for unit, _, _ in parts}) > 1 else None

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

    def at(self, place: int) -> Notification:
        """Return the notification in a place."""
        place = place if self._order is None else int(self._order[place])
        part, match = self.part_of(place)
        _, found = self._parts[part]
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


class Chained(Parts):
    """Several sequences of notifications, one behind the other."""

    def __init__(self, parts: Sequence[Sequence[Notification]]) -> None:
        super().__init__([len(part) for part in parts])
        self._parts = parts

    def __iter__(self) -> Iterator[Notification]:
        for part in self._parts:
            yield from part

    def at(self, place: int) -> Notification:
        """Return the notification in a place."""
        part, inside = self.part_of(place)
        return self._parts[part][inside]


def chained(parts: Sequence[Sequence[Notification]]) -> Sequence[Notification]:
    """Return all notifications of several sequences, in their order."""
    full = [part for part in parts if len(part)]
    return Chained(full) if len(full) > 1 else full[0] if full else []
