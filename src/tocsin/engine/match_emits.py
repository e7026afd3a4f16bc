"""What EMIT asks for of many matches: by column where it is plain, else match by match."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tocsin.engine.columns.batch import cell_of
from tocsin.engine.columns.kinds import DURATION, INTEGER
from tocsin.engine.lane_matches import Decoded
from tocsin.engine.linear.arrays import Int64Array
from tocsin.engine.match_columns import Cells, MatchColumns, Slots
from tocsin.engine.members import Member
from tocsin.engine.telling import LinearTelling
from tocsin.language.tree import (
    Aggregate,
    EventReference,
    Expression,
    Literal,
    MatchDuration,
    OfEvent,
    TimeOf,
    Variable,
)
from tocsin.language.tree.naming import emitted_name
from tocsin.model.values import Value


def emitted_cells(columns: MatchColumns) -> tuple[Slots, Cells, dict[int, Value]]:
    """Return the fields of each match, their values, and by field the values that are no cells."""
    slots = columns.slots([emitted_names(one) for one in columns.tellings])
    cells = Cells(np.zeros(len(slots.name), np.uint8), np.zeros(len(slots.name), np.int64))
    others: dict[int, Value] = {}
    members = _by_telling(columns.matches.members)
    order = np.argsort(columns.telling, kind="stable")
    ends = np.cumsum(np.bincount(columns.telling, minlength=len(columns.tellings)))[:-1]
    for telling, chosen in zip(columns.tellings, np.split(order, ends), strict=True):
        if telling.tree.emit and len(chosen):
            own = columns.matches.chosen(chosen)._replace(members=members[id(telling)])
            others |= _put(MatchColumns(own), telling, slots.first[chosen], cells)
    return slots, cells, others


def _by_telling(members: Mapping[int, Member]) -> dict[int, dict[int, Member]]:
    """Return the subscriptions that are told in the same way together, each still in order."""
    found: dict[int, dict[int, Member]] = {}
    for number, member in members.items():
        found.setdefault(id(member.telling), {})[number] = member
    return found


def emitted_names(telling: LinearTelling) -> list[str]:
    """Return the names of what a subscription emits."""
    return [emitted_name(item) for item in telling.tree.emit]


def _put(
    part: MatchColumns, telling: LinearTelling, first: Int64Array, cells: Cells
) -> dict[int, Value]:
    """Put the fields of matches of one telling into their slots; return those that are no cells."""
    rest = []
    for place, item in enumerate(telling.tree.emit):
        plain = plain_cells(part, telling, item.expression)
        if plain is None:
            rest.append(place)
        else:
            cells.kind[first + place], cells.bits[first + place] = plain
    if not rest:
        return {}
    rows = zip(first.tolist(), _by_match(part), strict=True)
    return {slot + place: values[place] for slot, values in rows for place in rest}


def _by_match(part: MatchColumns) -> list[list[Value]]:
    """Make the events of all matches, and ask each match for itself."""
    members, events = part.matches.members, Decoded(part.matches)
    events.decode_all()
    rows = []
    for match, number in enumerate(part.found.subscription.tolist()):
        member = members[number]
        rows.append(list(member.emitted(events.complete(match, member)).values()))
    return rows


def plain_cells(part: MatchColumns, telling: LinearTelling, asked: Expression) -> Cells | None:
    """Return a field by column: a variable, an attribute or a time of an event, a count.

    Everything else, arithmetic for example, gives None.
    """
    match asked:
        case Literal(value) if not isinstance(value, str) or _is_current(part):
            kind, bits = cell_of(value, part.matches.vocabulary)
            return _filled(part, kind, np.full(part.size, bits, np.int64))
        case Variable(name) if name in telling.subscription.variables:
            return part.variable(telling.subscription.variables.index(name))
        case MatchDuration():
            return _filled(part, DURATION, part.end_us - part.begin_us)
        case Aggregate("count", alias, None):
            return _filled(part, INTEGER, part.count_of_alias(alias))
        case OfEvent(EventReference(alias, which), name) if which in _ENTRY_OF:
            return _attribute(part, _ENTRY_OF[which](part, alias), name)
        case TimeOf(function, EventReference(alias, which)) if which in _ENTRY_OF:
            name = "$begin" if function == "begin" else "$end"
            return _attribute(part, _ENTRY_OF[which](part, alias), name)
    return None


def _is_current(part: MatchColumns) -> bool:
    """Say whether the codes of the matches are still those of the vocabulary."""
    return part.matches.words.texts is part.matches.vocabulary.words().texts


_ENTRY_OF: dict[object, Callable[[MatchColumns, str], Int64Array]] = {
    None: MatchColumns.last_of_alias,
    "first": MatchColumns.first_of_alias,
    "last": MatchColumns.last_of_alias,
    "prev": MatchColumns.last_of_alias,
}


def _attribute(part: MatchColumns, entry: Int64Array, name: str) -> Cells:
    attribute = part.matches.vocabulary.attribute(name)
    return part.cells(entry, np.full(len(part.found.leaf), attribute, np.int64))


def _filled(part: MatchColumns, kind: int, bits: Int64Array) -> Cells:
    return Cells(np.full(part.size, kind, np.uint8), bits)
