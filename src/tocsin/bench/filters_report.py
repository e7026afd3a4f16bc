"""The benchmark `filter` as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tocsin.bench.filters import DISTRIBUTIONS, FilterFigures, measure_filters
from tocsin.bench.report import Cell, Curve, Plot, Report, Section, columns
from tocsin.bench.steps import Steps


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is run."""

    events: int = 2_000
    filters: int = 500


def report(sizes: Sizes, steps: Steps) -> Report:
    """Count operations for all pairs of distributions.

    Raises
    ------
    UnequalAnswersError
        Two orders give different answers.
    """
    pairs = [(events, filters) for events in DISTRIBUTIONS for filters in DISTRIBUTIONS]
    steps.expect(len(pairs))
    found = []
    for events, filters in pairs:
        steps.begin(f"events {events}, filters {filters}")
        found.append(
            measure_filters(events, filters, event_count=sizes.events, filter_count=sizes.filters)
        )
    sections = tuple(_section(one) for one in found)
    plots = tuple(_plot(events, found) for events in DISTRIBUTIONS)
    return Report("filter", asdict(sizes), sections, plots)


def _section(one: FilterFigures) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (name, operations, one.gain(name, "natural"), one.gain(name, "binary"))
        for name, operations in one.operations.items()
    ]
    shown = columns("order", "operations/event", "gain over natural|%", "gain over binary|%")
    return Section(f"filter: events {one.events}, filters {one.filters}", shown, tuple(rows))


def _plot(events: str, found: Sequence[FilterFigures]) -> Plot:
    curves = tuple(
        Curve(f"filters {one.filters}", tuple(one.operations), tuple(one.operations.values()))
        for one in found
        if one.events == events
    )
    return Plot(f"Operations an event, events {events}", "", "operations", curves)
