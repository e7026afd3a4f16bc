"""Notifications as an Arrow table or a DataFrame."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tocsin.errors import ConfigurationError
from tocsin.model.notification import Notification, json_value
from tocsin.model.times import TimeForm
from tocsin.model.values import Kind, Value, is_missing, kind_of

if TYPE_CHECKING:
    import pandas as pd

_MOMENT: Final = pa.timestamp("us", tz="UTC")
_JSON_MAP: Final = pa.map_(pa.string(), pa.string())
_FIXED: Final[list[tuple[str, Any]]] = [
    ("subscription", pa.string()),
    ("kind", pa.string()),
    ("at", _MOMENT),
    ("position", pa.int64()),
    ("begin", _MOMENT),
    ("end", _MOMENT),
    ("events", pa.map_(pa.string(), pa.list_(pa.int64()))),
]
_MAPS: Final[list[tuple[str, Any]]] = [("variables", _JSON_MAP), ("emit", _JSON_MAP)]
_DEGREE: Final[list[tuple[str, Any]]] = [("possibility", pa.float64()), ("necessity", pa.float64())]

NOTIFICATION_SCHEMA: Final = pa.schema([*_FIXED, *_MAPS, *_DEGREE])
"""The columns of `Notifications.to_arrow`."""

_TYPE_OF_KIND: Final[dict[Kind, Any]] = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.INTEGER: pa.int64(),
    Kind.FLOAT: pa.float64(),
    Kind.STRING: pa.string(),
    Kind.TIMESTAMP: _MOMENT,
    Kind.DURATION: pa.duration("us"),
}


def to_arrow(items: Iterable[Notification], form: TimeForm, *, typed: bool) -> pa.Table:
    """Return one row for each notification; see `Notifications.to_arrow`."""
    rows = list(items)
    columns = {name: pa.array(_fixed_cells(rows, name), of) for name, of in _FIXED}
    if typed:
        columns |= _typed_columns(_one_subscription(rows), form)
    else:
        columns |= {name: pa.array(_map_cells(rows, name, form), of) for name, of in _MAPS}
    columns |= {name: pa.array(_fixed_cells(rows, name), of) for name, of in _DEGREE}
    return pa.table(columns)


def to_pandas(items: Iterable[Notification], form: TimeForm, *, typed: bool) -> pd.DataFrame:
    """Return one row for each notification; see `Notifications.to_pandas`."""
    try:
        import pandas as pd  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = "to_pandas needs pandas; install it with pip install 'tocsin[pandas]'"
        raise ConfigurationError(msg) from error
    rows = list(items)
    dicts = [row.to_dict(form) for row in rows]
    mapper: Any = {pa.int64(): pd.Int64Dtype()}.get  # a float would lose digits of a position
    frame = to_arrow(rows, form, typed=typed).to_pandas(types_mapper=mapper)
    for name in ("events", "variables", "emit"):
        if name in frame.columns:
            frame[name] = pd.Series([row[name] for row in dicts], dtype=object)
    return frame


def _fixed_cells(rows: Sequence[Notification], name: str) -> list[Any]:
    if name == "events":
        return [[(alias, list(at)) for alias, at in row.events.items()] for row in rows]
    return [getattr(row, name) for row in rows]


def _map_cells(rows: Sequence[Notification], name: str, form: TimeForm) -> list[Any]:
    maps: list[Mapping[str, Value]] = [getattr(row, name) for row in rows]
    return [[(key, _as_json(value, form)) for key, value in found.items()] for found in maps]


def _as_json(value: Value, form: TimeForm) -> str | None:
    return None if is_missing(value) else json.dumps(json_value(value, form), ensure_ascii=False)


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
        return pa.array([_as_json(cell, form) for cell in present], pa.string())
    return pa.array(present, _TYPE_OF_KIND[kinds.pop()] if kinds else pa.null())
