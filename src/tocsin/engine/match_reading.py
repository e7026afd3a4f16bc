"""Notifications of many matches at once, made from columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, TypeVar

from tocsin.engine.columns.decode import values_of
from tocsin.engine.lane_matches import NO_ROW, LaneMatches
from tocsin.engine.match_columns import MatchColumns, Slots
from tocsin.engine.match_emits import emitted_cells
from tocsin.model.notification import Notification
from tocsin.model.values import Timestamp, Value

FEW: Final = 12
"""So many matches that are told in the same way are read sooner one by one than by column."""

_T = TypeVar("_T")


def read_matches(matches: LaneMatches) -> Iterator[Notification]:
    """Return what subscribers are told of the matches of a lane, in their order."""
    ways = len({id(member.telling) for member in matches.members.values()})
    is_few = matches.found.size < FEW * max(ways, 1)
    return _one_by_one(matches) if is_few else _by_column(matches)


def _one_by_one(matches: LaneMatches) -> Iterator[Notification]:
    for _, member, complete in matches.completes():
        yield member.notification(complete, member.emitted(complete))


def _by_column(matches: LaneMatches) -> Iterator[Notification]:
    columns = MatchColumns(matches)
    names = {number: member.name for number, member in matches.members.items()}
    return map(
        Notification,
        map(names.__getitem__, columns.found.subscription.tolist()),
        ["match"] * columns.size,
        map(Timestamp, columns.at_us.tolist()),
        _or_none(columns.row.tolist()),
        map(Timestamp, columns.begin_us.tolist()),
        map(Timestamp, columns.end_us.tolist()),
        _events(columns),
        _variables(columns),
        _emitted(columns),
    )


def _or_none(rows: list[int]) -> list[int | None]:
    return [None if row == NO_ROW else row for row in rows]


def _events(columns: MatchColumns) -> Iterator[dict[str, tuple[int | None, ...]]]:
    slots, first, rows = columns.by_alias()
    flat = _or_none(rows.tolist())
    return _dicts(slots, [tuple(flat[begin:end]) for begin, end in pairwise(first.tolist())])


def _variables(columns: MatchColumns) -> Iterator[dict[str, Value]]:
    slots, cells = columns.variables()
    return _dicts(slots, values_of(*cells, columns.matches.words))


def _emitted(columns: MatchColumns) -> Iterator[dict[str, Value]]:
    slots, cells, others = emitted_cells(columns)
    values = values_of(*cells, columns.matches.words)
    for slot, value in others.items():
        values[slot] = value
    return _dicts(slots, values)


def _dicts(slots: Slots, values: list[_T]) -> Iterator[dict[str, _T]]:
    names = [slots.names[name] for name in slots.name.tolist()]
    for begin, end in pairwise(slots.first.tolist()):
        yield dict(zip(names[begin:end], values[begin:end], strict=True))
