"""The matches of a lane as the table of `Notifications.to_arrow`, made by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring
from typing import Any

import numpy as np
import pyarrow as pa

from tocsin.engine.columns.decode import values_of
from tocsin.engine.columns.kinds import MISSING, STRING
from tocsin.engine.columns.words import Words
from tocsin.engine.lane_matches import NO_ROW, LaneMatches
from tocsin.engine.linear.arrays import Int64Array
from tocsin.engine.match_columns import Cells, MatchColumns, Slots
from tocsin.engine.match_emits import emitted_cells
from tocsin.model.notification_table import MOMENT, NOTIFICATION_SCHEMA, json_text
from tocsin.model.times import TimeForm
from tocsin.model.values import Value


def matches_to_arrow(matches: LaneMatches, form: TimeForm) -> pa.Table:
    """Return one row for each match, in their order; no notification is made."""
    columns = MatchColumns(matches)
    one = np.ones(columns.size)
    arrays = {
        "subscription": _subscriptions(matches),
        "kind": _repeated("match", columns.size),
        "at": pa.array(columns.at_us).view(MOMENT),
        "position": _rows(columns.row),
        "begin": pa.array(columns.begin_us).view(MOMENT),
        "end": pa.array(columns.end_us).view(MOMENT),
        "events": _events(columns),
        "variables": _variables(columns, form),
        "emit": _emitted(columns, form),
        "possibility": pa.array(one),
        "necessity": pa.array(one),
    }
    return pa.table(arrays, schema=NOTIFICATION_SCHEMA)


def _subscriptions(matches: LaneMatches) -> Any:
    names = pa.array([member.name for member in matches.members.values()], pa.string())
    return names.take(matches.member_of_match())


def _repeated(text: str, count: int) -> Any:
    return pa.array([text], pa.string()).take(np.zeros(count, np.int64))


def _rows(rows: Int64Array) -> Any:
    return pa.array(rows, mask=rows == NO_ROW)


def _events(columns: MatchColumns) -> Any:
    slots, first, rows = columns.by_alias()
    return _maps(slots, pa.ListArray.from_arrays(_offsets(first), _rows(rows)))


def _variables(columns: MatchColumns, form: TimeForm) -> Any:
    slots, cells = columns.variables()
    return _maps(slots, _texts(cells, {}, columns.matches.words, form))


def _emitted(columns: MatchColumns, form: TimeForm) -> Any:
    slots, cells, others = emitted_cells(columns)
    return _maps(slots, _texts(cells, others, columns.matches.words, form))


def _maps(slots: Slots, values: Any) -> Any:
    names = pa.array(slots.names, pa.string()).take(slots.name)
    return pa.MapArray.from_arrays(_offsets(slots.first), names, values)


def _offsets(first: Int64Array) -> Any:
    return pa.array(first, pa.int32())


def _texts(cells: Cells, others: Mapping[int, Value], words: Words, form: TimeForm) -> Any:
    """Return values as JSON, each distinct one written once; `others` are no cells."""
    texts: list[str | None] = [None]
    place = np.zeros(len(cells.kind), np.int64)
    for kind in np.unique(cells.kind).tolist():
        if kind == MISSING:
            continue
        chosen = np.flatnonzero(cells.kind == kind)
        coded: Any = pa.array(cells.bits[chosen]).dictionary_encode()
        place[chosen] = len(texts) + coded.indices.to_numpy()
        texts += _json_texts(kind, coded.dictionary.to_numpy(), words, form)
    place[list(others)] = len(texts) + np.arange(len(others))
    texts += [json_text(value, form) for value in others.values()]
    return pa.array(texts, pa.string()).take(place)


def _json_texts(kind: int, bits: Int64Array, words: Words, form: TimeForm) -> Iterable[str | None]:
    if kind == STRING:  # most are, and of strings nothing is asked one by one
        return map(encode_basestring, map(words.texts.__getitem__, bits.tolist()))
    values = values_of(np.full(len(bits), kind, np.uint8), bits, words)
    return [json_text(value, form) for value in values]
