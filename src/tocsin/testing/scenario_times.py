"""The virtual clock of a scenario: times since its start, and names for its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tocsin.errors import DurationError, TimeError, TocsinError
from tocsin.language.load import load_program
from tocsin.model.durations import parse_duration
from tocsin.model.rows import TIME_NAMES
from tocsin.model.times import TimeForm, format_time, parse_time, time_form_of
from tocsin.model.values import Timestamp
from tocsin.testing.scenario_keys import Table

AT: Final = "$at"
"""In a row: when the event happens, as a duration since the start."""

LABEL: Final = "$label"
"""In a row: a name for it, which `events` of an expected notification may use."""

_RELATIVE: Final = ("$clock", "$end")
_EPOCH: Final = Timestamp(0)


@dataclass(frozen=True, slots=True)
class Start:
    """When the scenario starts, and how its times are written."""

    moment: Timestamp = _EPOCH
    form: TimeForm = TimeForm.MILLISECONDS

    @classmethod
    def of(cls, table: Table) -> Start:
        """Return the start a table names, or the moment 0 in milliseconds."""
        value = table.values.get("start")
        if value is None:
            return cls()
        try:
            return cls(parse_time(value), time_form_of(value))
        except TimeError as error:
            return table.fail(str(error), "Write start = 2026-01-31T12:00:00Z.", key="start")

    def moment_of(self, key: str, table: Table) -> Timestamp:
        """Return the moment a key names: a time, or a duration since the start."""
        value = table.values[key]
        relative = self._since_start(value)
        if relative is not None:
            return relative
        try:
            return parse_time(value)
        except TimeError:
            hint = "Write a time, or a duration since the start such as '5 min'."
            return table.fail(f"{value!r} is neither a time nor a duration", hint, key=key)

    def shown(self, key: str, table: Table) -> object:
        """Return what a row gets for a key: a duration since the start becomes a time."""
        value = table.values[key]
        relative = self._since_start(value)
        return value if relative is None else format_time(relative, self.form)

    def _since_start(self, value: object) -> Timestamp | None:
        if not isinstance(value, str):
            return None
        try:
            return Timestamp(self.moment + parse_duration(value))
        except DurationError:
            return None


def time_attributes(subscriptions: str | Path, time: object) -> dict[str | None, str]:
    """Return the attribute that carries the time, by stream; under None that of any other."""
    names: dict[str | None, str] = {None: time if isinstance(time, str) else TIME_NAMES[0]}
    try:
        streams = load_program(subscriptions).streams
    except TocsinError:  # running the case tells what is wrong with the text
        return names
    names.update({stream.name: stream.time for stream in streams if stream.time is not None})
    if len(names) == 2 and time is None:
        names[None] = next(name for stream, name in names.items() if stream is not None)
    return names


def timed_rows(
    rows: list[Table], start: Start, attributes: Mapping[str | None, str]
) -> tuple[Mapping[str, object], ...]:
    """Return the rows as `tocsin.match` takes them, without the keys of scenarios."""
    return tuple(_timed(row, start, attributes) for row in rows)


def _timed(row: Table, start: Start, attributes: Mapping[str | None, str]) -> Mapping[str, object]:
    values = {
        key: start.shown(key, row) if key in _RELATIVE else value
        for key, value in row.values.items()
        if key not in (AT, LABEL)
    }
    if AT not in row.values:
        return values
    stream = values.get("$stream")
    known = stream if isinstance(stream, str) and stream in attributes else None
    name = attributes[known]
    if name in values:
        row.fail(f"has {AT} and {name}, which both are its time", "Keep one of them.")
    return {name: format_time(start.moment_of(AT, row), start.form), **values}


def labels_of(rows: list[Table]) -> dict[str, int]:
    """Return the places of the rows that have a name."""
    labels: dict[str, int] = {}
    for place, row in enumerate(rows):
        label = row.get(LABEL, str, f'"{LABEL}" = "first"')
        if label in labels:
            what = f"'{label}' already names row {labels[label]}"
            row.fail(what, "Choose another name.", key=LABEL)
        if label is not None:
            labels[label] = place
    return labels
