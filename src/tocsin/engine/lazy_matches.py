"""Notifications that are made when somebody looks at them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Final, overload

import numpy as np
import pyarrow as pa

from tocsin.engine.batch_steps import Runs
from tocsin.engine.complete import Complete
from tocsin.engine.linear.arrays import IN_STEP, Int64Array
from tocsin.engine.match_reading import read_matches
from tocsin.engine.match_table import matches_to_arrow
from tocsin.engine.members import Member, place_of
from tocsin.model.notification import Notification
from tocsin.model.notification_table import NOTIFICATION_SCHEMA, to_arrow
from tocsin.model.times import TimeForm

_BLOCK: Final = 16  # so many are made together where one is asked for


class Parts(Sequence[Notification], ABC):
    """Notifications in several parts, of which `ends` says where each ends."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._ends = np.cumsum(sizes)
        self._last_block: tuple[int, list[Notification]] = (-1, [])

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    @overload
    def __getitem__(self, index: int) -> Notification: ...

    @overload
    def __getitem__(self, index: slice) -> list[Notification]: ...

    def __getitem__(self, index: int | slice) -> Notification | list[Notification]:
        if isinstance(index, slice):
            return self.several(np.arange(*index.indices(len(self))))
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            msg = "there are not so many notifications"
            raise IndexError(msg)
        return self._block_with(place)[place % _BLOCK]

    def _block_with(self, place: int) -> list[Notification]:
        """Return the notifications beside a place: who asks for one often asks for the next."""
        number, block = self._last_block
        if number != place // _BLOCK:
            number = place // _BLOCK
            block = self[number * _BLOCK : (number + 1) * _BLOCK]
            self._last_block = (number, block)
        return block

    def several(self, places: Int64Array) -> list[Notification]:
        """Return the notifications in some places, those of a part together."""
        return [one for part, inside in self.by_part(places) for one in self.read(part, inside)]

    def by_part(self, places: Int64Array) -> Iterator[tuple[int, Int64Array]]:
        """Yield the parts of some places, each with what of it is meant."""
        stored = self.stored(places)
        part_of = np.searchsorted(self._ends, stored, side="right")
        inside = stored - np.concatenate([[0], self._ends])[part_of]
        begins = np.flatnonzero(np.diff(part_of, prepend=-1)).tolist()
        for begin, end in pairwise([*begins, len(places)]):
            yield int(part_of[begin]), inside[begin:end]

    @abstractmethod
    def stored(self, places: Int64Array) -> Int64Array:
        """Return where the notifications in some places are, part behind part."""

    @abstractmethod
    def read(self, part: int, inside: Int64Array) -> Iterable[Notification]:
        """Return the notifications in some places of a part."""


class LazyMatches(Parts):
    """The matches of lanes over a batch, in the order of notifications.

    Parameters
    ----------
    runs
        The matches of each lane, with the places of its events in the batch.
    """

    def __init__(self, runs: Runs) -> None:
        self._parts = [matches for _, _, matches in runs]
        self._events = [own[matches.found.event] for _, own, matches in runs]
        is_merged = len({id(unit) for unit, _, _ in runs}) > 1
        self._to_merge = runs if is_merged else None  # they hold a whole batch: not without need
        super().__init__([matches.found.size for matches in self._parts])

    @cached_property
    def _order(self) -> Int64Array | None:
        """The places of the parts in the order of notifications; None where they stand in it."""
        return None if self._to_merge is None else _merged(self._to_merge)

    def __iter__(self) -> Iterator[Notification]:
        every = chain.from_iterable(map(read_matches, self._parts))
        if self._order is None:
            return every
        read = list(every)
        return map(read.__getitem__, self._order.tolist())

    def stored(self, places: Int64Array) -> Int64Array:
        """Return where the notifications in some places are, part behind part."""
        return places if self._order is None else self._order[places]

    def read(self, part: int, inside: Int64Array) -> Iterable[Notification]:
        """Return the notifications in some places of a part."""
        return read_matches(self._parts[part].chosen(inside))

    def events(self) -> Int64Array:
        """Return the event of the batch that completes each match."""
        events = np.concatenate([np.zeros(0, np.int64), *self._events])
        return events if self._order is None else events[self._order]

    def completes(self, places: Int64Array) -> Iterator[tuple[Member, Complete]]:
        """Yield subscription and match in some places, as the general road has them."""
        for part, inside in self.by_part(places):
            for _, member, complete in self._parts[part].chosen(inside).completes():
                yield member, complete

    def to_arrow(self, form: TimeForm) -> pa.Table:
        """Return the table of `Notifications.to_arrow`, made by column."""
        table = NOTIFICATION_SCHEMA.empty_table()
        if self._parts:
            table = pa.concat_tables([matches_to_arrow(part, form) for part in self._parts])
        return table if self._order is None else table.take(self._order)


def _merged(runs: Runs) -> Int64Array:
    """Return the order of the matches of several lanes."""
    keys = []
    for _, own, matches in runs:
        found = matches.found
        steps = found.kept.where[found.kept_row, IN_STEP]
        order_of = {number: member.order for number, member in matches.members.items()}
        for i, number in enumerate(found.subscription.tolist()):
            inside = slice(int(found.first[i]), int(found.first[i + 1]))
            places = tuple(place_of(step, matches.places) for step in steps[inside].tolist())
            event, atoms = int(own[found.event[i]]), tuple(found.leaf[inside].tolist())
            keys.append((event, places, order_of[number], atoms))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


class Chained(Parts):
    """Several sequences of notifications, one behind the other."""

    def __init__(self, parts: Sequence[Sequence[Notification]]) -> None:
        super().__init__([len(part) for part in parts])
        self._parts = parts

    def __iter__(self) -> Iterator[Notification]:
        for part in self._parts:
            yield from part

    def stored(self, places: Int64Array) -> Int64Array:
        """Return where the notifications in some places are, part behind part."""
        return places

    def read(self, part: int, inside: Int64Array) -> Iterable[Notification]:
        """Return the notifications in some places of a part."""
        items = self._parts[part]
        if isinstance(items, Parts):
            return items.several(inside)
        return map(items.__getitem__, inside.tolist())

    def to_arrow(self, form: TimeForm) -> pa.Table:
        """Return the table of `Notifications.to_arrow`."""
        return pa.concat_tables([to_arrow(part, form, typed=False) for part in self._parts])


def chained(parts: Sequence[Sequence[Notification]]) -> Sequence[Notification]:
    """Return all notifications of several sequences, in their order."""
    full = [part for part in parts if len(part)]
    return Chained(full) if len(full) > 1 else full[0] if full else []
