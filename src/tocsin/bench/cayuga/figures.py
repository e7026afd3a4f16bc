"""What is measured of the workload: sizes, options switched, skew and selectivity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from tocsin.bench.answers import check_equal
from tocsin.bench.cayuga.parameters import Parameters
from tocsin.bench.cayuga.states import States, count_states
from tocsin.bench.cayuga.templates import HEAD, Template
from tocsin.bench.cayuga.workload import make_events, make_workload, parts_of
from tocsin.bench.steps import Steps
from tocsin.bench.streaming import Streamed, load, stream
from tocsin.engine import Options

SWITCHES: Final = ("sharing", "active_states", "instance_index", "edge_index", "single_step")
"""The options of the engine that are switched, one at a time."""
SUBSCRIPTIONS: Final = (100_000, 200_000, 400_000)
SKEWS: Final = (0.8, 1.0, 1.2, 1.4)
SELECTIVITIES: Final = (0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is run.

    Attributes
    ----------
    subscriptions
        The sizes of the first table.
    few
        How many subscriptions the effects of indexes, skew and selectivity are measured with. The
        paper, too, takes fewer there, since an engine without its indexes is slow.
    events, runs
        How many events count, and into how many runs they are cut.
    """

    subscriptions: tuple[int, ...] = SUBSCRIPTIONS
    few: int = 20_000
    events: int = 100_000
    runs: int = 5

    @property
    def sent(self) -> int:
        """How many events are sent; those that warm up come on top."""
        return self.events + self.events // self.runs


@dataclass(frozen=True, slots=True)
class Case:
    """What one engine gave.

    Attributes
    ----------
    states
        The states of LinearStat, counted apart from the engine.
    engine_states
        How many the engine has; an iteration needs more of them.
    evaluated
        How many predicates were compared with an event, in the mean.
    switched
        The option that was not as it is by default.
    """

    template: Template
    subscriptions: int
    parameters: Parameters
    states: States
    engine_states: int
    streamed: Streamed
    load_s: float
    bytes_per_subscription: float
    evaluated: float
    switched: str | None = None

    @property
    def way(self) -> str:
        """Which option was switched on or off."""
        if self.switched is None:
            return "nothing"
        return f"{self.switched} {'off' if getattr(Options(), self.switched) else 'on'}"


def measure_case(
    template: Template,
    subscriptions: int,
    sizes: Sizes,
    *,
    parameters: Parameters | None = None,
    switched: str | None = None,
) -> Case:
    """Load one workload and send the events through it."""
    parameters = parameters or Parameters()
    work = make_workload(subscriptions, parameters)
    loaded = load(HEAD, parts_of(work, template), switched=switched)
    streamed = stream(loaded.engine, make_events(sizes.sent, parameters), runs=sizes.runs)
    return Case(
        template, subscriptions, parameters, count_states(work), loaded.states, streamed,
        loaded.spent.cpu_s, loaded.bytes_per_subscription,
        loaded.engine.stats().evaluated / sizes.sent, switched,
    )  # fmt: skip


def measure_sizes(templates: Iterable[Template], sizes: Sizes, steps: Steps) -> list[Case]:
    """Measure every template at every size."""
    found = []
    for template in templates:
        for subscriptions in sizes.subscriptions:
            steps.begin(f"{template}, {subscriptions:,} subscriptions")
            found.append(measure_case(template, subscriptions, sizes))
    return found


def measure_switches(template: Template, sizes: Sizes, steps: Steps) -> list[Case]:
    """Measure as it is by default, then with each option switched; all must answer the same.

    Raises
    ------
    UnequalAnswersError
        An option changes what is found.
    """
    found: list[Case] = []
    for switched in (None, *SWITCHES):
        steps.begin(f"{template}, {switched or 'nothing'} switched")
        found.append(measure_case(template, sizes.few, sizes, switched=switched))
        first, last = (found[place].streamed.notifications for place in (0, -1))
        check_equal(f"{template}, {found[-1].way}", last, first, of="the engine by default")
    return found


def measure_skews(template: Template, sizes: Sizes, steps: Steps) -> list[Case]:
    """Measure with more and less similar subscriptions: the paper varies the first step's skew."""
    found = []
    for skew in SKEWS:
        steps.begin(f"{template}, Zipf {skew}")
        parameters = replace(Parameters(), zipf=(skew, *Parameters().zipf[1:]))
        found.append(measure_case(template, sizes.few, sizes, parameters=parameters))
    return found


def measure_selectivities(template: Template, sizes: Sizes, steps: Steps) -> list[Case]:
    """Measure with narrower and wider ranges."""
    found = []
    for selectivity in SELECTIVITIES:
        steps.begin(f"{template}, selectivity {selectivity}")
        parameters = replace(Parameters(), selectivity=selectivity)
        found.append(measure_case(template, sizes.few, sizes, parameters=parameters))
    return found
