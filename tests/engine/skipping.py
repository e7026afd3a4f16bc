"""Watches that are not told of events that cannot concern them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import pytest

import tocsin
from tocsin.engine.complete import Complete
from tocsin.engine.expressions import Condition, compile_condition
from tocsin.engine.machines.static import no_filters
from tocsin.engine.state import Place, nothing_left
from tocsin.engine.timers import Timers
from tocsin.engine.watch import Watch
from tocsin.language.live import LiveProgram
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.rows import Clock, Intake

Rows = list[dict[str, Any]]
Events = list[tuple[Place, Event]]
Concerns = Callable[[Event], bool]


def concerns(watch: Watch) -> Concerns:
    """Return what says whether an event satisfies one of the interests of a watch."""
    interests = watch.interests()
    if interests is None:
        return lambda _: True
    tests = [(stream, compile_condition(condition)) for stream, condition in interests]
    return lambda event: any(_holds(stream, test, event) for stream, test in tests)


def _holds(stream: str | None, test: Condition, event: Event) -> bool:
    values = {**event.values, "$begin": event.begin, "$end": event.end}
    seen = Event(event.stream, event.row, event.begin, event.end, values)
    return stream in (None, event.stream) and test(nothing_left(), seen)


class Solo:
    """The only subscription of a program, without an engine around it; `skipped` counts."""

    def __init__(self, text: str, *, unordered: bool, skips: bool) -> None:
        program = tocsin.parse(text)
        live = LiveProgram(program)
        (normal,) = live.normal(program.subscriptions)
        self.timers = Timers()
        self.watch = Watch(
            normal, order=0, made=0, timers=self.timers, shared=no_filters(), unordered=unordered
        )
        self.concerns = concerns(self.watch) if skips else lambda _: True
        self.intake = Intake(live.schemas, default_stream=live.default_stream)
        self.step = 0
        self.skipped = 0

    def process(self, rows: Rows) -> list[Notification]:
        """Return what rows complete."""
        return [one for number, row in enumerate(rows) for one in self._take(number, row)]

    def _take(self, number: int, row: dict[str, Any]) -> list[Notification]:
        taken = self.intake.accept(number, row)
        self.step += 1
        match taken:
            case Clock():
                self.watch.start(taken.moment)
                return self._reach(taken.moment)
            case Event():
                self.watch.start(taken.end)
                return self._reach(taken.end - 1) + self._event(taken)
        return []

    def _reach(self, moment: int) -> list[Notification]:
        found: list[Notification] = []
        while (due := self.timers.pop_until(moment)) is not None:
            place = (self.step, 0, due[0])
            found += self._told(self.watch.run(place, due[0], []))
        return found

    def _event(self, event: Event) -> list[Notification]:
        if not self.concerns(event):
            self.skipped += 1
            self.watch.skip(1)
            return []
        place = (self.step, 1)
        return self._told(self.watch.run(place, None, [(place, event)]))

    def _told(self, complete: list[Complete]) -> list[Notification]:
        kept = self.watch.keep(complete)
        return [self.watch.notification(one, self.watch.emitted(one)) for one in kept]


def skip_everywhere(patch: pytest.MonkeyPatch) -> None:
    """Let all watches of all engines skip what does not concern them."""
    real = Watch.run
    known: WeakKeyDictionary[Watch, Concerns] = WeakKeyDictionary()

    def run(self: Watch, place: Place, deadline: int | None, events: Events) -> list[Complete]:
        is_concern = known.get(self) or known.setdefault(self, concerns(self))
        if deadline is None and not any(is_concern(event) for _, event in events):
            self.skip(len(events))
            return []
        return real(self, place, deadline, events)

    patch.setattr(Watch, "run", run)
