"""The steps of one batch, event by event, where events concern more than lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tocsin.engine.columns import Batch
from tocsin.engine.columns.batch import batch_of_cells
from tocsin.engine.columns.decode import events_of
from tocsin.engine.complete import Complete
from tocsin.engine.lane_matches import LaneMatches
from tocsin.engine.lane_unit import LaneUnit
from tocsin.engine.linear.arrays import Int64Array
from tocsin.engine.members import Member
from tocsin.engine.phase import Notice, Phase
from tocsin.engine.places import Places
from tocsin.engine.state import Place
from tocsin.model.event import Event

if TYPE_CHECKING:
    from tocsin.engine.course import Course

Runs: TypeAlias = list[tuple[LaneUnit, Int64Array, LaneMatches]]
"""What lanes found in a batch: the places of their events in it, and the matches."""

_Counts: TypeAlias = tuple[Int64Array, Int64Array]
"""By event: how many have come before it, and how many with it."""

_ByMember: TypeAlias = list[tuple[Member, list[Complete]]]


class BatchSteps:
    """The steps of one batch, event by event, where events concern more than lanes."""

    def __init__(
        self,
        course: Course,
        batch: Batch,
        places: Places,
        events: Sequence[Event] | None,
        runs: Runs,
    ) -> None:
        self.course = course
        self.batch = batch
        self.rows = places.rows
        self.base = course.step
        self.matches = _by_event(runs)
        self.whom = course.concerns.of_batch(batch, course.sees_all)
        self.steps = self._steps()
        self.events = dict(enumerate(events)) if events is not None else self._decoded()
        self.counts = self._counts(places)

    def _steps(self) -> list[int]:
        """Return the events with which something may happen, deadlines apart."""
        course = self.course
        every = set(self.matches) | set(self.whom)
        streams = {
            stream
            for order in course.concerns.always
            for stream in course.watches[order].subscription.sources
        }
        for unit in course.lanes.values():
            if course.ranks.is_fed(unit.sources):
                streams.update(unit.sources)
        codes = [course.vocabulary.code(stream) for stream in streams]
        every.update(np.flatnonzero(np.isin(self.batch.stream, codes)).tolist())
        return sorted(every)

    def _decoded(self) -> dict[int, Event]:
        places = np.array(self.steps, np.int64)
        found = events_of(self.batch, self.rows, self.course.vocabulary.words(), places)
        return dict(zip(self.steps, found, strict=True))

    def _counts(self, places: Places) -> dict[tuple[str, ...], _Counts]:
        """Return how many events of the watched streams have come before each event, and with it.

        What came before the batch is not counted.
        """
        course, counts = self.course, dict[tuple[str, ...], _Counts]()
        for sources in course.watched_sources():
            codes = [course.vocabulary.code(one) for one in sources]
            is_own = np.isin(self.batch.stream, codes).astype(np.int64)
            positions = places.positions_of(sources)
            if positions is None:
                come = np.cumsum(is_own)
            else:
                come = np.maximum.accumulate(is_own * (positions + 1 - course.passed(sources)))
            counts[sources] = come - is_own, come
        return counts

    def run(self) -> list[tuple[int, Notice]]:
        """Run all steps; return the notices in their order, each with its event."""
        course, ends = self.course, self.batch.end_us
        notices: list[tuple[int, Notice]] = []
        before = {sources: course.passed(sources) for sources in self.counts}
        derived: dict[tuple[str, ...], int] = dict.fromkeys(self.counts, 0)
        waiting, place, last = iter([*self.steps, self.batch.size]), -1, self.batch.size
        following = next(waiting)
        while place < last:
            before_it = place + 1
            place = min(following, self._due(before_it))
            self._keep(before_it, place)
            if place == last:
                break
            if place > 0:
                course.clock = int(ends[place - 1])
            for sources, (so_far, _) in self.counts.items():
                passed = before[sources] + int(so_far[place]) + derived[sources]
                course.set_passed({sources: passed})
            course.step = self.base + place
            notices += [(place, notice) for notice in self._step(place)]
            for sources, (_, come) in self.counts.items():
                derived[sources] = course.passed(sources) - before[sources] - int(come[place])
            if place == following:
                following = next(waiting)
        course.step = self.base + self.batch.size
        course.clock = int(ends[-1])
        course.set_passed(
            {
                sources: before[sources] + int(come[-1]) + derived[sources]
                for sources, (_, come) in self.counts.items()
            }
        )
        return notices

    def _keep(self, begin: int, end: int) -> None:
        """Keep events that nobody is called for, where history is kept."""
        history = self.course.history
        if history is not None and begin < end:
            chosen = slice(begin, end)
            part = batch_of_cells(self.batch.kind[chosen], self.batch.bits[chosen])
            words = self.course.vocabulary.words()
            history.add_batch(self.base + begin + 1, part, self.rows[chosen], words)

    def _note(self, place: int, where: Place) -> None:
        """Keep an event that concerns nobody, in a step of its own, where history is kept."""
        if self.course.history is not None:
            places, words = np.array([place], np.int64), self.course.vocabulary.words()
            (event,) = events_of(self.batch, self.rows, words, places)
            self.course.history.add(where, event)

    def _due(self, place: int) -> int:
        """Return the first event from a place on that reaches a deadline, or is the very first."""
        if place == 0 and self.course.is_waiting_for_start():
            return 0
        deadline = self.course.timers.next()
        if deadline is None:
            return self.batch.size
        return max(place, int(np.searchsorted(self.batch.end_us, deadline, side="right")))

    def _step(self, place: int) -> list[Notice]:
        course, end = self.course, int(self.batch.end_us[place])
        course.begin_step(end)
        notices = course.reach(end - 1)
        where: Place = (course.step, 1)
        phase = Phase(course, where, None)
        for unit, complete in self.matches.get(place, {}).items():
            phase.found[unit.number] = complete
            phase.call(unit.number)
        event = self.events.get(place)
        if event is not None:
            phase.publish(where, event, self._concerned(place, event.stream))
        else:
            course.pass_by(course.vocabulary.text(int(self.batch.stream[place])))
            self._note(place, where)
        notices += phase.run()
        course.end_step(end, is_event=True)
        return notices

    def _concerned(self, place: int, stream: str) -> list[int]:
        course = self.course
        readers = course.ranks.readers.get(stream, {})
        units = [order for order in self.whom.get(place, ()) if order in readers]
        units += [order for order in course.concerns.always if order in readers]
        units += [
            unit.number
            for unit in course.lanes.values()
            if unit.number in readers and course.ranks.is_fed(unit.sources)
        ]
        return units


def _by_event(runs: Runs) -> dict[int, dict[LaneUnit, _ByMember]]:
    """Return the matches of lanes by the event that completes them and by subscription."""
    found: dict[int, dict[LaneUnit, dict[Member, list[Complete]]]] = {}
    for unit, own, matches in runs:
        for event, member, complete in matches.completes():
            by_member = found.setdefault(int(own[event]), {}).setdefault(unit, {})
            by_member.setdefault(member, []).append(complete)
    return {
        event: {unit: list(by_member.items()) for unit, by_member in by_unit.items()}
        for event, by_unit in found.items()
    }
