"""Rows that are told of instead of being run: late ones, and those that the engine refuses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import pyarrow as pa

from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.model.times import TimeForm, format_time
from tocsin.model.values import Timestamp
from tocsin.spark.placing import TIME
from tocsin.spark.schema import ROW
from tocsin.spark.streaming.task import StreamTask

Letter: TypeAlias = tuple[str, int | None, str]
"""The kind of a dead letter, its row where that has a number, and the reason."""


def of_late_rows(task: StreamTask, late: pa.Table, watermark_us: int) -> list[pa.Table]:
    """Return what is told of events that came too late: one row for each, of the kind `late`."""
    clock = _shown(task, watermark_us)
    return _table(
        _row("late", row, end, f"late: the event ends at {shown}, not after $clock {clock}")
        for row, end, shown in _places(task, late)
    )


def of_early_rows(task: StreamTask, early: pa.Table, zero_us: int) -> list[pa.Table]:
    """Return what is told of events that no watermark of Spark can pass: `bad_time`."""
    zero = _shown(task, zero_us)
    return _table(
        _row(
            "bad_time",
            row,
            end,
            f"the event ends at {shown}, before {zero}, where Spark's watermark begins; say with "
            "start= when the stream began",
        )
        for row, end, shown in _places(task, early)
    )


def _places(task: StreamTask, events: pa.Table) -> Iterator[tuple[int, int, str]]:
    """Yield the rows of events and their ends, also as text."""
    rows, ends = (events[name].to_numpy().tolist() for name in (ROW, TIME))
    for row, end in zip(rows, ends, strict=True):
        yield row, end, _shown(task, end)


def _shown(task: StreamTask, moment_us: int) -> str:
    form = TimeForm.MILLISECONDS if task.is_whole_ms else TimeForm.ISO
    return str(format_time(Timestamp(moment_us), form))


def of_dead_letters(letters: Iterable[DeadLetter]) -> list[pa.Table]:
    """Return what is told of rows that the engine refused: one row for each, of their kind."""
    return of_letters((letter.kind, letter.row, letter.reason) for letter in letters)


def of_letters(letters: Iterable[Letter]) -> list[pa.Table]:
    """Return the same of rows that were refused elsewhere."""
    return _table(_row(kind, row, None, reason) for kind, row, reason in letters)


def of_refused(refused: Iterable[tuple[str, str]]) -> list[pa.Table]:
    """Return what is told of subscriptions, by name, whose text is wrong: `bad_program`."""
    return _table(
        {**_row("bad_program", None, None, reason), "subscription": name}
        for name, reason in refused
    )


def _row(kind: str, row: int | None, end: int | None, reason: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "at": end,
        "position": row,
        "end": end,
        "emit": [("reason", json.dumps(reason))],
    }


def _table(rows: Iterable[dict[str, Any]]) -> list[pa.Table]:
    every = list(rows)
    return [pa.Table.from_pylist(every, schema=NOTIFICATION_SCHEMA)] if every else []
