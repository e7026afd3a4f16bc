"""Scenario files: events at their times, subscriptions, and the notifications to expect."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tocsin.testing.scenario_expect import Expectation, read_expectations
from tocsin.testing.scenario_keys import ScenarioError, Table
from tocsin.testing.scenario_times import Start, labels_of, time_attributes, timed_rows

SUFFIX: Final = ".scenario.toml"
"""Files that end so are scenarios: for `tocsin test`, and for pytest."""

_SHARED: Final = ("subscriptions", "subscriptions_file", "options", "start")
_FILE_KEYS: Final = ("case", *_SHARED)
_CASE_KEYS: Final = (
    "name", *_SHARED, "events", "events_file", "table", "table_file",
    "expect", "includes", "count", "dead_letters", "unordered",
)  # fmt: skip
_OPTIONS: Final = ("time", "stream", "simultaneous", "clock", "engine")
_EVENT_EXAMPLE: Final = 'events = [{ts = 0, status = "denied"}, {"$clock" = 60000}]'


@dataclass(frozen=True, slots=True)
class Case:
    """One case: what goes in, and what must come out.

    Attributes
    ----------
    name
        What the case is called.
    subscriptions
        The text of a program, or the path of one.
    rows, event_files
        The events, as rows or as paths; one of the two is empty.
    table
        The rows of a parameter table, or its path.
    options
        What `tocsin.match` takes by these names.
    expected
        The notifications; None where only their number counts.
    complete
        Whether the expected ones are all of them.
    ordered
        Whether they come in that order.
    counts
        How many notifications; by subscription, or of all under the empty name.
    dead_letters
        How many dead letters; any other number fails the case.
    """

    name: str
    subscriptions: str | Path
    rows: tuple[Mapping[str, object], ...] = ()
    event_files: tuple[Path, ...] = ()
    table: tuple[Mapping[str, object], ...] | Path | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    expected: tuple[Expectation, ...] | None = None
    complete: bool = True
    ordered: bool = True
    counts: Mapping[str, int] = field(default_factory=dict)
    dead_letters: int = 0


@dataclass(frozen=True, slots=True)
class Scenario:
    """The cases of one file."""

    path: Path
    cases: tuple[Case, ...]


def read_scenario(path: Path | str) -> Scenario:
    """Read a scenario file.

    Raises
    ------
    ScenarioError
        The file cannot be read; the message says where and what to write.
    """
    found = Path(path)
    try:
        values = tomllib.loads(found.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(str(found), "", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(str(found), "", "is not UTF-8 text", "Save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        hint = "The TOML language is described at https://toml.io."
        raise ScenarioError(str(found), "", f"is not TOML: {error}", hint) from error
    file = Table(found, "", values)
    file.allow(_FILE_KEYS)
    cases = file.tables("case", '[[case]] with a line such as name = "…"')
    if not cases:
        file.fail("holds no case", 'Begin one with the line [[case]] and name = "…".')
    return Scenario(found, tuple(_case(file, case, place) for place, case in enumerate(cases)))


def _case(file: Table, unnamed: Table, place: int) -> Case:
    name = unnamed.get("name", str, 'name = "three failures, then success"')
    if name is None:
        unnamed.fail("has no name", 'Write name = "…".')
    case = Table(unnamed.path, f"case '{name}'", unnamed.values)
    case.allow(_CASE_KEYS)
    start = Start.of(case if "start" in case.values else file)
    options = {**_options(file, start), **_options(case, start)}
    rows, files = _events(case)
    subscriptions = _subscriptions(file, case)
    expected, complete = _expected(case, start, labels_of(rows))
    counts = _counts(case)
    if expected is None and not counts:
        hint = "Write expect = [] for none, expect = [{subscription = …}], or count = 3."
        case.fail("says nothing about the notifications to expect", hint)
    return Case(
        name=name or str(place),
        subscriptions=subscriptions,
        rows=timed_rows(rows, start, time_attributes(subscriptions, options.get("time"))),
        event_files=files,
        table=_parameters(case),
        options=options,
        expected=expected,
        complete=complete,
        ordered=not case.get("unordered", bool, "unordered = true"),
        counts=counts,
        dead_letters=case.count("dead_letters") or 0,
    )


def _subscriptions(file: Table, case: Table) -> str | Path:
    for table in (case, file):
        text = table.get("subscriptions", str, 'subscriptions = """SUBSCRIBE …"""')
        name = table.get("subscriptions_file", str, 'subscriptions_file = "rules.tocsin"')
        if text is not None and name is not None:
            hint = "Keep subscriptions (a text) or subscriptions_file (a path)."
            table.fail("two ways to say which subscriptions", hint)
        if name is not None:
            return table.existing_file("subscriptions_file", name)
        if text is not None:
            if text.endswith(".tocsin"):
                hint = f'For a path write subscriptions_file = "{text}".'
                table.fail("this looks like a path", hint, key="subscriptions")
            return text
    return case.fail("has no subscriptions", "Write subscriptions or subscriptions_file.")


def _events(case: Table) -> tuple[list[Table], tuple[Path, ...]]:
    rows = case.tables("events", _EVENT_EXAMPLE)
    named = case.values.get("events_file")
    if rows is not None and named is not None:
        case.fail("has events and events_file", "Keep one of them.")
    if named is None:
        if rows is None:
            case.fail("has no events", f"Write {_EVENT_EXAMPLE} or events_file.")
        return rows, ()
    names = [name for name in (named if isinstance(named, list) else [named]) if name != ""]
    if not names or not all(isinstance(name, str) for name in names):
        case.fail(f"{named!r} is no path", 'Write events_file = "events.jsonl".', key="events_file")
    return [], tuple(case.existing_file("events_file", str(name)) for name in names)


def _parameters(case: Table) -> tuple[Mapping[str, object], ...] | Path | None:
    rows = case.tables("table", 'table = [{user = "ann", limit = 10}]')
    name = case.get("table_file", str, 'table_file = "users.csv"')
    if rows is not None and name is not None:
        case.fail("has table and table_file", "Keep one of them.")
    if name is not None:
        return case.existing_file("table_file", name)
    return None if rows is None else tuple(row.values for row in rows)


def _options(table: Table, start: Start) -> dict[str, object]:
    values = table.get("options", dict, 'options = {time = "ts"}')
    if values is None:
        return {}
    options = Table(table.path, f"{table.where}, options".removeprefix(", "), values)
    options.allow(_OPTIONS)
    found: dict[str, object] = {
        "time": options.get("time", str, 'time = "ts"'),
        "stream": options.get("stream", str, 'stream = "logins"'),
        "engine": options.get("engine", str, 'engine = "reference"'),
        "simultaneous": options.one_of("simultaneous", ("ordered", "unordered")),
        "clock": start.shown("clock", options) if "clock" in values else None,
    }
    return {key: value for key, value in found.items() if value is not None}


def _expected(
    case: Table, start: Start, labels: Mapping[str, int]
) -> tuple[tuple[Expectation, ...] | None, bool]:
    if "expect" in case.values and "includes" in case.values:
        hint = "expect lists all notifications, includes some of them; keep one."
        case.fail("has expect and includes", hint)
    key = "includes" if "includes" in case.values else "expect"
    if key not in case.values:
        return None, True
    return read_expectations(case, key, start, labels), key == "expect"


def _counts(case: Table) -> dict[str, int]:
    value = case.values.get("count")
    if not isinstance(value, Mapping):
        number = case.count("count")
        return {} if number is None else {"": number}
    table = Table(case.path, f"{case.where}, count", value)
    return {name: table.count(name) or 0 for name in value}
