"""The templates of Cayuga mean what the paper says, and their benchmark runs small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tocsin
from tocsin.bench.cayuga import agreement, figures
from tocsin.bench.cayuga.figures import Sizes
from tocsin.bench.cayuga.parameters import CONTINUOUS, Parameters
from tocsin.bench.cayuga.report import report
from tocsin.bench.cayuga.states import count_states
from tocsin.bench.cayuga.templates import HEAD, Template
from tocsin.bench.cayuga.workload import make_events, make_workload, parts_of
from tocsin.bench.engines import Part
from tocsin.bench.streaming import load

SMALL = Parameters(values=2, shapes=3)
TINY = Sizes(subscriptions=(20, 40), few=20, events=60, runs=2)


def expected(part: Part, events: Any, text: str | None = None) -> Sequence[tocsin.Notification]:
    return tocsin.match(events, HEAD + (text or part.template), table=part.table)


@pytest.mark.parametrize("template", list(Template))
def test_the_engine_finds_what_the_reference_finds(template: Template) -> None:
    assert agreement.check_templates([template]) > 0


def test_the_window_of_filter_is_the_duration_of_its_gates() -> None:
    """`->{ATT = c AND duration() <= t}` and `->{ATT = c}` with `WITHIN t` are the same."""
    rows = make_events(80, SMALL).to_pylist()
    found = 0
    for part in parts_of(make_workload(15, SMALL), Template.FILTER):
        gated = part.template.replace("= {primary}}", "= {primary} AND duration() <= 19 s}")
        gated = gated.removesuffix("WITHIN 19 s")
        assert "WITHIN" not in gated
        one, other = expected(part, rows), expected(part, rows, gated)
        assert [(n.subscription, n.events) for n in one] == [
            (n.subscription, n.events) for n in other
        ]
        found += len(one)
    assert found > 0


def ends(part: Part, events: Any) -> list[tuple[Any, ...]]:
    """Return what the paper's algebra remembers: the last event of each of the three steps."""
    return sorted(
        (one.subscription.partition("_")[2], *(rows[-1] for rows in one.events.values()))
        for one in expected(part, events)
    )


def test_non_deterministic_is_the_iteration_of_its_aggregate() -> None:
    """`a ; b ; c` finds the ends of `a -> m+ @ (θ2) -> n+ @ (θ3)` over the primary value."""
    parameters = Parameters(values=3, shapes=2)
    rows = make_events(35, parameters).to_pylist()
    work = make_workload(20, parameters)
    templates = (Template.NON_DETERMINISTIC, Template.NON_DETERMINISTIC_AGG)
    pairs = list(zip(*(parts_of(work, one) for one in templates), strict=True))
    assert all(ends(any_later, rows) == ends(iterated, rows) for any_later, iterated in pairs)
    assert any(ends(any_later, rows) for any_later, _ in pairs)


def test_non_deterministic_finds_all_that_filter_finds_and_more() -> None:
    """The paper: its output is a superset of that of Filter with the same formulas."""
    rows = make_events(60, SMALL).to_pylist()
    work = make_workload(10, SMALL)
    few, many = (
        {one for part in parts_of(work, template) for one in ends(part, rows)}
        for template in (Template.FILTER, Template.NON_DETERMINISTIC)
    )
    assert set() < few < many


def test_the_sums_are_those_of_all_events_of_the_match() -> None:
    parameters = Parameters(values=3, shapes=2)
    events = make_events(40, parameters)
    columns = {name: events.column(name).to_pylist() for name in CONTINUOUS}
    found = 0
    for part in parts_of(make_workload(20, parameters), Template.NON_DETERMINISTIC_AGG):
        for one in expected(part, events.to_pylist()):
            taken = [position for several in one.events.values() for position in several]
            for name, values in columns.items():
                summed = sum(values[position] for position in taken)
                assert one.emit[f"sum_{name}"] == pytest.approx(summed)
            found += 1
    assert found > 0


def test_a_subscription_has_one_primary_predicate_and_ranges_of_the_asked_width() -> None:
    part = parts_of(make_workload(50), Template.LINEAR_STAT)[0]
    assert part.template.count("= {primary}") == 3
    row = part.table.to_pylist()[0]
    assert row["high_x2"] - row["low_x2"] == pytest.approx(0.7)
    assert 0 <= row["low_x2"] <= 0.3


def test_every_subscription_is_in_one_part() -> None:
    parts = parts_of(make_workload(200, SMALL), Template.LINEAR_STAT)
    numbers = np.concatenate([part.table.column("id").to_numpy() for part in parts])
    assert sorted(numbers.tolist()) == list(range(200))


def test_more_skew_leaves_fewer_states() -> None:
    skews = ((0.8, 1.0, 0.8), (1.4, 1.0, 0.8))
    even, skewed = (count_states(make_workload(2_000, Parameters(zipf=one))) for one in skews)
    assert skewed.of_level[0] < even.of_level[0]
    assert 0 <= even.merged < skewed.merged < 1


def test_the_engine_has_as_many_states_as_were_counted() -> None:
    work = make_workload(300, Parameters(values=2, shapes=4))
    counted = count_states(work)
    assert sum(counted.of_level) < 900
    assert load(HEAD, parts_of(work, Template.LINEAR_STAT)).states == sum(counted.of_level)


def test_the_report_has_sizes_states_switches_skew_and_selectivity(told: Any) -> None:
    found = report(TINY, told, [Template.FILTER])
    sizes, states, switches, skews, widths = (s.to_dict()["rows"] for s in found.sections)
    assert [row["subscriptions"] for row in sizes] == [20, 40]
    assert sizes[0]["growth of cost"] == 1.0
    assert [row["subscriptions"] for row in states] == [20, 40]
    ways = [f"{one} off" for one in figures.SWITCHES if one != "single_step"]
    assert [row["switched"] for row in switches] == ["nothing", *ways, "single_step on"]
    assert switches[0]["evaluated/event"] > switches[-1]["evaluated/event"] > 0
    assert [row["Zipf skew"] for row in skews] == list(figures.SKEWS)
    assert [row["selectivity"] for row in widths] == list(figures.SELECTIVITIES)
    assert told.expected == len(told.begun)
    assert len(found.plots) == 4
