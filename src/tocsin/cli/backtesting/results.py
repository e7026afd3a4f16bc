"""What a back-test found: counts, keys, and the first and last time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tocsin.bench.report import Curve, Plot
from tocsin.cli.backtesting.sweep import Trial, Trials
from tocsin.model.times import TimeForm, format_time
from tocsin.model.values import Timestamp

_SHOWN_KEYS: Final = 3


MOST_REASONS: Final = 3
"""So many bad rows are told of."""


@dataclass(frozen=True, slots=True)
class BadRows:
    """How many rows were no events, and why the first of them were none."""

    count: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a subscription fired with equal variables.

    Attributes
    ----------
    name
        That of the trial.
    key
        Its variables, as `ip=10.0.0.7`; empty where there are none.
    first_us, last_us
        The first and last time.
    """

    name: str
    key: str
    count: int
    first_us: int
    last_us: int


@dataclass(slots=True)
class Outcome:
    """How often one trial fired.

    Attributes
    ----------
    keys
        How often with which variables.
    """

    trial: Trial
    count: int = 0
    first_us: int | None = None
    last_us: int | None = None
    keys: Counter[str] = field(default_factory=Counter)

    def add(self, tally: Tally) -> None:
        """Add what was counted for some variables."""
        self.count += tally.count
        self.keys[tally.key] += tally.count
        begin, end = self.first_us, self.last_us
        self.first_us = tally.first_us if begin is None else min(begin, tally.first_us)
        self.last_us = tally.last_us if end is None else max(end, tally.last_us)

    def parameters(self) -> str:
        """Return its parameters in a line."""
        return ", ".join(f"{name}={value}" for name, value in self.trial.parameters.items())

    def top_keys(self) -> str:
        """Return the variables it fired with most often."""
        found = [f"{key} ({count:,})" for key, count in _ranked(self.keys)[:_SHOWN_KEYS] if key]
        more = len([key for key in self.keys if key]) - len(found)
        return ", ".join(found) + (f", {more:,} more" if more else "")

    def to_dict(self) -> dict[str, Any]:
        """Return it ready for JSON."""
        return {
            "subscription": self.trial.subscription,
            "parameters": {k: _plain(v) for k, v in self.trial.parameters.items()},
            "count": self.count,
            "first": _moment(self.first_us),
            "last": _moment(self.last_us),
            "keys": {key: count for key, count in _ranked(self.keys) if key},
        }

    def row(self) -> tuple[str, ...]:
        """Return its cells in a table."""
        first, last = (_moment(moment) or "" for moment in (self.first_us, self.last_us))
        name = self.trial.subscription
        return name, self.parameters(), f"{self.count:,}", first, last, self.top_keys()


def outcomes(trials: Trials, tallies: Iterable[Tally]) -> list[Outcome]:
    """Return an outcome for each trial, those that never fired too, in the order of the program."""
    found = {name: Outcome(trial) for name, trial in trials.trials.items()}
    for tally in tallies:
        found[tally.name].add(tally)
    return list(found.values())


def plots_of(found: Sequence[Outcome]) -> tuple[Plot, ...]:
    """Return what to draw: a count for each subscription, and a curve for each that was swept."""
    plain = [one for one in found if not one.trial.parameters]
    swept: dict[str, list[Outcome]] = {}
    for one in found:
        if one.trial.parameters:
            swept.setdefault(one.trial.subscription, []).append(one)
    plots = [_swept(name, several) for name, several in swept.items()]
    if plain:
        names = tuple(one.trial.subscription for one in plain)
        curve = Curve("matches", names, tuple(float(one.count) for one in plain))
        plots.insert(0, Plot("Matches over history", "subscription", "matches", (curve,)))
    return tuple(plots)


def _swept(name: str, several: Sequence[Outcome]) -> Plot:
    """Return a line where one number alone changes, else a bar for each row."""
    parameters = [one.trial.parameters for one in several]
    varying = [key for key in parameters[0] if len({str(row[key]) for row in parameters}) > 1]
    counts = tuple(float(one.count) for one in several)
    title = f"{name}: matches by its parameters"
    numbers = [row[varying[0]] for row in parameters] if len(varying) == 1 else []
    if numbers and all(type(one) in (int, float) for one in numbers):
        points = sorted(zip(numbers, counts, strict=True), key=lambda point: float(str(point[0])))
        x = tuple(float(str(number)) for number, _ in points)
        curve = Curve(name, x, tuple(count for _, count in points))
        return Plot(title, varying[0], "matches", (curve,))
    labels = tuple(", ".join(str(row[key]) for key in varying) for row in parameters)
    return Plot(title, ", ".join(varying), "matches", (Curve(name, labels, counts),))


def key_text(variables: Mapping[str, str | None]) -> str:
    """Return variables in a line; their values are JSON, as notifications have them.

    Examples
    --------
    >>> key_text({"ip": '"10.0.0.7"', "n": "3"})
    'ip=10.0.0.7 n=3'
    """
    return " ".join(
        f"{name}={'-' if value is None else json.loads(value)}" for name, value in variables.items()
    )


def _ranked(keys: Counter[str]) -> list[tuple[str, int]]:
    return sorted(keys.items(), key=lambda pair: (-pair[1], pair[0]))


def _moment(moment_us: int | None) -> str | None:
    return None if moment_us is None else str(format_time(Timestamp(moment_us), TimeForm.ISO))


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
