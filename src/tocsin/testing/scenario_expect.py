"""Expected notifications: the fields a scenario names, and how they differ from what came."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tocsin.language.suggest import did_you_mean
from tocsin.model.notification import Notification
from tocsin.model.times import TimeForm, format_time, parse_time
from tocsin.model.values import Timestamp
from tocsin.testing.scenario_keys import Table
from tocsin.testing.scenario_times import Start

TIMES: Final = ("at", "begin", "end")
_MAPPINGS: Final = ("variables", "emit")
_FIELDS: Final = (
    "subscription", "kind", "at", "position", "begin", "end", "events", "variables", "emit",
    "possibility", "necessity",
)  # fmt: skip
MISSING: Final = {"missing": True}
"""How a scenario says that a value is null: `{missing = true}`."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The fields an expected notification names; the others may be anything."""

    plain: Mapping[str, object] = field(default_factory=dict)
    times: Mapping[str, Timestamp] = field(default_factory=dict)
    events: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    mappings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def fits(self, found: Notification, form: TimeForm) -> bool:
        """Say whether every named field is as expected."""
        return next(self._differences(found, form), None) is None

    def differences(self, found: Notification, form: TimeForm) -> list[str]:
        """Return a line for each named field that is otherwise."""
        return list(self._differences(found, form))

    def _differences(self, found: Notification, form: TimeForm) -> Iterator[str]:
        shown = found.to_dict(form)
        for name, value in self.plain.items():
            if not _same(value, shown[name]):
                yield _difference(name, value, shown[name])
        for name, moment in self.times.items():
            if getattr(found, name) != moment:
                yield f"{name}: expected {format_time(moment, form)}, came {shown[name]}"
        for alias, rows in self.events.items():
            came = found.events.get(alias)
            if came != rows:
                yield _difference(f"events.{alias}", list(rows), came and list(came))
        for name, values in self.mappings.items():
            came_values = shown[name]
            if not isinstance(came_values, Mapping):
                raise AssertionError(name)
            for key, value in values.items():
                if not _same(value, came_values.get(key)):
                    yield _difference(f"{name}.{key}", value, came_values.get(key))

    def describe(self, form: TimeForm) -> str:
        """Return the named fields in one line."""
        rest = {name: value for name, value in self.plain.items() if name != "subscription"}
        said = [str(self.plain.get("subscription", "any subscription"))]
        said += [f"{name}={format_time(moment, form)}" for name, moment in self.times.items()]
        said += [f"{name}={_show(value)}" for name, value in rest.items()]
        said += [f"{alias}={_show(list(rows))}" for alias, rows in self.events.items()]
        for values in self.mappings.values():
            said += [f"{key}={_show(value)}" for key, value in values.items()]
        return " ".join(said)


def describe_notification(found: Notification, form: TimeForm) -> str:
    """Return a notification in one line, as `Expectation.describe` does."""
    said = [found.subscription, f"at={format_time(found.at, form)}"]
    said += [f"{alias}={_show(list(rows))}" for alias, rows in found.events.items() if rows]
    shown = found.to_dict(form)
    values = shown["emit"] or shown["variables"]
    if isinstance(values, Mapping):
        said += [f"{key}={_show(value)}" for key, value in values.items()]
    return " ".join(said)


def read_expectations(
    case: Table, key: str, start: Start, labels: Mapping[str, int]
) -> tuple[Expectation, ...]:
    """Read a list of expected notifications; a text alone is the name of a subscription."""
    example = f'{key} = [{{subscription = "intrusion", events = {{a = [0]}}}}]'
    rows = case.get(key, list, example) or []
    named = [{"subscription": row} if isinstance(row, str) else row for row in rows]
    tables = Table(case.path, case.where, {key: named}).tables(key, example) or []
    return tuple(_expectation(table, start, labels) for table in tables)


def _expectation(table: Table, start: Start, labels: Mapping[str, int]) -> Expectation:
    table.allow(_FIELDS)
    simple = [name for name in table.values if name not in (*TIMES, *_MAPPINGS, "events")]
    events = table.get("events", dict, "events = {a = [0], b = [1, 2]}") or {}
    return Expectation(
        plain={name: _plain(table, name, labels) for name in simple},
        times={name: start.moment_of(name, table) for name in TIMES if name in table.values},
        events={alias: _rows(table, alias, value, labels) for alias, value in events.items()},
        mappings={
            name: table.get(name, dict, f'{name} = {{ip = "10.0.0.1"}}') or {}
            for name in _MAPPINGS
            if name in table.values
        },
    )


def _plain(table: Table, name: str, labels: Mapping[str, int]) -> object:
    value = table.values[name]
    if name == "position" and isinstance(value, str):
        return _row(table, "position", value, labels)
    return value


def _rows(table: Table, alias: str, value: object, labels: Mapping[str, int]) -> tuple[int, ...]:
    many = value if isinstance(value, list) else [value]
    return tuple(_row(table, f"events.{alias}", one, labels) for one in many)


def _row(table: Table, key: str, value: object, labels: Mapping[str, int]) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value in labels:
        return labels[value]
    hint = did_you_mean(value, labels) if isinstance(value, str) else ""
    what = f"{value!r} is neither the number of a row nor the $label of one"
    return table.fail(what, hint or "Rows are counted from 0.", key=key)


def _same(expected: object, came: object) -> bool:
    if expected == MISSING:
        return came is None
    if isinstance(expected, dt.date):
        return (
            isinstance(came, str | int)
            and not isinstance(came, bool)
            and _moment(came) == (parse_time(expected))
        )
    if isinstance(expected, bool) or isinstance(came, bool):
        return expected is came
    if isinstance(expected, int | float) and isinstance(came, int | float):
        return math.isclose(expected, came, rel_tol=1e-9, abs_tol=1e-12)
    return expected == came


def _moment(value: str | int) -> Timestamp | None:
    try:
        return parse_time(value)
    except ValueError:
        return None


def _difference(name: str, expected: object, came: object) -> str:
    return f"{name}: expected {_show(expected)}, came {_show(came)}"


def _show(value: object) -> str:
    if value is None or value == MISSING:
        return "nothing"
    if isinstance(value, dt.date):
        return str(format_time(parse_time(value), TimeForm.ISO))
    if isinstance(value, list) and len(value) == 1:
        return str(value[0])
    return repr(value) if isinstance(value, str) else str(value)
