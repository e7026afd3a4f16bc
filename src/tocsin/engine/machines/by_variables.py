"""Things found by the values of variables: those that agree, without a look at the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeAlias, TypeVar

from tocsin.engine.comparisons import equal
from tocsin.model.values import Value, join_key

Names: TypeAlias = tuple[str, ...]
Values: TypeAlias = tuple[object, ...]
Entry: TypeAlias = tuple[Names, Values]
T = TypeVar("T")


class ByVariables(Generic[T]):
    """One thing for each set of variable values; two agree where they differ in none they share.

    Examples
    --------
    >>> rooms = ByVariables()
    >>> rooms.put({"x": 1}, "first")
    >>> rooms.put({"x": 2}, "second")
    >>> list(rooms.agreeing({"x": 2.0, "y": 5})), list(rooms.agreeing({"y": 5}))
    (['second'], ['first', 'second'])
    """

    __slots__ = ("_by_names",)

    def __init__(self) -> None:
        self._by_names: dict[Names, dict[Values, tuple[Mapping[str, Value], T]]] = {}

    def get(self, variables: Mapping[str, Value]) -> T | None:
        """Return what has exactly these variables and values."""
        names, values = entry_of(variables)
        found = self._by_names.get(names, {}).get(values)
        return None if found is None else found[1]

    def put(self, variables: Mapping[str, Value], thing: T) -> None:
        """Keep a thing under its variables."""
        names, values = entry_of(variables)
        self._by_names.setdefault(names, {})[values] = variables, thing

    def remove(self, variables: Mapping[str, Value]) -> None:
        """Forget the thing with exactly these variables and values."""
        names, values = entry_of(variables)
        del self._by_names[names][values]
        if not self._by_names[names]:
            del self._by_names[names]

    def agreeing(self, variables: Mapping[str, Value]) -> Iterator[T]:
        """Yield the things whose variables have the same values, where both are bound."""
        for names, things in self._by_names.items():
            if all(name in variables for name in names):
                found = things.get(_values(names, variables))
                if found is not None:
                    yield found[1]
            else:
                yield from (one for known, one in things.values() if _agree(known, variables))


def entry_of(variables: Mapping[str, Value]) -> Entry:
    """Return names and values in a form that compares as `=` does."""
    names = tuple(sorted(variables))
    return names, _values(names, variables)


def _values(names: Names, variables: Mapping[str, Value]) -> Values:
    return tuple(join_key(variables[name]) for name in names)


def _agree(known: Mapping[str, Value], variables: Mapping[str, Value]) -> bool:
    return all(
        name not in variables or equal(value, variables[name]) for name, value in known.items()
    )
