"""A lane in the course of a run: which events it takes, and what its matches are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np

from tocsin.engine.columns import Batch, Vocabulary, batch_of_events
from tocsin.engine.columns.batch import batch_of_cells
from tocsin.engine.columns.decode import events_of
from tocsin.engine.columns.kinds import STRING
from tocsin.engine.complete import Complete, complete_match
from tocsin.engine.linear import Found, LinearLane
from tocsin.engine.linear.arrays import IN_ROW, NONE, Int64Array, UInt8Array
from tocsin.engine.linear.string_codes import string_codes_of
from tocsin.engine.members import Member, Members, has_policies, place_of
from tocsin.engine.options import Options
from tocsin.engine.places import Places, check_growing
from tocsin.engine.state import Place, Placed
from tocsin.model.event import Event
from tocsin.model.notification import Notification

TRACED: Final = 32
"""So many events at least can `Engine.trace` speak of."""

Recent: TypeAlias = tuple[UInt8Array, Int64Array, Int64Array, Int64Array]
"""Events: their cells, their rows, and their positions."""

NO_ROW: Final = -1
"""The row of a derived event that the clock completed."""


class LaneUnit:
    """A lane, its subscriptions, and the streams they read.

    Parameters
    ----------
    number
        By which the course calls it: below 0.
    sources
        The streams.
    """

    def __init__(
        self, number: int, sources: tuple[str, ...], vocabulary: Vocabulary, options: Options
    ) -> None:
        self.number = number
        self.sources = sources
        self.lane = LinearLane(vocabulary, options)
        self.members = Members()
        self.size = 0  # subscriptions in force, those that are finished or stopped included
        self._places: dict[int, Place] = {}  # of derived events, and of events beside them
        self._next_place = -1
        self.recent: deque[Recent] = deque()
        self._choosing: set[Member] = set()

    def take(
        self, batch: Batch, places: Places, steps: Int64Array
    ) -> tuple[Int64Array, list[Found]]:
        """Run the events of a batch that come from its streams.

        Returns their places in the batch, and the matches.
        """
        codes = [self.lane.vocabulary.code(source) for source in self.sources]
        own = np.flatnonzero(np.isin(batch.stream, codes))
        if len(own) < batch.size:
            batch = batch_of_cells(batch.kind[own], batch.bits[own])
            places, steps = places.chosen(own), steps[own]
        positions = places.positions_of(self.sources)
        if positions is not None:
            check_growing(positions, self.lane.machine.position)
        return own, self._processed(batch, places.rows, steps, positions)

    def _processed(
        self, batch: Batch, rows: Int64Array, steps: Int64Array, positions: Int64Array | None = None
    ) -> list[Found]:
        if positions is None:
            first = self.lane.machine.position
            positions = np.arange(first, first + batch.size)
        self._remember(batch, rows, positions)
        found = self.lane.process(batch, rows, steps, positions)
        for part in found:
            np.add.at(self.members.matched, part.subscription, 1)
        for stopped in self.lane.take_stopped():
            member = self.members[stopped.number]
            member.stopped, member.dropped = stopped.reason, stopped.dropped
            self._forget(member)
        return found

    def _remember(self, batch: Batch, rows: Int64Array, positions: Int64Array) -> None:
        """Keep the last events, for those who ask why."""
        last = slice(-TRACED, None)
        kind, bits = batch.kind[last].copy(), batch.bits[last].copy()
        self.recent.append((kind, bits, rows[last].copy(), positions[last].copy()))
        while sum(len(part[0]) for part in self.recent) - len(self.recent[0][0]) >= TRACED:
            self.recent.popleft()

    def run(self, events: list[tuple[Place, Event]]) -> list[tuple[Member, list[Complete]]]:
        """Take events that came together, derived ones among them."""
        vocabulary = self.lane.vocabulary
        batch = batch_of_events([event for _, event in events], vocabulary)
        rows = [NO_ROW if event.row is None else event.row for _, event in events]
        steps = [self._noted(place) for place, _ in events]
        found = self._processed(batch, np.array(rows, np.int64), np.array(steps, np.int64))
        by_member: dict[int, list[Complete]] = {}
        for part in found:
            for _, number, complete in self.completes(part):
                by_member.setdefault(number, []).append(complete)
        self._forget_places()
        return [(self.members[number], complete) for number, complete in by_member.items()]

    def _noted(self, place: Place) -> int:
        if len(place) == 2 and place[1] == 1:
            return int(place[0])
        number = self._next_place
        self._next_place -= 1
        self._places[number] = place
        return number

    def _forget_places(self) -> None:
        """Forget the places of derived events that no partial match holds."""
        kept = self.lane.machine.kept_steps()
        if len(self._places) > 2 * len(kept) + 64:
            held = set(kept.tolist())
            self._places = {n: place for n, place in self._places.items() if n in held}

    def keep(self, member: Member, complete: list[Complete]) -> list[Complete]:
        """Return what a subscription keeps; where it can keep no more, it leaves the plan."""
        kept = member.keep(complete)
        member.notified += len(kept)
        if member.number != NONE and member.policies.is_exhausted(member.tree):
            self.leave(member)
        if has_policies(member.tree):
            self._choosing.add(member)
        return kept

    def leave(self, member: Member) -> None:
        """Take a subscription out of the plan; it finds nothing any more."""
        if member.number != NONE:
            self.lane.remove(member.number)
            self._forget(member)

    def _forget(self, member: Member) -> None:
        self.members.remove(member)
        self._choosing.discard(member)
        member.number = NONE

    def forget_used(self) -> None:
        """After a batch, forget used events that no match to come can hold."""
        if not self._choosing:
            return
        oldest = self.lane.machine.oldest()
        for member in self._choosing:
            member.policies.forget(lambda: oldest)
        self._choosing.clear()

    def completes(self, part: Found) -> Iterator[tuple[int, int, Complete]]:
        """Yield the event, the subscription and the match, one by one."""
        events = Decoded(part, self)
        events.decode_all()
        for i in range(part.size):
            number = int(part.subscription[i])
            yield int(part.event[i]), number, events.complete(i, self.members[number])

    def string_codes(self) -> Int64Array:
        """Return the codes of the strings that partial matches and the last events hold."""
        recent = [bits[kind == STRING] for kind, bits, _, _ in self.recent]
        return np.concatenate([string_codes_of(self.lane.machine), *recent])

    def matched(self, member: Member) -> int:
        """Return how many matches a subscription has had."""
        is_live = member.number != NONE
        return int(self.members.matched[member.number]) if is_live else member.matched

    def frozen_places(self) -> tuple[dict[int, Place], int]:
        """Return the places of events that no step tells, for a snapshot."""
        return self._places, self._next_place

    def thaw_places(self, frozen: tuple[dict[int, Place], int]) -> None:
        """Take over the places of a snapshot."""
        self._places, self._next_place = frozen

    def places(self) -> dict[int, Place]:
        """Return the places of events that no step tells."""
        return self._places


class Decoded:
    """The events of matches as objects, each made once, and the matches made of them."""

    def __init__(self, part: Found, unit: LaneUnit) -> None:
        self._part = part
        self._places = unit.places()
        self._words = unit.lane.vocabulary.words()
        self._placed: dict[int, Placed] = {}

    def complete(self, match: int, member: Member) -> Complete:
        """Return a match as the general road has it."""
        taken = self._taken(match)
        return complete_match(member.telling.found(taken), taken[-1][1].place, by_clock=False)

    def notification(self, match: int, member: Member) -> Notification:
        """Return what a subscriber is told of a match."""
        complete = self.complete(match, member)
        return member.notification(complete, member.emitted(complete))

    def decode_all(self) -> None:
        """Make the events of all matches at once, for those who look at many of them."""
        self._decode(np.unique(self._part.kept_row).tolist())

    def _taken(self, match: int) -> list[tuple[int, Placed]]:
        part = self._part
        first, end = int(part.first[match]), int(part.first[match + 1])
        rows, leaves = part.kept_row[first:end].tolist(), part.leaf[first:end].tolist()
        missing = [row for row in rows if row not in self._placed]
        if missing:
            self._decode(missing)
        return [(leaf, self._placed[row]) for leaf, row in zip(leaves, rows, strict=True)]

    def _decode(self, missing: list[int]) -> None:
        kept = self._part.kept
        batch = batch_of_cells(kept.kind[missing], kept.bits[missing])
        places = np.arange(len(missing))
        found = events_of(batch, kept.where[missing, IN_ROW], self._words, places)
        for row, event in zip(missing, found, strict=True):
            position, _, step = kept.where[row].tolist()
            place = place_of(step, self._places)
            self._placed[row] = Placed(position, place, _with_its_row(event))


def _with_its_row(event: Event) -> Event:
    """A derived event that the clock completed has no row."""
    if event.row != NO_ROW:
        return event
    return Event(event.stream, None, event.begin, event.end, event.values)
