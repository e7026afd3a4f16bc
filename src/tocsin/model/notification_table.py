"""Notifications as an Arrow table or a DataFrame."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Sized
from functools import cache
from itertools import chain, pairwise
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pyarrow as pa

from tocsin.errors import ConfigurationError
from tocsin.model.notification import Notification, json_value
from tocsin.model.times import TimeForm
from tocsin.model.values import Kind, Value, is_missing, kind_of

if TYPE_CHECKING:
    import pandas as pd

MOMENT: Final = pa.timestamp("us", tz="UTC")
_JSON_MAP: Final = pa.map_(pa.string(), pa.string())
_FIXED: Final[list[tuple[str, Any]]] = [
    ("subscription", pa.string()),
    ("kind", pa.string()),
    ("at", MOMENT),
    ("position", pa.int64()),
    ("begin", MOMENT),
    ("end", MOMENT),
    ("events", pa.map_(pa.string(), pa.list_(pa.int64()))),
]
_MAPS: Final[list[tuple[str, Any]]] = [("variables", _JSON_MAP), ("emit", _JSON_MAP)]
_DEGREE: Final[list[tuple[str, Any]]] = [("possibility", pa.float64()), ("necessity", pa.float64())]

NOTIFICATION_SCHEMA: Final = pa.schema([*_FIXED, *_MAPS, *_DEGREE])
"""The columns of `Notifications.to_arrow`."""

_JSON: Final = json.JSONEncoder(ensure_ascii=False)
_TYPE_OF_KIND: Final[dict[Kind, Any]] = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.INTEGER: pa.int64(),
    Kind.FLOAT: pa.float64(),
    Kind.STRING: pa.string(),
    Kind.TIMESTAMP: MOMENT,
    Kind.DURATION: pa.duration("us"),
}


def to_arrow(items: Sequence[Notification], form: TimeForm, *, typed: bool) -> pa.Table:
    """Return one row for each notification; see `Notifications.to_arrow`."""
    made_by_itself = getattr(items, "to_arrow", None)
    if made_by_itself is not None and not typed:
        return cast(pa.Table, made_by_itself(form))
    rows = list(items)
    columns = {name: _fixed_column(rows, name, of) for name, of in _FIXED}
    if typed:
        columns |= _typed_columns(_one_subscription(rows), form)
    else:
        columns |= {name: _json_maps([getattr(r, name) for r in rows], form) for name, _ in _MAPS}
    columns |= {name: _fixed_column(rows, name, of) for name, of in _DEGREE}
    return pa.table(columns)


def to_pandas(items: Sequence[Notification], form: TimeForm, *, typed: bool) -> pd.DataFrame:
    """Return one row for each notification; see `Notifications.to_pandas`."""
    try:
        import pandas as pd  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = "to_pandas needs pandas; install it with pip install 'tocsin[pandas]'"
        raise ConfigurationError(msg) from error
    table = to_arrow(items, form, typed=typed)
    mapper: Any = {pa.int64(): pd.Int64Dtype()}.get  # a float would lose digits of a position
    maps: list[str] = [
        name for name in ("events", "variables", "emit") if name in table.column_names
    ]
    frame = table.drop_columns(maps).to_pandas(types_mapper=mapper)
    for name in maps:
        cells = pd.Series(_dicts(table[name], name), dtype=object)
        frame.insert(table.column_names.index(name), name, cells)
    return frame


def _fixed_column(rows: Sequence[Notification], name: str, of: Any) -> Any:
    cells = [getattr(row, name) for row in rows]
    if of == MOMENT:  # as integers, which Arrow takes faster than moments one by one
        return pa.array(np.array(cells, np.int64)).view(of)
    return _event_maps(cells) if name == "events" else pa.array(cells, of)


def _event_maps(maps: Sequence[Mapping[str, tuple[int | None, ...]]]) -> Any:
    places = list(chain.from_iterable(found.values() for found in maps))
    flat = pa.array(list(chain.from_iterable(places)), pa.int64())
    return _maps(maps, pa.ListArray.from_arrays(_offsets(places), flat))


def _json_maps(maps: Sequence[Mapping[str, Value]], form: TimeForm) -> Any:
    values = chain.from_iterable(found.values() for found in maps)
    return _maps(maps, pa.array([json_text(value, form) for value in values], pa.string()))


def _maps(maps: Sequence[Mapping[str, object]], values: Any) -> Any:
    """Return a column of maps from all their values, one after the other."""
    keys = pa.array(list(chain.from_iterable(maps)), pa.string())
    return pa.MapArray.from_arrays(_offsets(maps), keys, values)


def _offsets(parts: Sequence[Sized]) -> Any:
    return pa.array(np.cumsum([0, *map(len, parts)]), pa.int32())


def _dicts(column: Any, name: str) -> list[dict[str, Any]]:
    """Return the maps of a column as `to_dicts` shows them."""
    maps = column.combine_chunks()
    keys, values = maps.keys.to_pylist(), maps.items.to_pylist()
    if name != "events":
        values = list(map(cache(_from_json), values))  # the same few come again and again
    offsets = maps.offsets.to_pylist()
    parts = (slice(start, end) for start, end in pairwise(offsets))
    return [dict(zip(keys[part], values[part], strict=True)) for part in parts]


def _from_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def json_text(value: Value, form: TimeForm) -> str | None:
    """Return a value as JSON, None where it is missing.

    Examples
    --------
    >>> json_text("10.0.0.1", TimeForm.ISO), json_text(None, TimeForm.ISO)
    ('"10.0.0.1"', None)
    """
    if type(value) is str:  # most of them; the encoder would ask what it is first
        return encode_basestring(value)
    if is_missing(value):
        return None
    plain = json_value(value, form)
    # JSON writes numbers as Python does; asking it costs ten times as much.
    is_number = type(plain) is int or type(plain) is float
    return repr(plain) if is_number else _JSON.encode(plain)


def _one_subscription(rows: Sequence[Notification]) -> Sequence[Notification]:
    names = sorted({row.subscription for row in rows})
    if len(names) > 1:
        msg = (
            f"typed=True needs notifications of one subscription, but here are {len(names)}, such "
            f"as '{names[0]}' and '{names[1]}'; keep those of one"
        )
        raise ConfigurationError(msg)
    return rows


def _typed_columns(rows: Sequence[Notification], form: TimeForm) -> dict[str, Any]:
    columns = {}
    for part in ("variables", "emit"):
        maps: list[Mapping[str, Value]] = [getattr(row, part) for row in rows]
        for name in dict.fromkeys(key for found in maps for key in found):
            cells = [found.get(name) for found in maps]
            columns[f"{part}.{name}"] = _typed_column(cells, form)
    return columns


def _typed_column(cells: Sequence[Value], form: TimeForm) -> Any:
    """Return a column of the one kind its values have; of mixed kinds, their JSON."""
    present = [None if is_missing(cell) else cell for cell in cells]
    kinds = {kind_of(cell) for cell in present if cell is not None}
    if kinds == {Kind.INTEGER, Kind.FLOAT}:
        return pa.array([None if c is None else float(c) for c in present], pa.float64())
    if len(kinds) > 1:
        return pa.array([json_text(cell, form) for cell in present], pa.string())
    return pa.array(present, _TYPE_OF_KIND[kinds.pop()] if kinds else pa.null())
