"""Matches that have become certain, and how they are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.engine.machines.silence import Silent
from tocsin.engine.state import Found, Place, ordered
from tocsin.model.values import Value


@dataclass(slots=True, eq=False)
class Complete:
    """A match that has become certain, or a silence, which has no events.

    Attributes
    ----------
    place
        Where it became certain.
    places, atoms
        Of its events in order of position: where they stand, and which atoms they play.
    at, row
        When it became certain, and the row of the event that completed it, None for the clock.
    """

    place: Place
    places: tuple[Place, ...]
    atoms: tuple[int, ...]
    at: int
    row: int | None
    begin: int
    end: int
    variables: Mapping[str, Value]
    found: Found | None

    def order(self) -> tuple[Any, ...]:
        """The order of notifications of one subscription; silences have nothing but variables."""
        variables = ordered(self.variables) if self.found is None else ()
        return (self.place, self.places, self.atoms, variables)


def complete_match(found: Found, place: Place, *, by_clock: bool) -> Complete:
    """Return a match that became certain at a place."""
    events = sorted((placed.position, leaf.atom, placed.place) for leaf, placed in found.taken)
    last = found.last.event
    assert not by_clock or found.deadline is not None
    return Complete(
        place=place,
        places=tuple(place for _, _, place in events),
        atoms=tuple(atom for _, atom, _ in events),
        at=(found.deadline or 0) if by_clock else last.end,
        row=None if by_clock else last.row,
        begin=found.begin,
        end=found.end,
        variables=found.variables,
        found=found,
    )


def complete_silence(silent: Silent, place: Place) -> Complete:
    """Return a silence that lasted until its deadline."""
    return Complete(
        place=place,
        places=(),
        atoms=(),
        at=silent.deadline,
        row=None,
        begin=silent.begin,
        end=silent.deadline,
        variables=silent.variables,
        found=None,
    )
