"""The benchmarks `login`, `stock` and `pool` as reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tocsin.bench.flink.figures import (
    Case,
    Outcome,
    Settings,
    login_cases,
    measure_cases,
    pool_cases,
    stock_cases,
)
from tocsin.bench.flink.recorded import recorded_rates
from tocsin.bench.report import Cell, Curve, Plot, Report, Section, columns
from tocsin.bench.steps import Steps

CASES: Final[dict[str, Callable[[Settings], list[Case]]]] = {
    "login": login_cases,
    "stock": stock_cases,
    "pool": pool_cases,
}


def report(
    name: str,
    settings: Settings,
    steps: Steps,
    *,
    cases: Sequence[Case] | None = None,
    peer_directory: Path | None = None,
) -> Report:
    """Measure a workload; `cases` are all of its own unless given.

    Raises
    ------
    UnequalAnswersError
        Somebody finds another number of matches than the oracle.
    """
    found = measure_cases(name, cases or CASES[name](settings), settings, steps)
    recorded = recorded_rates(peer_directory)
    notes = _notes(found, recorded, is_read=settings.is_read)
    parameters = {
        "events": found[0].events, "runs": settings.runs, "made here": settings.data is None,
        "notifications": "read" if settings.is_read else "counted",
    }  # fmt: skip
    section = _section(name, found, recorded)
    return Report(name, parameters, (section,), (_plot(name, found),), notes)


def _section(name: str, found: Sequence[Outcome], recorded: dict[str, float]) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            one.variant, one.subscriptions, one.events, one.streamed.rate,
            min(one.streamed.rates), max(one.streamed.rates), one.streamed.notifications,
            one.streamed.cpu_s, one.streamed.wall_s,
            None if one.peer is None else one.peer.rate, one.ratio, recorded.get(one.variant),
        )
        for one in found
    ]  # fmt: skip
    shown = columns(
        "variant", "patterns", "events", "events/s", "low", "high", "matches", "~cpu|s", "~wall|s",
        "peer events/s", "ratio|x", "peer, recorded elsewhere",
    )  # fmt: skip
    return Section(f"{name}: events a second; all counts equal the oracle's", shown, tuple(rows))


def _notes(
    found: Sequence[Outcome], recorded: dict[str, float], *, is_read: bool
) -> tuple[str, ...]:
    notes = [
        f"The peer was stopped in {one.variant}; its rate is the one it had until then."
        for one in found
        if one.peer is not None and one.peer.stopped
    ]
    if not is_read:
        notes.append("Notifications are counted; --read also reads each one, as the peer does.")
    if any(one.variant in recorded for one in found):
        notes.append("Recorded elsewhere: RESULTS.md of --peer-dir, measured on another machine.")
    return tuple(notes)


def _plot(name: str, found: Sequence[Outcome]) -> Plot:
    variants = tuple(one.variant for one in found)
    curves = [Curve("tocsin", variants, tuple(one.streamed.rate for one in found))]
    peers = tuple(one.peer.rate for one in found if one.peer is not None)
    if len(peers) == len(found):
        curves.append(Curve("Flink, one core", variants, peers))
    return Plot(f"{name}: events a second", "", "events/s", tuple(curves), log_y=True)
