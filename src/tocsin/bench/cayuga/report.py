"""The benchmark `cayuga` as a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Final

from tocsin.bench.cayuga.agreement import check_templates
from tocsin.bench.cayuga.figures import (
    SELECTIVITIES,
    SKEWS,
    SWITCHES,
    Case,
    Sizes,
    measure_selectivities,
    measure_sizes,
    measure_skews,
    measure_switches,
)
from tocsin.bench.cayuga.parameters import Parameters
from tocsin.bench.cayuga.templates import Template
from tocsin.bench.report import Cell, Curve, Plot, Report, Section, columns, curve
from tocsin.bench.steps import Steps

PAPER: Final = 1_000
"""Events a second of the paper with 400,000 subscriptions, "well above" which it says to be."""
VARIED: Final = (Template.FILTER, Template.NON_DETERMINISTIC)
"""The paper shows the effect of indexes on Filter; iteration is what uses the other edges."""


def report(sizes: Sizes, steps: Steps, templates: Sequence[Template] = tuple(Template)) -> Report:
    """Measure everything.

    Raises
    ------
    UnequalAnswersError
        The engine does not find what the reference finds, or an option changes what it finds.
    """
    varied = [template for template in VARIED if template in templates] or list(templates[:1])
    cases = len(SWITCHES) + 1 + len(SKEWS) + len(SELECTIVITIES)
    steps.expect(1 + len(templates) * len(sizes.subscriptions) + len(varied) * cases)
    steps.begin("agreement with the reference")
    check_templates(templates)
    by_size = measure_sizes(templates, sizes, steps)
    switched = [case for one in varied for case in measure_switches(one, sizes, steps)]
    skews = [case for one in varied for case in measure_skews(one, sizes, steps)]
    wide = [case for one in varied for case in measure_selectivities(one, sizes, steps)]
    return Report(
        "cayuga",
        asdict(Parameters()) | asdict(sizes),
        (
            _by_size(by_size), _states(by_size), _effects(switched, sizes),
            _varied("Zipf skew", _skew, skews, sizes),
            _varied("selectivity", _selectivity, wide, sizes),
        ),
        (
            _plot_sizes(by_size), _plot_effects(switched),
            _plot_varied("Zipf skew", _skew, skews),
            _plot_varied("selectivity", _selectivity, wide),
        ),
        (f"The paper has a little over {PAPER:,} events/s at 400,000 subscriptions (figure 5a).",),
    )  # fmt: skip


def _by_size(cases: Sequence[Case]) -> Section:
    least = {case.template: case for case in reversed(cases)}
    rows = []
    for case in cases:
        rates = case.streamed.rates
        rows.append(
            (
                case.template.value, case.subscriptions, case.streamed.rate, min(rates),
                max(rates), least[case.template].streamed.rate / case.streamed.rate,
                case.streamed.notifications, case.load_s, case.bytes_per_subscription,
                case.streamed.cpu_s, case.streamed.wall_s,
            )
        )  # fmt: skip
    shown = columns(
        "template", "subscriptions", "events/s", "low", "high", "growth of cost|x", "matches",
        "load|s", "bytes/subscription", "~cpu|s", "~wall|s",
    )  # fmt: skip
    return Section("cayuga: events a second by number of subscriptions", shown, tuple(rows))


def _states(cases: Sequence[Case]) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            case.template.value, case.subscriptions, *case.states.of_level,
            sum(case.states.of_level), case.states.merged, case.engine_states,
        )
        for case in cases
    ]  # fmt: skip
    shown = columns(
        "template", "subscriptions", "level 1", "level 2", "level 3", "all", "merged|%",
        "states of the engine",
    )  # fmt: skip
    return Section("cayuga: states left after merging equal prefixes", shown, tuple(rows))


def _effects(cases: Sequence[Case], sizes: Sizes) -> Section:
    full = {case.template: case for case in cases if case.switched is None}
    rows: list[tuple[Cell, ...]] = [
        (
            case.template.value, case.way, case.streamed.rate,
            full[case.template].streamed.rate / case.streamed.rate, case.evaluated,
            case.engine_states, case.bytes_per_subscription,
            min(case.streamed.rates), max(case.streamed.rates),
        )
        for case in cases
    ]  # fmt: skip
    shown = columns(
        "template", "switched", "events/s", "slower by|x", "evaluated/event", "states",
        "bytes/subscription", "~low", "~high",
    )  # fmt: skip
    title = f"cayuga: one option switched, {sizes.few:,} subscriptions"
    return Section(title, shown, tuple(rows))


def _skew(case: Case) -> float:
    return case.parameters.zipf[0]


def _selectivity(case: Case) -> float:
    return case.parameters.selectivity


def _varied(
    what: str, value_of: Callable[[Case], float], cases: Sequence[Case], sizes: Sizes
) -> Section:
    first = {case.template: case for case in reversed(cases)}
    rows: list[tuple[Cell, ...]] = [
        (
            case.template.value, value_of(case),
            case.streamed.rate, case.streamed.rate / first[case.template].streamed.rate,
            case.states.of_level[0], case.states.merged,
            min(case.streamed.rates), max(case.streamed.rates),
        )
        for case in cases
    ]  # fmt: skip
    shown = columns(
        "template", what, "events/s", "to the first|x", "states of level 1", "merged|%",
        "~low", "~high",
    )  # fmt: skip
    title = f"cayuga: effect of {what}, {sizes.few:,} subscriptions"
    return Section(title, shown, tuple(rows))


def _plot_sizes(cases: Sequence[Case]) -> Plot:
    curves = [
        curve(name, [(c.subscriptions, c.streamed.rate) for c in cases if c.template is name])
        for name in dict.fromkeys(case.template for case in cases)
    ]
    marks = {"the paper at 400,000": float(PAPER)}
    return Plot("Events a second", "subscriptions", "events/s", tuple(curves), marks, log_y=True)


def _plot_effects(cases: Sequence[Case]) -> Plot:
    curves = []
    for name in dict.fromkeys(case.template for case in cases):
        own = [case for case in cases if case.template is name]
        names = tuple(case.way for case in own)
        curves.append(Curve(name, names, tuple(case.streamed.rate for case in own)))
    return Plot("One option switched", "", "events/s", tuple(curves), log_y=True)


def _plot_varied(what: str, value_of: Callable[[Case], float], cases: Sequence[Case]) -> Plot:
    curves = [
        curve(name, [(value_of(c), c.streamed.rate) for c in cases if c.template is name])
        for name in dict.fromkeys(case.template for case in cases)
    ]
    return Plot(f"Effect of {what}", what, "events/s", tuple(curves))
