"""Micro-batches over buckets without Spark: what it would hand over, and when it would call."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

import tocsin
from tocsin.language.parser import parse
from tocsin.plan.partition import Strategy
from tocsin.spark.ids import TOLD_SCHEMA, with_ids
from tocsin.spark.placing import TIME
from tocsin.spark.schema import END, ROW, STREAM, TIE
from tocsin.spark.streaming.bucket import BucketState, step
from tocsin.spark.streaming.columns import BUCKET, BUCKETS, EVENTS
from tocsin.spark.streaming.live_engines import LiveEngines
from tocsin.spark.streaming.packing import packed
from tocsin.spark.streaming.routes import Route, plan_stream, routes_of
from tocsin.spark.streaming.task import Home, StreamTask
from tocsin.spark.streaming.versions import Changes

Rows = list[dict[str, Any]]
PLACES = (TIME, TIE, ROW)
SCHEMA = pa.schema(
    [
        *((name, pa.int64()) for name in (*PLACES, "ts", END, "v")),
        *((name, pa.string()) for name in (STREAM, "k")),
        *((name, pa.float64()) for name in ("g", "h")),
        (BUCKETS, pa.list_(pa.int32())),
    ]
)


class Simulation:
    """A query: its buckets, their states, and the watermark as Spark tells it.

    Parameters
    ----------
    delay_ms
        How far the watermark stays behind the latest event.
    forgetful
        Whether every step runs in a new worker.
    text
        A program; empty where subscriptions come and go.
    start_ms
        When the stream began, where somebody says so.
    """

    def __init__(
        self,
        text: str,
        *,
        delay_ms: int,
        buckets: int = 2,
        forgetful: bool = False,
        start_ms: int | None = None,
    ) -> None:
        program = parse(text)
        plan = plan_stream(program, stream=None, unordered=False, knows_start=False)
        self.routes = routes_of(
            plan,
            program,
            columns=("ts", END, STREAM),
            known=SCHEMA.names,
            buckets=buckets,
            shards=buckets,
            knows_start=False,
            stream="default",
        )
        homes = tuple(home for route in self.routes for home in route.homes)
        if not text:
            homes = (Home(program, 0, buckets, ("ts", END, STREAM, "k", "v", "g", "h")),)
        self.task = StreamTask(
            "simulated",
            homes,
            "ts",
            None,
            "ordered",
            None if start_ms is None else start_ms * 1000,
            is_whole_ms=True,
            is_changing=not text,
        )
        self.buckets = buckets
        self.states: dict[int, BucketState] = {}
        self.delay_ms, self.latest_ms, self.watermark_ms = delay_ms, 0, 0
        self.forgetful = forgetful
        self.live = LiveEngines()
        self.told: list[pa.Table] = []

    def micro_batch(self, rows: Rows, changes: Changes | None = None) -> None:
        """Let rows come; those of a bucket first, then the buckets that wait for the watermark."""
        brought = self._brought(rows)
        changed = [] if changes is None else [changes.to_bytes()]
        called = sorted(brought) if changes is None else range(self.buckets)
        for bucket in called:
            self._step(bucket, brought.get(bucket, []), changed)
        for bucket, state in sorted(self.states.items()):
            call_ms = state.call_ms
            if bucket in called or call_ms is None:
                continue
            if call_ms - self.task.zero_ms <= self.watermark_ms:
                self._step(bucket, [])
        self.latest_ms = max([self.latest_ms, *(row[END] - self.task.zero_ms for row in rows)])
        self.watermark_ms = max(self.watermark_ms, self.latest_ms - self.delay_ms)

    def found(self) -> pa.Table:
        """Return all that was told so far."""
        return pa.concat_tables([TOLD_SCHEMA.empty_table(), *self.told])

    def _step(self, bucket: int, brought: list[bytes], changes: Sequence[bytes] = ()) -> None:
        live = LiveEngines() if self.forgetful else self.live
        before = self.states.pop(bucket, BucketState())
        watermark_ms = self.task.watermark_ms(self.watermark_ms)
        outcome = step(self.task, bucket, before, brought, watermark_ms, changes=changes, live=live)
        self.told += [with_ids(pa.concat_tables(outcome.told))] if outcome.told else []
        if not outcome.state.is_nothing:
            self.states[bucket] = outcome.state

    def _brought(self, rows: Rows) -> dict[int, list[bytes]]:
        table = pa.Table.from_pylist([self._placed(row) for row in rows], schema=SCHEMA)
        found: dict[int, list[bytes]] = {}
        for batch in packed(self.task, PLACES, table):
            for one in batch.to_pylist():
                found.setdefault(one[BUCKET], []).append(one[EVENTS])
        return found

    def _placed(self, row: dict[str, Any]) -> dict[str, Any]:
        buckets = [bucket for route in self.routes for bucket in _buckets(route, row)]
        if self.task.is_changing:
            buckets = list(range(self.buckets))
        return {**row, TIME: row[END] * 1000, TIE: row[ROW], BUCKETS: buckets}


def _buckets(route: Route, row: dict[str, Any]) -> Iterator[int]:
    if not route.takes_all and row[STREAM] not in route.group.needs.streams:
        return
    if route.group.strategy is not Strategy.BY_KEY:
        yield from (home.first for home in route.homes)
        return
    (home,) = route.homes
    key = row.get(dict(route.group.choice.key).get(row[STREAM], ""))
    yield home.first + zlib.crc32(repr(key).encode()) % home.size


def prepared(rows: Rows) -> Rows:
    """Return events with all that a frame has: an end, and the number of their row."""
    events = [row for row in rows if "$clock" not in row]
    found = []
    for number, row in enumerate(events):
        moved = {"ts": row["ts"] + 10_000, END: row.get(END, row["ts"]) + 10_000, ROW: number}
        keys = {name: None if row.get(name) is None else float(row[name]) for name in ("g", "h")}
        found.append({**row, **moved, **keys})
    return found


def by_reference(text: str, rows: Rows, watermark_ms: int) -> pa.Table:
    """Return what the reference gives for all rows up to a watermark."""
    taken = [
        {name: value for name, value in row.items() if name != ROW and value is not None}
        for row in rows
        if row[END] <= watermark_ms
    ]
    found = tocsin.match(taken, text, engine="reference", clock=watermark_ms)
    return with_ids(found.to_arrow())


def in_order(found: pa.Table) -> list[str]:
    """Return notifications so that they can be compared."""
    return sorted(map(repr, found.to_pylist()))


def cut(rows: Sequence[dict[str, Any]], sizes: Sequence[int]) -> Iterator[Rows]:
    """Yield rows in parts of such sizes, again and again."""
    begin, turn = 0, 0
    while begin < len(rows):
        end = begin + sizes[turn % len(sizes)]
        yield list(rows[begin:end])
        begin, turn = end, turn + 1
