"""The benchmark `ptopss` as a report: figure 9 of the paper, a to f."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from tocsin.bench.answers import check_equal
from tocsin.bench.ptopss.states import Counts, count
from tocsin.bench.ptopss.workload import (
    HEAD,
    Distribution,
    Parameters,
    events_of,
    make_workload,
    parts_of,
)
from tocsin.bench.report import Cell, Plot, Report, Section, columns, curve
from tocsin.bench.steps import Steps
from tocsin.bench.streaming import Streamed, load, stream

DISTRIBUTIONS: Final[tuple[Distribution, ...]] = ("uniform", "gaussian")
SUBSCRIPTIONS: Final = (1_000, 10_000, 100_000)
LENGTHS: Final = (4, 6, 8, 10, 12)
POOLS: Final = (25, 50, 100, 200)
JOINTS: Final = (0, 1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is run: numbers of subscriptions, events, and runs they are cut into."""

    subscriptions: tuple[int, ...] = SUBSCRIPTIONS
    events: int = 50_000
    runs: int = 5


@dataclass(frozen=True, slots=True)
class Case:
    """What one workload gave."""

    parameters: Parameters
    counts: Counts
    streamed: Streamed

    @property
    def event_us(self) -> float:
        """The time of an event in the middle run, in microseconds."""
        return 1e6 / self.streamed.rate


def measure_case(parameters: Parameters, sizes: Sizes) -> Case:
    """Count and run one workload.

    Raises
    ------
    UnequalAnswersError
        The engine finds another number of matches than the counting does.
    """
    work = make_workload(sizes.events, parameters)
    counts = count(work)
    loaded = load(HEAD, parts_of(work))
    streamed = stream(loaded.engine, events_of(work), runs=sizes.runs)
    check_equal("matches", streamed.notifications, counts.matches, of="the counting")
    return Case(parameters, counts, streamed)


def report(sizes: Sizes, steps: Steps) -> Report:
    """Measure everything.

    Raises
    ------
    UnequalAnswersError
        The engine finds another number of matches than the counting does.
    """
    usual = Parameters(subscriptions=sizes.subscriptions[0])
    varied = {
        "subscriptions": [replace(usual, subscriptions=n) for n in sizes.subscriptions],
        "non-contiguous": [replace(usual, non_contiguous=n) for n in JOINTS],
        "length": [replace(usual, length=n) for n in LENGTHS],
        "pool": [replace(usual, pool=n) for n in POOLS],
    }
    steps.expect(len(DISTRIBUTIONS) * sum(len(several) for several in varied.values()))
    found = {name: _measured(name, several, sizes, steps) for name, several in varied.items()}
    return Report(
        "ptopss",
        asdict(usual) | asdict(sizes),
        tuple(_section(name, cases) for name, cases in found.items()),
        _plots(found),
        ("The paper sets no limit of time; here a match spans 100 events at most.",),
    )


def _measured(name: str, several: Iterable[Parameters], sizes: Sizes, steps: Steps) -> list[Case]:
    found = []
    for distribution in DISTRIBUTIONS:
        for one in several:
            steps.begin(f"{name} {_value(name, one)}, {distribution}")
            parameters = replace(one, wanted=distribution, planted=distribution)
            found.append(measure_case(parameters, sizes))
    return found


def _value(name: str, parameters: Parameters) -> int:
    return {
        "subscriptions": parameters.subscriptions,
        "non-contiguous": parameters.non_contiguous,
        "length": parameters.length,
        "pool": parameters.pool,
    }[name]


def _section(name: str, cases: Sequence[Case]) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            case.parameters.wanted, _value(name, case.parameters), case.counts.states,
            case.counts.commonality, case.counts.transitions, case.counts.matches,
            case.event_us, case.event_us / _first(cases, case).event_us, case.streamed.rate,
            case.streamed.cpu_s, case.streamed.wall_s,
        )
        for case in cases
    ]  # fmt: skip
    shown = columns(
        "distribution", name, "states", "commonality|%", "transitions", "matches",
        "time/event|us", "to the first|x", "events/s", "~cpu|s", "~wall|s",
    )  # fmt: skip
    return Section(f"ptopss: effect of {name}", shown, tuple(rows))


def _first(cases: Sequence[Case], case: Case) -> Case:
    return next(one for one in cases if one.parameters.wanted == case.parameters.wanted)


def _states(case: Case) -> float:
    return case.counts.states


def _event_us(case: Case) -> float:
    return case.event_us


def _commonality(case: Case) -> float:
    return case.counts.commonality


def _transitions(case: Case) -> float:
    return case.counts.transitions


_FIGURE_9: Final[tuple[tuple[str, str, Callable[[Case], float]], ...]] = (
    ("a: states", "subscriptions", _states),
    ("b: time per event, µs", "subscriptions", _event_us),
    ("c: time per event, µs", "non-contiguous", _event_us),
    ("d: commonality", "length", _commonality),
    ("e: states", "pool", _states),
    ("f: transitions", "pool", _transitions),
)


def _plots(found: dict[str, list[Case]]) -> tuple[Plot, ...]:
    return tuple(_plot(title, name, of, found[name]) for title, name, of in _FIGURE_9)


def _plot(title: str, name: str, of: Callable[[Case], float], cases: Sequence[Case]) -> Plot:
    curves = []
    for distribution in DISTRIBUTIONS:
        own = [case for case in cases if case.parameters.wanted == distribution]
        points = [(_value(name, case.parameters), of(case)) for case in own]
        curves.append(curve(distribution, points))
    return Plot(title, name, title.partition(": ")[2], tuple(curves))
