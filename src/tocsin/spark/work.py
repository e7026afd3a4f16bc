"""What runs in the workers: an engine over one part of the events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine import Engine, Options, Places
from tocsin.engine.parts import rows_at_once
from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notifications
from tocsin.model.values import Timestamp
from tocsin.spark.ids import TOLD_SCHEMA, with_ids
from tocsin.spark.memory import keep_freed_memory
from tocsin.spark.schema import APART, DEAD_LETTER, PART, ROW


@dataclass(frozen=True, slots=True)
class Part:
    """What one part is told of the whole.

    Attributes
    ----------
    program
        The subscriptions that it runs.
    begin_us, end_us
        Only what is reported at or after the begin and before the end is kept.
    apart
        More subscriptions, which run in an engine of their own: events go one by one through an
        engine that has a subscription without kernels.
    table
        The parameter table of `program`, where that is a template: by column it is compiled in a
        fraction of the time that its rows take one by one.
    """

    program: Program
    begin_us: int | None = None
    end_us: int | None = None
    apart: Program | None = None
    table: object = None


@dataclass(frozen=True, slots=True)
class Task:
    """What all parts of a group are told.

    Attributes
    ----------
    parts
        By number; where there is one, all parts are like it.
    time, stream
        As for the engine.
    unions, positions
        The streams in whose union positions were counted, and the columns that have them.
    start_us
        The first time of the whole, where it matters.
    clock_us
        Where the clock of the whole ends, where it matters.
    columns
        The names of the columns, where they come with others.
    tells_refused
        Whether refused rows are told among the notifications.
    options
        Those of the engines.
    """

    parts: tuple[Part, ...]
    time: str
    stream: str | None
    simultaneous: Literal["ordered", "unordered"]
    unions: tuple[tuple[str, ...], ...] = ()
    positions: tuple[str, ...] = ()
    start_us: int | None = None
    clock_us: int | None = None
    columns: tuple[str, ...] = ()
    tells_refused: bool = True
    options: Options = field(default_factory=Options)

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run the events of a part, in the order of their rows; return notifications.

        Events of several parts may come, those of one part together. A row without a number is no
        event: it says that its part has to run, even if no event comes.
        """
        current: _Running | None = None
        for number, table in _by_part(
            map(self._named, _gathered(batches, self.options.cells_at_once))
        ):
            if current is None or current.number != number:
                if current is not None:
                    yield from current.finish()
                current = _Running(self, number)
            yield from current.take(table)
        if current is not None:
            yield from current.finish()

    def _named(self, table: pa.Table) -> pa.Table:
        return table.rename_columns(list(self.columns)) if self.columns else table


def worker(task: Task) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function for `mapInArrow`."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        keep_freed_memory()
        return task.run(batches)

    return run


def _gathered(batches: Iterator[pa.RecordBatch], cells: int) -> Iterator[pa.Table]:
    """Yield what comes in tables of some size: what the engine does for a table is done less often.

    Spark's own batches are far smaller, unless a session says otherwise.
    """
    kept: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if kept and rows + batch.num_rows > rows_at_once(batch.num_columns, cells):
            yield pa.Table.from_batches(kept)  # the engine would cut what is larger in two
            kept, rows = [], 0
        kept.append(batch)
        rows += batch.num_rows
    if kept:
        yield pa.Table.from_batches(kept)


def _by_part(tables: Iterator[pa.Table]) -> Iterator[tuple[int, pa.Table]]:
    """Yield tables of one part each; without a column for it, there is one part."""
    for table in tables:
        if PART not in table.column_names:
            yield 0, table
            continue
        numbers = table[PART].to_numpy()
        rows = table.drop_columns([PART])
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for begin, end in pairwise(cuts):
            if begin < end:
                yield int(numbers[begin]), rows.slice(begin, end - begin)


class _Running:
    """The engines of one part."""

    def __init__(self, task: Task, number: int) -> None:
        self.task = task
        self.number = number
        self.part = task.parts[number if len(task.parts) > 1 else 0]
        self.last_row = np.iinfo(np.int64).min
        self.engines = [self._engine(self.part.program, self.part.table)]
        if self.part.apart is not None:
            self.engines.append(self._engine(self.part.apart))
        if task.start_us is not None:
            for engine in self.engines:
                engine.start(Timestamp(task.start_us))

    def _engine(self, program: Program, table: object = None) -> Engine:
        task = self.task
        return Engine(
            program, time=task.time, stream=task.stream, simultaneous=task.simultaneous,
            options=task.options, table=table,
        )  # fmt: skip

    def take(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        if table[ROW].null_count:
            table = table.filter(pc.is_valid(table[ROW]))
        self.see_order(table[ROW].to_numpy())
        for number, engine in enumerate(self.engines):
            found = engine.process(*self._placed(table, is_apart=number > 0))
            yield from self.told(found)
            if number == 0:  # it sees all rows, and what one of them refuses all refuse
                _see_lateness(found.dead_letters)
                if self.task.tells_refused:
                    yield from _letters(found.dead_letters)

    def _placed(self, table: pa.Table, *, is_apart: bool) -> tuple[pa.Table, Places]:
        """Return the rows that an engine takes, and their places."""
        task = self.task
        if APART in table.column_names:
            if is_apart:
                table = table.filter(table[APART])
            table = table.drop_columns([APART])
        positions = {
            frozenset(streams): table[column].to_numpy()
            for streams, column in zip(task.unions, task.positions, strict=True)
        }
        places = Places(table[ROW].to_numpy(), positions)
        return table.drop_columns([ROW, *task.positions]), places

    def see_order(self, rows: Any) -> None:
        """See that rows have numbers of their own, which only `row=` can get wrong."""
        again = rows[1:] <= rows[:-1]
        if len(rows) and (rows[0] <= self.last_row or again.any()):
            number = rows[int(again.argmax()) + 1] if again.any() else rows[0]
            said = f"two rows have the number {number} in the column that row= names"
            msg = f"{said}; it must be unique"
            raise ConfigurationError(msg)
        self.last_row = int(rows[-1]) if len(rows) else self.last_row

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Move the clock to where that of the whole ends."""
        clock = self.task.clock_us
        if clock is None:
            return
        if self.part.end_us is not None:
            clock = min(clock, self.part.end_us - 1)
        for engine in self.engines:
            # An event of that moment does not end it: what is due then waits for the clock.
            if engine.clock is None or engine.clock <= clock:
                found = engine.advance(Timestamp(clock))
                yield from self.told(Notifications(found, form=engine.time_form))

    def told(self, found: Notifications) -> Iterator[pa.RecordBatch]:
        if not found:
            return
        table: Any = found.to_arrow()
        at = table["at"].cast(pa.int64())
        for bound, compare in ((self.part.begin_us, pc.greater_equal), (self.part.end_us, pc.less)):
            if bound is not None:
                kept = compare(at, pa.scalar(bound))
                table, at = table.filter(kept), at.filter(kept)
        yield from with_ids(table).to_batches()


def _see_lateness(letters: Sequence[DeadLetter]) -> None:
    """See that no row came late.

    Raises
    ------
    ConfigurationError
        One did: rows come sorted by their numbers, so that those are wrong.
    """
    for letter in letters:
        if letter.kind == "late":
            msg = (
                f"row {letter.row} lies before an earlier row in time; the column that row= names "
                f"must grow with time ({letter.reason})"
            )
            raise ConfigurationError(msg)


def _letters(letters: Sequence[DeadLetter]) -> Iterator[pa.RecordBatch]:
    """Yield dead letters among the notifications, so that none is lost with its worker."""
    if letters:
        rows = [
            {
                "kind": DEAD_LETTER,
                "position": letter.row,
                "emit": [("kind", letter.kind), ("reason", letter.reason), ("raw", letter.raw)],
            }
            for letter in letters
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=TOLD_SCHEMA)
