"""A lane in the course of a run: which events it takes, and what its matches are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

import numpy as np

from tocsin.engine.choosing import choose
from tocsin.engine.columns import Batch, Vocabulary, batch_of_events
from tocsin.engine.columns.batch import batch_of_cells
from tocsin.engine.columns.column import places_where
from tocsin.engine.columns.decode import events_of
from tocsin.engine.columns.kinds import STRING
from tocsin.engine.complete import Complete
from tocsin.engine.lane_matches import NO_ROW, LaneMatches
from tocsin.engine.linear import Found, LinearLane
from tocsin.engine.linear.arrays import NONE, Int64Array, UInt8Array
from tocsin.engine.linear.string_codes import string_codes_of
from tocsin.engine.members import Member, Members, counted, has_policies
from tocsin.engine.options import Options
from tocsin.engine.places import Places
from tocsin.engine.shadow import Shadow
from tocsin.engine.state import Place, Placed
from tocsin.engine.watch import TRACED
from tocsin.language.normal import NormalSubscription
from tocsin.model.event import Event
from tocsin.model.values import INTEGER_MAX

Recent: TypeAlias = tuple[UInt8Array, Int64Array, Int64Array, Int64Array]
"""Events: their cells, their rows, and their positions."""


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
        self._shadows: dict[int, Shadow] = {}  # of those that are followed, by their orders

    def take(
        self, batch: Batch, places: Places, steps: Int64Array
    ) -> tuple[Int64Array, list[LaneMatches]]:
        """Run the events of a batch that come from its streams.

        Returns their places in the batch, and the matches that are told.
        """
        codes = [self.lane.vocabulary.code(source) for source in self.sources]
        own = places_where(reduce(np.logical_or, [batch.stream == code for code in codes]))
        if len(own) == 0:
            return own, []
        if len(own) < batch.size:
            batch = batch_of_cells(batch.kind[own], batch.bits[own])
            places, steps = places.chosen(own), steps[own]
        positions = places.positions_of(self.sources)
        return own, self._processed(batch, places.rows, steps, positions)

    def _processed(
        self, batch: Batch, rows: Int64Array, steps: Int64Array, positions: Int64Array | None = None
    ) -> list[LaneMatches]:
        if positions is None:
            first = self.lane.machine.position
            positions = np.arange(first, first + batch.size)
        self._remember(batch, rows, positions)
        self._cast_shadows(batch, rows, positions)
        found = self.lane.process(batch, rows, steps, positions)
        told = [self._told(part) for part in found]
        for stopped in self.lane.take_stopped():
            member = self.members[stopped.number]
            member.stopped, member.dropped = stopped.reason, stopped.dropped
            self._forget(member)
        for member in dict.fromkeys(one for part in told for one in part.members.values()):
            if has_policies(member.tree):
                self._settle(member)
        return [part for part in told if part.found.size]

    def _told(self, found: Found) -> LaneMatches:
        """Return what the subscriptions of matches keep of them."""
        numbers, counts = counted(found.subscription, len(self.members.matched))
        self.members.matched[numbers] += counts
        members = {number: self.members[number] for number in numbers.tolist()}
        words = self.lane.vocabulary.words()
        told = choose(LaneMatches(found, members, self._places, self.lane.vocabulary, words))
        self._discount(found, told)
        return told

    def _discount(self, found: Found, told: LaneMatches) -> None:
        """Do not count matches of events behind the one with which LIMIT was reached.

        A lane runs ahead of its policies: row by row it would have found nothing there.
        """
        over = [n for n, m in told.members.items() if m.policies.is_exhausted(m.tree)]
        if not over:
            return
        last_event = np.full(max(told.members) + 1, INTEGER_MAX)
        last_event[over] = NONE
        np.maximum.at(last_event, told.found.subscription, told.found.event)
        late = found.subscription[found.event > last_event[found.subscription]]
        np.subtract.at(self.members.matched, late, 1)

    def _settle(self, member: Member) -> None:
        """Let it leave if it can keep no more, or forget what no match to come can hold."""
        if member.policies.is_exhausted(member.tree):
            self.leave(member)
        else:
            member.policies.forget(self.lane.machine.oldest)

    def _remember(self, batch: Batch, rows: Int64Array, positions: Int64Array) -> None:
        """Keep the last events, for those who ask why."""
        last = slice(-TRACED, None)
        kind, bits = batch.kind[last].copy(), batch.bits[last].copy()
        self.recent.append((kind, bits, rows[last].copy(), positions[last].copy()))
        while sum(len(part[0]) for part in self.recent) - len(self.recent[0][0]) >= TRACED:
            self.recent.popleft()

    def follow(self, member: Member, subscription: NormalSubscription) -> None:
        """Note from now on how the partial matches of a subscription end."""
        if member.order not in self._shadows:
            self._shadows[member.order] = Shadow(subscription)

    def shadow_of(self, member: Member, subscription: NormalSubscription) -> Shadow:
        """Return what follows a subscription, or else what the last events tell about it."""
        shadow = self._shadows.get(member.order)
        if shadow is None:
            made = int(self.lane.store.made[member.number])
            shadow = Shadow(subscription)
            shadow.take(one for one in self.recent_events() if one.position >= made)
        machine = self.lane.machine
        shadow.expire(machine.position - 1, machine.now_us)
        return shadow

    def is_followed(self, member: Member) -> bool:
        """Say whether all that came since somebody asked is known of a subscription."""
        return member.order in self._shadows

    def recent_events(self) -> Iterator[Placed]:
        """Yield the last events."""
        for kind, bits, rows, positions in self.recent:
            yield from self._placed(batch_of_cells(kind, bits), rows, positions)

    def _placed(self, batch: Batch, rows: Int64Array, positions: Int64Array) -> Iterator[Placed]:
        words = self.lane.vocabulary.words()
        events = events_of(batch, rows, words, np.arange(batch.size))
        for position, event in zip(positions.tolist(), events, strict=True):
            known = event if event.row != NO_ROW else replace(event, row=None)
            yield Placed(position, (), known)

    def _cast_shadows(self, batch: Batch, rows: Int64Array, positions: Int64Array) -> None:
        if self._shadows:
            events = list(self._placed(batch, rows, positions))
            for shadow in self._shadows.values():
                shadow.take(events)

    def run(self, events: list[tuple[Place, Event]]) -> list[tuple[Member, list[Complete]]]:
        """Take events that came together, derived ones among them."""
        vocabulary = self.lane.vocabulary
        batch = batch_of_events([event for _, event in events], vocabulary)
        rows = [NO_ROW if event.row is None else event.row for _, event in events]
        steps = [self._noted(place) for place, _ in events]
        told = self._processed(batch, np.array(rows, np.int64), np.array(steps, np.int64))
        by_member: dict[Member, list[Complete]] = {}
        for part in told:
            for _, member, complete in part.completes():
                by_member.setdefault(member, []).append(complete)
        self._forget_places()
        return list(by_member.items())

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

    def leave(self, member: Member) -> None:
        """Take a subscription out of the plan; it finds nothing any more."""
        if member.number != NONE:
            self.lane.remove(member.number)
            self._forget(member)

    def _forget(self, member: Member) -> None:
        self._shadows.pop(member.order, None)
        self.members.remove(member)
        member.number = NONE

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
