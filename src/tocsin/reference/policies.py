"""Which matches are kept: DUPLICATES, PAIRS and LIMIT, in this order (design, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.language.tree import MatchLimit, Subscription
from tocsin.model.values import Value, join_key
from tocsin.reference.context import Match, Place, frozenset_of, ordered_values


@dataclass(frozen=True, slots=True)
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
    match: Match | None

    def order(self) -> tuple[Any, ...]:
        """The order of notifications of one subscription; silences have nothing but variables."""
        variables = ordered_values(self.variables) if self.match is None else ()
        return (self.place, self.places, self.atoms, variables)


def kept(subscription: Subscription, found: Iterable[Complete]) -> list[Complete]:
    """Return what the policies of a subscription keep, in notification order."""
    complete = sorted(found, key=Complete.order)
    if subscription.duplicates != "ALL":
        complete = _without_duplicates(complete, last=subscription.duplicates == "LAST")
    if subscription.pairs == "UNIQUE":
        complete = _unique(complete)
    elif subscription.pairs == "SEPARATE":
        complete = _separate(complete)
    if subscription.limit is not None:
        complete = _limited(complete, subscription.limit)
    return complete


def _without_duplicates(complete: list[Complete], *, last: bool) -> list[Complete]:
    """Of matches that complete together with equal variables, keep the least or the greatest."""
    chosen: dict[object, Complete] = {}
    for one in complete:  # in lexicographic order of positions
        group = (one.place, frozenset_of(one.variables))
        if last or group not in chosen:
            chosen[group] = one
    return sorted(chosen.values(), key=Complete.order)


def _unique(complete: list[Complete]) -> list[Complete]:
    """Keep a match only if none of its events was used by one kept before."""
    used: set[Place] = set()
    keep = []
    for one in complete:
        if used.isdisjoint(one.places):
            used.update(one.places)
            keep.append(one)
    return keep


def _separate(complete: list[Complete]) -> list[Complete]:
    """Keep a match only if all its events come after the completion of the one kept before."""
    keep: list[Complete] = []
    for one in complete:
        if not keep or all(place > keep[-1].place for place in one.places):
            keep.append(one)
    return keep


def _limited(complete: list[Complete], limit: MatchLimit) -> list[Complete]:
    """Keep the first n, or the first n for each value of a variable."""
    assert isinstance(limit.count, int), "templates are filled in before they run"
    counts: dict[object, int] = {}
    keep = []
    for one in complete:
        value = None if limit.per is None else one.variables.get(limit.per)
        group = None if value is None else join_key(value)
        counts[group] = counts.get(group, 0) + 1
        if counts[group] <= limit.count:
            keep.append(one)
    return keep
