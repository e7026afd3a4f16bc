"""Rows become steps of a course, or dead letters."""

from __future__ import annotations

from collections import deque
from typing import Final

from tocsin.engine.course import Course
from tocsin.errors import ConfigurationError, LanguageError, TocsinError, UnsupportedError
from tocsin.language.live import LiveProgram
from tocsin.language.load import load_program
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tree import Program
from tocsin.model.dead_letter import DeadLetter, RowRefused, show_row
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.rows import Clock, Intake, Step, Subscribe, Unsubscribe
from tocsin.model.times import parse_time
from tocsin.model.values import Timestamp

_RECENT: Final = 1_000  # dead letters that are kept for those who publish row by row


class Feed:
    """A program, its intake and its course.

    Attributes
    ----------
    rows, buried
        How many rows have come, and how many of them became dead letters.
    dead_letters
        The last of those.
    """

    def __init__(self, program: LiveProgram, intake: Intake, course: Course) -> None:
        self.program = program
        self.intake = intake
        self.course = course
        self.rows = 0
        self.buried = 0
        self.dead_letters: deque[DeadLetter] = deque(maxlen=_RECENT)

    def take(self, raw: object) -> list[Notification] | DeadLetter:
        """Take one row or event; return what it completes, or why it is no step."""
        row = self.rows
        self.rows += 1
        taken = self._run(self._step(row, raw), row, raw)
        if isinstance(taken, DeadLetter):
            self.buried += 1
            self.dead_letters.append(taken)
        return taken

    def _step(self, row: int, raw: object) -> Step | DeadLetter:
        return self._event(row, raw) if isinstance(raw, Event) else self.intake.accept(row, raw)

    def _event(self, row: int, event: Event) -> Event | DeadLetter:
        """Take an event that has its times already; the rows that follow must not be earlier."""
        clock = self.intake.clock
        if clock is not None and event.end < clock:
            refused = RowRefused("late", "late: the event ends before the clock")
            return refused.letter(row, show_row(dict(event.values)))
        self.intake.accept(row, {"$clock": Timestamp(event.end - 1)})
        return Event(event.stream, row, event.begin, event.end, event.values)

    def _run(
        self, step: Step | DeadLetter, row: int, raw: object
    ) -> list[Notification] | DeadLetter:
        match step:
            case Event():
                return self.course.event(step)
            case Clock():
                return self.course.advance(step.moment)
            case Subscribe() | Unsubscribe():
                return self._change(step, row, raw)
        return step

    def _change(
        self, step: Subscribe | Unsubscribe, row: int, raw: object
    ) -> list[Notification] | DeadLetter:
        try:
            if isinstance(step, Subscribe):
                return self.subscribe(step.text)
            self.unsubscribe(step.name)
        except (LanguageError, UnsupportedError) as error:
            return RowRefused("bad_program", str(error)).letter(row, show_row(raw))
        except ConfigurationError as error:
            return RowRefused("unknown_subscription", str(error)).letter(row, show_row(raw))
        return []

    def advance(self, moment: object) -> list[Notification]:
        """Advance the clock, outside the rows."""
        try:
            parsed = parse_time(moment)
        except TocsinError as error:
            msg = f"clock: {error}"
            raise ConfigurationError(msg) from error
        step = self.intake.accept(-1, {"$clock": moment})
        if isinstance(step, DeadLetter):
            msg = f"clock: {step.reason}"
            raise ConfigurationError(msg)
        return self.course.advance(parsed)

    def subscribe(self, text: str) -> list[Notification]:
        """Put the subscriptions of a text in force."""
        program = load_program(text)
        refuse_unsupported(program)
        self._refuse_since(program)
        added = self.program.add(text)
        self.intake.add_schemas(self.program.schemas)
        return self.add(Program(added))

    def add(self, program: Program) -> list[Notification]:
        """Watch for subscriptions that are in force."""
        return self.course.add(self.program.normal(program.subscriptions))

    def _refuse_since(self, program: Program) -> None:
        if self.course.history is not None or self.course.clock is None:
            return
        for subscription in program.subscriptions:
            if subscription.since is not None:
                msg = (
                    f"subscription '{subscription.name}': SINCE looks back, but no history is "
                    "kept; make the engine with history=True"
                )
                raise UnsupportedError(msg)

    def unsubscribe(self, name: str) -> None:
        """End a subscription."""
        self.program.remove(name)
        self.course.remove(name)
