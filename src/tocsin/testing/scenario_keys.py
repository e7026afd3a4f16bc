"""Taking keys out of the tables of a scenario file, with messages that say where and what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from tocsin.errors import ConfigurationError
from tocsin.language.suggest import did_you_mean

_T = TypeVar("_T")


class ScenarioError(ConfigurationError):
    """A scenario file cannot be read: which file, which key, what to write instead."""

    def __init__(self, path: str, where: str, what: str, hint: str = "") -> None:
        super().__init__(path, where, what, hint)
        self.path, self.where, self.what, self.hint = path, where, what, hint

    def __str__(self) -> str:
        place = f"{self.path}: {self.where}" if self.where else self.path
        text = f"{place}: {self.what}"
        return f"{text}\n{self.hint}" if self.hint else text


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the file, and where in the file it stands."""

    path: Path
    where: str
    values: Mapping[str, object]

    def fail(self, what: str, hint: str = "", *, key: str | None = None) -> NoReturn:
        """Raise an error at this table, or at one of its keys."""
        place = self.where if key is None else f"{self.where}, key '{key}'".removeprefix(", ")
        raise ScenarioError(str(self.path), place, what, hint)

    def allow(self, keys: Collection[str]) -> None:
        """Refuse keys that mean nothing."""
        for key in self.values:
            if key not in keys:
                hint = did_you_mean(key, keys) or f"The keys are {', '.join(keys)}."
                self.fail("this key means nothing here", hint, key=key)

    def get(self, key: str, kind: type[_T], example: str) -> _T | None:
        """Return a value of the given type, or None where the key is missing."""
        value = self.values.get(key)
        if value is None:
            return None
        # TRUE is no number, although Python says so.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"{value!r} is not what belongs here", f"Write {example}.", key=key)
        return value

    def one_of(self, key: str, choices: tuple[str, ...]) -> str | None:
        """Return a text that is one of a few."""
        value = self.get(key, str, f'{key} = "{choices[0]}"')
        if value is not None and value not in choices:
            hint = did_you_mean(value, choices) or f"Write one of {', '.join(choices)}."
            self.fail(f"{value!r} is not known", hint, key=key)
        return value

    def count(self, key: str) -> int | None:
        """Return a number of things."""
        value = self.get(key, int, f"{key} = 3")
        if value is not None and value < 0:
            self.fail(f"{value} is no number of things", f"Write {key} = 0 for none.", key=key)
        return value

    def tables(self, key: str, example: str) -> list[Table] | None:
        """Return a list of tables."""
        rows = self.get(key, list, example)
        if rows is None:
            return None
        return [self._row(key, place, row, example) for place, row in enumerate(rows)]

    def _row(self, key: str, place: int, row: object, example: str) -> Table:
        if not isinstance(row, Mapping):
            what = f"item {place} is {row!r}, not a table"
            self.fail(what, f"Write {example}.", key=key)
        where = f"{self.where}, {key} {place}".removeprefix(", ")
        return Table(self.path, where, row)

    def existing_file(self, key: str, name: str) -> Path:
        """Return a path, taken from the folder of the scenario file."""
        found = self.path.parent / name
        if not found.is_file():
            folder = f"'{self.path.parent}'"
            hint = f"Paths are taken from the folder of the scenario file, {folder}."
            self.fail(f"there is no file {name}", hint, key=key)
        return found
