"""Rows that are told of instead of being run: late ones, and those that the engine refuses."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification_table import NOTIFICATION_SCHEMA
from tocsin.model.times import TimeForm, format_time
from tocsin.model.values import Timestamp
from tocsin.spark.placing import TIME
from tocsin.spark.schema import ROW
from tocsin.spark.streaming.task import StreamTask


def of_late_rows(task: StreamTask, late: pa.Table, watermark_us: int) -> list[pa.Table]:
    """Return what is told of events that came too late: one row for each, of the kind `late`."""
    form = TimeForm.MILLISECONDS if task.is_whole_ms else TimeForm.ISO
    clock = format_time(Timestamp(watermark_us), form)

    def reason(end: int) -> str:
        shown = format_time(Timestamp(end), form)
        return f"late: the event ends at {shown}, not after $clock {clock}"

    return _table(
        _row("late", row, end, reason(end))
        for row, end in zip(
            late[ROW].to_numpy().tolist(), late[TIME].to_numpy().tolist(), strict=True
        )
    )


def of_dead_letters(letters: Iterable[DeadLetter]) -> list[pa.Table]:
    """Return what is told of rows that the engine refused: one row for each, of their kind."""
    return _table(_row(letter.kind, letter.row, None, letter.reason) for letter in letters)


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
