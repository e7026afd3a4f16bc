"""Where those live who wait for events of certain atoms: by atom and by the value of a variable.

An event that fails the filter of an atom concerns none of them, and where the atom joins a variable
(`ip = $x`) that is known to the left, it concerns only those with that value.
"""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

from tocsin.engine.machines.leaf import LeafPart
from tocsin.engine.state import Left, Placed, nothing_left
from tocsin.model.values import join_key

Key: TypeAlias = tuple[str, object] | None  # variable and value, None where nothing is joined
T = TypeVar("T")


class Homes(Generic[T]):
    """Those who wait, by number."""

    __slots__ = ("_homes",)

    def __init__(self) -> None:
        self._homes: dict[LeafPart, dict[Key, dict[int, T]]] = {}

    def add(self, leaves: tuple[LeafPart, ...], left: Left, number: int, who: T) -> None:
        """Let somebody wait for events of some atoms, given what stands to their left."""
        for leaf in leaves:
            homes = self._homes.get(leaf)
            if homes is None:
                homes = self._homes[leaf] = {}
            key = _key_of(leaf, left)
            home = homes.get(key)
            if home is None:
                homes[key] = {number: who}
            else:
                home[number] = who

    def remove(self, leaves: tuple[LeafPart, ...], left: Left, number: int) -> None:
        """Let somebody wait no longer."""
        for leaf in leaves:
            homes = self._homes.get(leaf)
            key = _key_of(leaf, left)
            if homes is None or key not in homes:
                continue
            homes[key].pop(number, None)
            if not homes[key]:
                del homes[key]
            if not homes:
                del self._homes[leaf]

    def at(self, placed: Placed) -> list[tuple[int, T]]:
        """Return those whom an event may concern, each once."""
        found: dict[int, T] = {}
        for leaf, homes in self._homes.items():
            if leaf.passes(placed.event):
                home = homes.get(None)
                if home is not None:
                    found.update(home)
                for name, get in leaf.joins:
                    value = get(_NOTHING, placed.event)
                    if value is not None:
                        found.update(homes.get((name, join_key(value)), ()))
        return list(found.items())


def _key_of(leaf: LeafPart, left: Left) -> Key:
    """Return the variable by which an atom is joined with what is to its left, and its value."""
    for name, _ in leaf.joins:
        if name in left.variables:
            return name, join_key(left.variables[name])
    return None


_NOTHING = nothing_left()
