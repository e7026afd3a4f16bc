"""Tables whose rows know their places in a whole: taken as they are, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from tocsin.engine.columns import Batch, batch_of_events
from tocsin.engine.columns.intake import take_table
from tocsin.engine.parts import equal_parts
from tocsin.engine.places import Places
from tocsin.engine.taken import Taken
from tocsin.errors import ConfigurationError
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Event
from tocsin.model.notification import Notification
from tocsin.model.read import rows_of
from tocsin.model.rows import Clock, Subscribe, Unsubscribe

if TYPE_CHECKING:
    from tocsin.engine.feed import Feed


class _Events(NamedTuple):
    """Events that were read and have not run; `events` are the same as objects, if there are."""

    batch: Batch
    places: Places
    events: Sequence[Event] | None = None


class PlacedRows:
    """Reads rows ahead, so that nothing has happened where their positions are refused.

    A row that subscribes ends what is read together: the rows behind it come under its rule.

    Parameters
    ----------
    feed
        To which the rows come.
    """

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._taken = Taken([], [])
        self._begin()

    def _begin(self) -> None:
        self._before = self._feed.intake.state()
        self._steps: list[_Events | Clock] = []
        self._letters: list[DeadLetter] = []
        self._rows = 0

    def take(self, table: pa.Table | pa.RecordBatch, places: Places) -> Taken:
        """Take all rows.

        Raises
        ------
        ConfigurationError
            Positions do not grow; everything is as it was before, or before the last row that
            subscribed.
        """
        for rows in equal_parts(table.num_rows, self._feed.rows_at_once(table)):
            part, own = table.slice(rows.start, rows.stop - rows.start), places.chosen(rows)
            if not self._read_columns(part, own):
                self._read_rows(part, own)
        self._run()
        return self._taken

    def _read_columns(self, part: pa.Table | pa.RecordBatch, places: Places) -> bool:
        """Read a part by column, and say whether that can be done."""
        feed = self._feed
        taken = take_table(part, feed.intake, feed.course.vocabulary, first_row=0)
        if taken is None:
            return False
        rows = places.rows
        self._letters += [replace(one, row=int(rows[one.row])) for one in taken.letters]
        is_whole = taken.batch.size == part.num_rows
        self._steps.append(_Events(taken.batch, places if is_whole else places.chosen(taken.rows)))
        self._rows += part.num_rows
        return True

    def _read_rows(self, part: pa.Table | pa.RecordBatch, places: Places) -> None:
        """Read a part row by row; events that stand together run together."""
        events: list[Event] = []
        numbers: list[int] = []
        for number, (_, raw) in enumerate(rows_of(part)):
            row = int(places.rows[number])
            step = self._feed.step(row, raw)
            self._rows += 1
            if isinstance(step, Event):
                events.append(step)
                numbers.append(number)
                continue
            if isinstance(step, DeadLetter):
                self._letters.append(step)
                continue
            self._steps += self._together(events, places.chosen(numbers))
            events, numbers = [], []
            if isinstance(step, Clock):
                self._steps.append(step)
            else:
                self._change(step, row, raw)
        self._steps += self._together(events, places.chosen(numbers))

    def _together(self, events: list[Event], places: Places) -> Iterator[_Events]:
        if events:
            batch = batch_of_events(events, self._feed.course.vocabulary)
            yield _Events(batch, places, events)

    def _change(self, step: Subscribe | Unsubscribe, row: int, raw: object) -> None:
        self._run()
        found = self._feed.run(step, row, raw)
        if isinstance(found, DeadLetter):
            self._letters.append(found)
        else:
            self._taken.found.append(found)

    def _run(self) -> None:
        """Run what was read, if its positions grow."""
        feed = self._feed
        read = [one for one in self._steps if isinstance(one, _Events)]
        try:
            feed.course.check_positions([(one.batch, one.places) for one in read])
        except ConfigurationError:
            feed.intake.restore(self._before)
            raise
        feed.rows += self._rows
        for letter in self._letters:
            feed.bury(letter)
        self._taken.letters.extend(self._letters)
        self._taken.found.extend(map(self._found, self._steps))
        feed.course.forget()
        self._begin()

    def _found(self, step: _Events | Clock) -> Sequence[Notification]:
        course = self._feed.course
        return course.advance(step.moment) if isinstance(step, Clock) else course.run(*step)
