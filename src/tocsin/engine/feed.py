"""Rows become steps of a course, or dead letters."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa

from tocsin.engine.columns.intake import take_table
from tocsin.engine.columns.views import without_views
from tocsin.engine.course import Course
from tocsin.engine.members import Table
from tocsin.engine.parts import equal_parts, rows_at_once
from tocsin.engine.placed_rows import PlacedRows
from tocsin.engine.places import Places, checked
from tocsin.engine.taken import Taken
from tocsin.errors import ConfigurationError, LanguageError, TocsinError, UnsupportedError
from tocsin.language.live import LiveProgram
from tocsin.language.load import Subscriptions, load_program
from tocsin.language.normal import NormalSubscription
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tables import filled_tables, without_templates
from tocsin.language.template import FilledTable
from tocsin.language.tree import Program, Subscription
from tocsin.model.dead_letter import DeadLetter, RowRefused, show_row
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.read import rows_of
from tocsin.model.rows import Clock, Intake, Step, Subscribe, Unsubscribe
from tocsin.model.times import parse_time
from tocsin.model.values import Timestamp
from tocsin.plan.linear import NotLinearError, linear_form

_RECENT: Final = 1_000  # dead letters that are kept for those who publish row by row
_BATCH: Final = 4_096  # rows that are taken together


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

    def take(self, raw: object) -> Sequence[Notification] | DeadLetter:
        """Take one row or event; return what it completes, or why it is no step."""
        row = self.rows
        self.rows += 1
        taken = self.run(self.step(row, raw), row, raw)
        if isinstance(taken, DeadLetter):
            self.bury(taken)
        return taken

    def take_rows(self, rows: Iterable[object]) -> Taken:
        """Take rows or events, as many of them together as stand between other rows."""
        found: list[Sequence[Notification]] = []
        letters: list[DeadLetter] = []
        waiting: list[Event] = []
        for raw in rows:
            row = self.rows
            self.rows += 1
            step = self.step(row, raw)
            if isinstance(step, Event):
                waiting.append(step)
                if len(waiting) < _BATCH:
                    continue
            if waiting and not isinstance(step, DeadLetter):
                found.append(self.course.events(waiting))
                waiting = []
            if not isinstance(step, Event):
                taken = self.run(step, row, raw)
                if isinstance(taken, DeadLetter):
                    self.bury(taken)
                    letters.append(taken)
                else:
                    found.append(taken)
        if waiting:
            found.append(self.course.events(waiting))
        return Taken(found, letters)

    def take_table(self, table: pa.Table | pa.RecordBatch, places: Places | None = None) -> Taken:
        """Take the rows of a table, by column where that is possible.

        Parameters
        ----------
        places
            Where they stand in the whole, of which only this part comes here.
        """
        table = without_views(table)
        if places is not None:
            return PlacedRows(self).take(table, checked(places, table.num_rows))
        found: list[Sequence[Notification]] = []
        letters: list[DeadLetter] = []
        for rows in equal_parts(table.num_rows, self.rows_at_once(table)):
            part = table.slice(rows.start, rows.stop - rows.start)
            taken = self._take_columns(part) or self.take_rows(raw for _, raw in rows_of(part))
            found += taken.found
            letters += taken.letters
        return Taken(found, letters)

    def rows_at_once(self, table: pa.Table | pa.RecordBatch) -> int:
        """Return how many rows of a table are taken together."""
        return rows_at_once(table.num_columns, self.course.options.cells_at_once)

    def _take_columns(self, part: pa.Table | pa.RecordBatch) -> Taken | None:
        """Take a table by column; None where that cannot be done."""
        taken = take_table(part, self.intake, self.course.vocabulary, first_row=self.rows)
        if taken is None:
            return None
        self.rows += part.num_rows
        for letter in taken.letters:
            self.bury(letter)
        return Taken([self.course.take(taken.batch, Places(taken.rows))], taken.letters)

    def bury(self, letter: DeadLetter) -> None:
        """Count a row that is no event, and keep it for a while."""
        self.buried += 1
        self.dead_letters.append(letter)

    def step(self, row: int, raw: object) -> Step | DeadLetter:
        """Return what a row or event is."""
        return self._event(row, raw) if isinstance(raw, Event) else self.intake.accept(row, raw)

    def _event(self, row: int, event: Event) -> Event | DeadLetter:
        """Take an event that has its times already; the rows that follow must not be earlier."""
        clock = self.intake.clock
        if clock is not None and event.end < clock:
            refused = RowRefused("late", "late: the event ends before the clock")
            return refused.letter(row, show_row(dict(event.values)))
        self.intake.accept(row, {"$clock": Timestamp(event.end - 1)})
        return Event(event.stream, row, event.begin, event.end, event.values)

    def run(
        self, step: Step | DeadLetter, row: int, raw: object
    ) -> Sequence[Notification] | DeadLetter:
        """Let a step happen; return what it completes, or why it cannot be."""
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

    def moment(self, moment: object) -> Timestamp:
        """Return a time that was given outside the rows."""
        try:
            return parse_time(moment)
        except TocsinError as error:
            msg = f"clock: {error}"
            raise ConfigurationError(msg) from error

    def advance(self, moment: object) -> list[Notification]:
        """Advance the clock, outside the rows."""
        parsed = self.moment(moment)
        step = self.intake.accept(-1, {"$clock": moment})
        if isinstance(step, DeadLetter):
            msg = f"clock: {step.reason}"
            raise ConfigurationError(msg)
        return self.course.advance(parsed)

    def subscribe(self, given: Subscriptions) -> list[Notification]:
        """Put subscriptions in force."""
        program = load_program(given)
        refuse_unsupported(program)
        self._refuse_since(program)
        added = self.program.add_statements(program.statements, program.source)
        self.intake.add_schemas(self.program.schemas)
        return self.add(Program(added))

    def subscribe_table(self, program: Program, table: object) -> list[Notification]:
        """Put the subscriptions of a program and a table in force, by column where possible."""
        refuse_unsupported(program, with_table=True)
        self._refuse_since(program)
        filled = filled_tables(program, table)
        plain = without_templates(program)
        found = self.add(Program(self.program.add_statements(plain.statements, plain.source)))
        found += self.add_tables(filled, program.source)
        self.intake.add_schemas(self.program.schemas)
        return found

    def add_tables(self, tables: Iterable[FilledTable], source: str) -> list[Notification]:
        """Watch for the subscriptions of tables."""
        return [one for table in tables if len(table) for one in self._add_table(table, source)]

    def _add_table(self, filled: FilledTable, source: str) -> list[Notification]:
        """Load a table by column; where that cannot be done, row by row."""
        course = self.course
        if filled.columns is not None and course.takes_lanes(filled.template):
            self.program.add_table(filled, source)
            try:
                template = self.program.normal_template(filled)
                form = linear_form(template)
                table = Table(filled, template, self._normal, course.made, course.step + 1)
                course.join_table(table, form)
            except (NotLinearError, UnsupportedError):
                for name in filled.names:
                    self.program.remove(name)
            else:
                course.step += 1
                return []
        rows = [filled.row(row) for row in range(len(filled))]
        return self.add(Program(self.program.add_statements(rows, source)))

    def _normal(self, subscription: Subscription) -> NormalSubscription:
        return self.program.normal((subscription,))[0]

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
