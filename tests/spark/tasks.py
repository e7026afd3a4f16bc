"""Parts of a course run by the work of Spark's workers, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import Any

import pyarrow as pa
from tests.plan.partition.splitting import EVER, Course, Portion

from tocsin.language.live import LiveProgram
from tocsin.language.tree import Program, Statement, Subscription
from tocsin.model.event import Event
from tocsin.model.notification import Notification, Notifications
from tocsin.spark.ids import with_ids
from tocsin.spark.roads import linear_names
from tocsin.spark.schema import END, ROW, STREAM, position_column
from tocsin.spark.work import Part, Task

_MOMENT = pa.timestamp("us", tz="UTC")


def told(found: list[Notification]) -> list[str]:
    """Return notifications as workers return them; their order says nothing."""
    return sorted(map(repr, with_ids(Notifications(found).to_arrow()).to_pylist()))


def by_task(program: Program, batch_rows: int) -> Callable[[Course, Portion], list[Any]]:
    """Return what runs a part in batches of so many rows."""

    def run(course: Course, portion: Portion) -> list[Any]:
        names = set(portion.names)
        fast = linear_names(LiveProgram(program)) & names
        kept, apart = (
            Program(tuple(one for one in program.statements if _is_of(one, some)), program.source)
            for some in (fast, names - fast)
        )
        begin, end = (None if abs(one) == EVER[1] else int(one) for one in portion.slice_)
        unions = tuple(tuple(sorted(union)) for union in portion.positions)
        task = Task(
            parts=(Part(kept, begin, end, apart),),
            time="ts",
            stream=None,
            simultaneous="unordered" if course.unordered else "ordered",
            unions=unions,
            positions=tuple(position_column(number) for number in range(len(unions))),
            start_us=portion.start,
            clock_us=portion.clock,
        )
        batches = iter(_table(portion, unions).to_batches(max_chunksize=batch_rows))
        return [repr(row) for batch in task.run(batches) for row in batch.to_pylist()]

    return run


def _is_of(statement: Statement, names: Set[str]) -> bool:
    return not isinstance(statement, Subscription) or statement.name in names


def _table(portion: Portion, unions: tuple[tuple[str, ...], ...]) -> pa.Table:
    events = portion.events
    columns: dict[str, Any] = {
        "ts": pa.array([int(event.begin) for event in events], pa.int64()).cast(_MOMENT),
        END: pa.array([int(event.end) for event in events], pa.int64()).cast(_MOMENT),
        STREAM: pa.array([event.stream for event in events], pa.string()),
        ROW: pa.array([event.row for event in events], pa.int64()),
    }
    for number, union in enumerate(unions):
        positions = portion.positions[frozenset(union)]
        columns[position_column(number)] = pa.array(_so_far(events, positions), pa.int64())
    for name in sorted({name for event in events for name in event.values} - {"ts"}):
        columns[name] = pa.array([event.values.get(name) for event in events])
    table = pa.table(columns)
    if portion.start is None or portion.clock is None:
        return table
    mark = pa.table({name: pa.nulls(1, table.schema.field(name).type) for name in columns})
    return pa.concat_tables([mark, table])


def _so_far(events: list[Event], positions: dict[int | None, int]) -> Iterator[int]:
    """An event of another stream stands where the last one stood that counts."""
    last = -1
    for event in events:
        last = positions.get(event.row, last)
        yield last
