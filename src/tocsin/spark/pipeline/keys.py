"""Keys of a TOML file, read one by one; what is wrong with them is collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tocsin.errors import TimeError
from tocsin.language.suggest import did_you_mean, nearest
from tocsin.model.times import parse_time
from tocsin.model.values import Timestamp

_TYPES: Final = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def shown_type(value: object) -> str:
    """Return what a value of TOML is, in words.

    Examples
    --------
    >>> shown_type([1])
    'a list'
    """
    return _TYPES.get(type(value), "a time")


@dataclass(slots=True)
class Keys:
    """A table of a file.

    Attributes
    ----------
    table
        What it holds.
    place
        The key that leads to it, as in `sources.logins`; empty for the file itself.
    problems
        What was found to be wrong, in sentences; shared by all tables of a file.
    is_misspelt
        Whether it is empty since its own name is misspelt: then it misses nothing.
    """

    table: Mapping[str, Any]
    place: str = ""
    problems: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    is_misspelt: bool = False

    def key(self, name: str) -> str:
        """Return the whole key of a name."""
        return f"{self.place}.{name}" if self.place else name

    def refuse(self, name: str, problem: str) -> None:
        """Note a problem with a key."""
        self.problems.append(f"{self.key(name)}: {problem}")

    def miss(self, name: str, fix: str) -> None:
        """Note that a key is missing, and what to do; `close` tells of it."""
        self.missing[name] = fix

    def text(self, name: str, *, example: str | None = None) -> str | None:
        """Return a text; None where there is none. With an example, it must be there."""
        value = self._typed(name, str, "a text", example)
        if value == "":
            self.refuse(name, "it is empty; write something, or leave the key out")
            return None
        return None if value is None else str(value)

    def number(self, name: str) -> int | None:
        """Return a whole number above 0."""
        value = self._typed(name, int, "a whole number", None)
        if value is not None and value < 1:
            self.refuse(name, f"it must be at least 1, and is {value}")
            return None
        return value if isinstance(value, int) else None

    def moment(self, name: str) -> Timestamp | None:
        """Return a time: one of TOML, a text as ISO writes it, or whole milliseconds."""
        self.asked.append(name)
        if name not in self.table:
            return None
        try:
            return parse_time(self.table[name])
        except TimeError as error:
            self.refuse(name, str(error))
            return None

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        """Return one of several words."""
        value = self.text(name) or default
        if value in choices:
            return value
        hint = did_you_mean(value, choices) or f"It is one of {', '.join(choices)}."
        self.refuse(name, f"'{value}' is unknown. {hint}")
        return default

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        self.asked.append(name)
        value = self.table.get(name, [])
        if isinstance(value, str):
            self.refuse(name, f'it must be a list, and is a text; write {name} = ["{value}"]')
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self.refuse(name, f'it must be a list of texts, as in {name} = ["one", "two"]')
            return ()
        return tuple(value)

    def options(self, name: str) -> dict[str, str]:
        """Return options for Spark as texts."""
        found = {}
        for option, value in self.inner(name).table.items():
            if isinstance(value, bool):
                found[option] = str(value).lower()
            elif isinstance(value, str | int | float):
                found[option] = str(value)
            else:
                known = "a text, a number, true or false"
                self.refuse(f"{name}.{option}", f"it must be {known}, and is {shown_type(value)}")
        return found

    def inner(self, name: str) -> Keys:
        """Return a table in this one; an empty one where there is none."""
        value = self._typed(name, dict, f"a table, as in [{self.key(name)}]", None)
        others = [one for one in self.table if one not in self.asked]
        is_misspelt = name not in self.table and any(_meant(one, [name]) for one in others)
        table = {} if value is None else value
        return Keys(table, self.key(name), self.problems, is_misspelt=is_misspelt)

    def inners(self) -> Iterator[tuple[str, Keys]]:
        """Yield the tables in this one, whatever their names."""
        for name in self.table:
            yield name, self.inner(name)

    def close(self) -> None:
        """Note the keys that nobody asked for, and those that are missing, unless misspelt."""
        unknown = [name for name in self.table if name not in self.asked]
        misspelt = {_meant(name, self.asked) for name in unknown}
        for name, fix in self.missing.items():
            if name not in misspelt and not self.is_misspelt:
                self.refuse(name, f"it is missing; {fix}")
        for name in unknown:
            hint = did_you_mean(name, self.asked) or f"There are: {', '.join(self.asked)}."
            self.refuse(name, f"there is no such key. {hint}")

    def _typed(self, name: str, of: type, what: str, example: str | None) -> Any:
        self.asked.append(name)
        if name not in self.table:
            if example is not None:
                self.miss(name, f"add {example}")
            return None
        value = self.table[name]
        if type(value) is not of:
            self.refuse(name, f"it must be {what}, and is {shown_type(value)}")
            return None
        return value


def _meant(name: str, known: Sequence[str]) -> str | None:
    """Return the key of which a name is surely a misspelling."""
    near = nearest(name, known)
    return near if near is not None and abs(len(near) - len(name)) <= 1 else None
