"""Matches that a lane has found, with all that is needed to tell of them later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np

from tocsin.engine.columns import Vocabulary
from tocsin.engine.columns.batch import batch_of_cells
from tocsin.engine.columns.decode import events_of
from tocsin.engine.columns.words import Words
from tocsin.engine.complete import Complete, complete_match
from tocsin.engine.linear import Found
from tocsin.engine.linear.arrays import IN_ROW, Int64Array
from tocsin.engine.members import Member, place_of
from tocsin.engine.state import Place, Placed
from tocsin.model.event import Event
from tocsin.model.values import INTEGER_MIN

NO_ROW: Final = INTEGER_MIN
"""The row of a derived event that the clock completed; numbers of rows may be negative."""


class LaneMatches(NamedTuple):
    """Matches of a lane over a batch, in the order of notifications.

    Attributes
    ----------
    members
        The subscriptions by their numbers in the lane, in order: they may be gone when somebody
        looks.
    places
        The places of events that no step tells.
    words
        What the codes of strings mean, whatever the vocabulary forgets.
    """

    found: Found
    members: Mapping[int, Member]
    places: Mapping[int, Place]
    vocabulary: Vocabulary
    words: Words

    def chosen(self, chosen: Int64Array) -> LaneMatches:
        """Return some of the matches, in the order given."""
        return self._replace(found=self.found.chosen(chosen))

    def member_of_match(self) -> Int64Array:
        """Return the place of each match's subscription among the members."""
        numbers = np.fromiter(self.members, np.int64, len(self.members))
        return np.searchsorted(numbers, self.found.subscription)

    def completes(self) -> Iterator[tuple[int, Member, Complete]]:
        """Yield the event, the subscription and the match as the general road has it."""
        events = Decoded(self)
        events.decode_all()
        for match, number in enumerate(self.found.subscription.tolist()):
            member = self.members[number]
            yield int(self.found.event[match]), member, events.complete(match, member)


class Decoded:
    """The events of matches as objects, each made once, and the matches made of them."""

    def __init__(self, matches: LaneMatches) -> None:
        self._found = matches.found
        self._places = matches.places
        self._words = matches.words
        self._placed: dict[int, Placed] = {}

    def complete(self, match: int, member: Member) -> Complete:
        """Return a match as the general road has it."""
        taken = self._taken(match)
        return complete_match(member.telling.found(taken), taken[-1][1].place, by_clock=False)

    def decode_all(self) -> None:
        """Make the events of all matches at once, for those who look at many of them."""
        self._decode(np.unique(self._found.kept_row).tolist())

    def _taken(self, match: int) -> list[tuple[int, Placed]]:
        found = self._found
        first, end = int(found.first[match]), int(found.first[match + 1])
        rows, leaves = found.kept_row[first:end].tolist(), found.leaf[first:end].tolist()
        missing = [row for row in rows if row not in self._placed]
        if missing:
            self._decode(missing)
        return [(leaf, self._placed[row]) for leaf, row in zip(leaves, rows, strict=True)]

    def _decode(self, missing: list[int]) -> None:
        kept = self._found.kept
        batch = batch_of_cells(kept.kind[missing], kept.bits[missing])
        places = np.arange(len(missing))
        events = events_of(batch, kept.where[missing, IN_ROW], self._words, places)
        for row, event in zip(missing, events, strict=True):
            position, _, step = kept.where[row].tolist()
            place = place_of(step, self._places)
            self._placed[row] = Placed(position, place, _with_its_row(event))


def _with_its_row(event: Event) -> Event:
    """A derived event that the clock completed has no row."""
    if event.row != NO_ROW:
        return event
    return Event(event.stream, None, event.begin, event.end, event.values)
