"""The workload of P-ToPSS, and its counts against engine and reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tocsin
from tocsin.bench.ptopss import report as reports
from tocsin.bench.ptopss.report import Sizes, measure_case, report
from tocsin.bench.ptopss.states import count
from tocsin.bench.ptopss.workload import (
    HEAD,
    NOBODY,
    Distribution,
    Parameters,
    events_of,
    make_workload,
    parts_of,
)

SMALL = Parameters(subscriptions=15, length=4, pool=4, within=12)


@pytest.mark.parametrize("distribution", ["uniform", "gaussian"])
def test_counted_matches_are_those_of_the_reference(distribution: Distribution) -> None:
    parameters = Parameters(
        subscriptions=15, length=4, pool=4, within=12, wanted=distribution, planted=distribution
    )
    work = make_workload(150, parameters)
    events = events_of(work).to_pylist()
    found = sum(
        len(tocsin.match(events, HEAD + part.template, table=part.table)) for part in parts_of(work)
    )
    assert count(work).matches == found > 0


def test_the_engine_finds_as_many_as_were_counted() -> None:
    case = measure_case(SMALL, Sizes(events=200, runs=2))
    assert case.counts.matches == case.streamed.notifications > 0


def test_equal_beginnings_are_one_state() -> None:
    work = make_workload(10, Parameters(subscriptions=2, length=3, pool=5, non_contiguous=0))
    types = np.array([[1, 2, 3], [1, 2, 4]])
    found = count(type(work)(work.parameters, types, work.is_any, np.array([1, 2, 3, 4])))
    assert found.states == 4
    assert found.commonality == pytest.approx(2 / 6)
    assert (found.transitions, found.matches) == (3, 1)


def test_planted_events_are_of_the_pool_and_others_lie_between() -> None:
    stream = make_workload(2_000).stream
    assert len(stream) == 2_000
    assert set(stream.tolist()) <= {NOBODY, *range(50)}
    assert 0.05 < (stream != NOBODY).mean() < 0.5


def test_a_larger_pool_has_more_states_and_fewer_transitions() -> None:
    few, many = (count(make_workload(3_000, Parameters(pool=pool))) for pool in (25, 200))
    assert few.states < many.states
    assert few.transitions > many.transitions


def test_the_report_varies_what_figure_9_varies(told: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(reports, "LENGTHS", (3, 4))
    monkeypatch.setattr(reports, "POOLS", (5, 9))
    monkeypatch.setattr(reports, "JOINTS", (0, 1))
    found = report(Sizes(subscriptions=(10, 20), events=120, runs=2), told)
    names = ["subscriptions", "non-contiguous", "length", "pool"]
    assert [section.columns[1].name for section in found.sections] == names
    assert all(len(section.rows) == 4 for section in found.sections)
    assert [plot.title[0] for plot in found.plots] == list("abcdef")
    assert told.expected == len(told.begun) == 16
