"""Matches of lanes, made when somebody looks, among notifications that are there already."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.engine.complete import Complete
from tocsin.engine.lazy_matches import LazyMatches, Parts
from tocsin.engine.linear.arrays import Int64Array
from tocsin.engine.members import Member
from tocsin.engine.phase import Notice
from tocsin.model.notification import Notification
from tocsin.model.notification_table import to_arrow
from tocsin.model.times import TimeForm


class MixedMatches(Parts):
    """What lanes and watches have to say about one batch, in the order of notifications.

    Parameters
    ----------
    lanes
        The matches of lanes.
    notices
        What watches report, each with its event of the batch.
    """

    def __init__(self, lanes: LazyMatches, notices: Sequence[tuple[int, Notice]]) -> None:
        super().__init__([len(lanes), len(notices)])
        self._lanes = lanes
        self._others = [notice.notification for _, notice in notices]
        places = _places(lanes, notices)
        own = np.arange(len(lanes), len(lanes) + len(notices))
        self._order: Int64Array = np.insert(np.arange(len(lanes)), places, own)

    def __iter__(self) -> Iterator[Notification]:
        every = [*self._lanes, *self._others]
        return map(every.__getitem__, self._order.tolist())

    def stored(self, places: Int64Array) -> Int64Array:
        """Return where the notifications in some places are, part behind part."""
        return self._order[places]

    def read(self, part: int, inside: Int64Array) -> Iterable[Notification]:
        """Return the notifications in some places of a part."""
        if part == 0:
            return self._lanes.several(inside)
        return map(self._others.__getitem__, inside.tolist())

    def to_arrow(self, form: TimeForm) -> pa.Table:
        """Return the table of `Notifications.to_arrow`; that of lanes is made by column."""
        parts = [self._lanes.to_arrow(form), to_arrow(self._others, form, typed=False)]
        return pa.concat_tables(parts).take(self._order)


def mixed(lanes: LazyMatches, notices: Sequence[tuple[int, Notice]]) -> Sequence[Notification]:
    """Return all notifications of a batch."""
    if not notices:
        return lanes
    if len(lanes) == 0:
        return [notice.notification for _, notice in notices]
    return MixedMatches(lanes, notices)


def _places(lanes: LazyMatches, notices: Sequence[tuple[int, Notice]]) -> Int64Array:
    """Return before which match of the lanes each notice stands."""
    at, events = np.array([event for event, _ in notices], np.int64), lanes.events()
    places = np.searchsorted(events, at, side="left")
    ends = np.searchsorted(events, at, side="right")
    for i in np.flatnonzero(places < ends).tolist():  # both speak of one event
        keys = [_key(*one) for one in lanes.completes(np.arange(places[i], ends[i]))]
        notice = notices[i][1]
        places[i] += bisect_left(keys, (notice.place, notice.ties))
    return places


def _key(member: Member, complete: Complete) -> tuple[Any, Any]:
    """Return place and ties as a notice has them."""
    return complete.place, (complete.places, member.order, *complete.order()[2:])
