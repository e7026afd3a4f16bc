"""What runs in the workers: an engine over one part of the events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine import Engine, Places
from tocsin.language.tree import Program
from tocsin.model.notification import Notifications
from tocsin.model.values import Timestamp
from tocsin.spark.schema import PART, ROW


@dataclass(frozen=True, slots=True)
class Part:
    """What one part is told of the whole.

    Attributes
    ----------
    program
        The subscriptions that it runs.
    begin_us, end_us
        Only what is reported at or after the begin and before the end is kept.
    """

    program: Program
    begin_us: int | None = None
    end_us: int | None = None


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
    """

    parts: tuple[Part, ...]
    time: str
    stream: str | None
    simultaneous: Literal["ordered", "unordered"]
    unions: tuple[tuple[str, ...], ...] = ()
    positions: tuple[str, ...] = ()
    start_us: int | None = None
    clock_us: int | None = None

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run the events of a part, in the order of their rows; return notifications.

        Events of several parts may come, those of one part together.
        """
        current: _Running | None = None
        for number, table in _by_part(batches):
            if current is None or current.number != number:
                if current is not None:
                    yield from current.finish()
                current = _Running(self, number)
            yield from current.take(table)
        if current is not None:
            yield from current.finish()


def worker(task: Task) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function for `mapInArrow`."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return task.run(batches)

    return run


def _by_part(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, pa.Table]]:
    """Yield tables of one part each; without a column for it, there is one part."""
    for batch in batches:
        table = pa.Table.from_batches([batch])
        if PART not in table.column_names:
            yield 0, table
            continue
        numbers = table[PART].to_numpy()
        table = table.drop_columns([PART])
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for begin, end in pairwise(cuts):
            if begin < end:
                yield int(numbers[begin]), table.slice(begin, end - begin)


class _Running:
    """The engine of one part."""

    def __init__(self, task: Task, number: int) -> None:
        self.task = task
        self.number = number
        self.part = task.parts[number if len(task.parts) > 1 else 0]
        self.engine = Engine(
            self.part.program,
            time=task.time,
            stream=task.stream,
            simultaneous=task.simultaneous,
        )
        if task.start_us is not None:
            self.engine.start(Timestamp(task.start_us))

    def take(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        task = self.task
        positions = {
            frozenset(streams): table[column].to_numpy()
            for streams, column in zip(task.unions, task.positions, strict=True)
        }
        places = Places(table[ROW].to_numpy(), positions)
        rows = table.drop_columns([ROW, *task.positions])
        return self.told(self.engine.process(rows, places))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Move the clock to where that of the whole ends."""
        clock = self.task.clock_us
        if clock is None:
            return
        if self.part.end_us is not None:
            clock = min(clock, self.part.end_us - 1)
        if self.engine.clock is None or self.engine.clock < clock:
            found = self.engine.advance(Timestamp(clock))
            yield from self.told(Notifications(found, form=self.engine.time_form))

    def told(self, found: Notifications) -> Iterator[pa.RecordBatch]:
        if not found:
            return
        table: Any = found.to_arrow()
        at = table["at"].cast(pa.int64())
        for bound, compare in ((self.part.begin_us, pc.greater_equal), (self.part.end_us, pc.less)):
            if bound is not None:
                kept = compare(at, pa.scalar(bound))
                table, at = table.filter(kept), at.filter(kept)
        yield from table.to_batches()
