"""The three workloads in the engine and, where it is asked for, in the peer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from tocsin.bench.answers import check_equal
from tocsin.bench.engines import Part
from tocsin.bench.flink.data import MAKERS, SIZES, read_data, write_data
from tocsin.bench.flink.oracle import count_intrusions, count_pool, count_rises
from tocsin.bench.flink.patterns import (
    LOGIN_HEAD,
    POOL_HEAD,
    RISE,
    STOCK_HEAD,
    USUAL,
    Intrusion,
    intrusion_text,
    pool_parts,
)
from tocsin.bench.flink.peer import Flink, PeerRun
from tocsin.bench.flink.subscriptions import make_subscriptions, read_subscriptions
from tocsin.bench.steps import Steps
from tocsin.bench.streaming import Streamed, load, stream


@dataclass(frozen=True, slots=True)
class Case:
    """Something to run: the same pattern here and there.

    Attributes
    ----------
    variant
        What the peer calls it.
    text, parts
        The program, and templates with their rows.
    expected
        How many matches there are.
    """

    variant: str
    text: str
    parts: tuple[Part, ...]
    events: pa.Table
    expected: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a case gave; the peer is None where it did not run."""

    variant: str
    events: int
    subscriptions: int
    streamed: Streamed
    peer: PeerRun | None

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer the engine is."""
        return None if self.peer is None else self.streamed.rate / self.peer.rate


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is run, and with whom.

    Attributes
    ----------
    events
        How many events there are; None for as many as the workload has.
    data
        A directory with the generator's files; without it the data is made here.
    peer
        Runs the same beside us.
    is_read
        Whether every notification is read, as the peer does, or all are counted.
    """

    events: int | None = None
    runs: int = 5
    data: Path | None = None
    peer: Flink | None = None
    peer_timeout_s: int = 240
    is_read: bool = False


PATTERNS: Final = (1, 10, 100, 1_000)
"""How many patterns the workload `pool` has at once."""


def login_cases(settings: Settings, variants: Sequence[Intrusion] = USUAL) -> list[Case]:
    """Return variants of the intrusion."""
    events = _events("login", settings)
    return [
        Case(
            f"p1.{one.value}", LOGIN_HEAD + intrusion_text(one), (), events,
            lambda one=one: count_intrusions(events, one),  # type: ignore[misc]
        )
        for one in variants
    ]  # fmt: skip


def stock_cases(settings: Settings) -> list[Case]:
    """Return the monotone rise."""
    events = _events("stock", settings)
    return [Case("p2.java", STOCK_HEAD + RISE, (), events, lambda: count_rises(events))]


def pool_cases(settings: Settings, patterns: Sequence[int] = PATTERNS) -> list[Case]:
    """Return so many patterns at once."""
    events = _events("pool", settings)
    types = events.column("type").to_numpy()
    made = settings.data is None
    rows = make_subscriptions(types) if made else read_subscriptions(Path(settings.data or ""))
    return [
        Case(
            f"p3.n{count}.chain", POOL_HEAD, tuple(pool_parts(rows.slice(0, count))), events,
            lambda count=count: count_pool(types, rows.slice(0, count)),  # type: ignore[misc]
        )
        for count in patterns
    ]  # fmt: skip


def _events(name: str, settings: Settings) -> pa.Table:
    if settings.data is not None:
        return read_data(settings.data, name, settings.events)
    return MAKERS[name](settings.events or SIZES[name])


def measure_cases(
    name: str, cases: Sequence[Case], settings: Settings, steps: Steps
) -> list[Outcome]:
    """Run all cases here and, where a peer is given, there.

    Raises
    ------
    UnequalAnswersError
        The engine finds another number of matches than the oracle, or than the peer.
    """
    steps.expect(len(cases) * (1 if settings.peer is None else 2))
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data = _data_of_peer(name, cases, settings, work)
        return [_measure(case, settings, steps, data, work) for case in cases]


def _data_of_peer(name: str, cases: Sequence[Case], settings: Settings, work: Path) -> Path:
    """Write what the peer reads: the events as they were cut, and the subscriptions of the pool."""
    if settings.peer is not None:
        settings.peer.compile(work)
        write_data(cases[0].events, work, name)
        if name == "pool":
            rows = pa.concat_tables([part.table for part in cases[-1].parts]).sort_by("id")
            write_data(rows, work, "subs")
    return work


def _measure(case: Case, settings: Settings, steps: Steps, data: Path, classes: Path) -> Outcome:
    steps.begin(f"{case.variant} here")
    loaded = load(case.text, case.parts)
    streamed = stream(loaded.engine, case.events, runs=settings.runs, is_read=settings.is_read)
    check_equal(case.variant, streamed.notifications, case.expected(), of="the oracle")
    run = None
    if settings.peer is not None:
        steps.begin(f"{case.variant} in the peer")
        run = settings.peer.run(case.variant, data, classes, timeout_s=settings.peer_timeout_s)
        if not run.stopped:
            check_equal(case.variant, streamed.notifications, run.matches, of="the peer")
    return Outcome(case.variant, case.events.num_rows, loaded.subscriptions, streamed, run)
