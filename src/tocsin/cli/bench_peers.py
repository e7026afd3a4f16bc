"""`tocsin bench login | stock | pool`: three workloads that another engine can run beside us."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tocsin.cli.bench_output import Files, Runs, known_name, run_benchmark
from tocsin.cli.spread import spread

if TYPE_CHECKING:
    from tocsin.bench.flink.figures import Case, Settings
    from tocsin.bench.flink.peer import Flink
    from tocsin.bench.report import Report
    from tocsin.bench.steps import Steps

EXAMPLES: Final = (
    "tocsin bench login --events 300 --runs 2",
    "tocsin bench stock --events 300 --runs 2",
    "tocsin bench pool --events 300 --patterns 3 --runs 2 --json pool.json",
)

Events = Annotated[
    int | None,
    typer.Option("--events", min=2, metavar="N", help="Only the first N events."),
]
Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Take the files of the peer's generator from here."),
]
Peer = Annotated[
    str | None,
    typer.Option("--peer", metavar="NAME", help="Also run this one on one core: flink."),
]
PeerDirectory = Annotated[
    Path | None,
    typer.Option("--peer-dir", metavar="DIR", help="Where the jobs of the peer are."),
]
PeerTimeout = Annotated[
    int,
    typer.Option(
        "--peer-timeout", min=1, metavar="S", help="Stop a job of the peer after S seconds."
    ),
]
Read = Annotated[
    bool, typer.Option("--read", help="Read every notification instead of counting them.")
]


@dataclass(frozen=True, slots=True)
class Beside:
    """The options that the three workloads share."""

    data: Data = None
    peer: Peer = None
    peer_directory: PeerDirectory = None
    peer_timeout: PeerTimeout = 240
    read: Read = False
    runs: Runs = 5

    def settings(self, events: int | None) -> Settings:
        """Return how to measure; a peer that is asked for is found before anything runs."""
        from tocsin.bench.flink.figures import Settings  # noqa: PLC0415 - loads the engine

        peer = _peer(self.peer, self.peer_directory)
        return Settings(events, self.runs, self.data, peer, self.peer_timeout, self.read)


@spread
def bench_login(
    *,
    events: Events = None,
    variants: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="NAME", help="Only this variant; repeatable."),
    ] = None,
    beside: Beside,
    files: Files,
) -> None:
    """Measure the intrusion: three times denied, then success, from one address."""
    from tocsin.bench.flink.figures import login_cases  # noqa: PLC0415 - loads the engine
    from tocsin.bench.flink.patterns import USUAL, Intrusion  # noqa: PLC0415 - loads the engine

    chosen = [Intrusion(known_name("variant", one, list(Intrusion))) for one in variants or USUAL]
    settings = beside.settings(events)
    _run("login", settings, login_cases(settings, chosen), beside, files)


@spread
def bench_stock(*, events: Events = None, beside: Beside, files: Files) -> None:
    """Measure the monotone rise: at least five rising prices of one symbol."""
    from tocsin.bench.flink.figures import stock_cases  # noqa: PLC0415 - loads the engine

    settings = beside.settings(events)
    _run("stock", settings, stock_cases(settings), beside, files)


@spread
def bench_pool(
    *,
    events: Events = None,
    patterns: Annotated[
        list[int] | None,
        typer.Option(
            "--patterns", min=1, max=1_000, metavar="N", help="How many patterns; repeatable."
        ),
    ] = None,
    beside: Beside,
    files: Files,
) -> None:
    """Measure many patterns of five events at once."""
    from tocsin.bench.flink.figures import PATTERNS, pool_cases  # noqa: PLC0415 - loads the engine

    settings = beside.settings(events)
    _run("pool", settings, pool_cases(settings, sorted(patterns or PATTERNS)), beside, files)


def _peer(name: str | None, directory: Path | None) -> Flink | None:
    """Find the peer that is asked for, before anything runs."""
    if name is None:
        return None
    from tocsin.bench.flink.peer import PEERS, find_flink  # noqa: PLC0415 - only if asked for

    known_name("peer", name, PEERS)
    return find_flink(directory)


def _run(name: str, settings: Settings, cases: list[Case], beside: Beside, files: Files) -> None:
    from tocsin.bench.flink.report import report  # noqa: PLC0415 - loads the engine

    def measure(steps: Steps) -> Report:
        return report(name, settings, steps, cases=cases, peer_directory=beside.peer_directory)

    run_benchmark(name, measure, files)
