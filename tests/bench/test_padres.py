"""The workloads of PADRES and A-MEDIAS run small, and opponents agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tocsin
from tocsin.bench import filters, padres, padres_composite
from tocsin.bench.answers import UnequalAnswersError
from tocsin.bench.filters_report import Sizes as FilterSizes
from tocsin.bench.filters_report import report as report_filters
from tocsin.bench.padres_report import Sizes, report


@pytest.mark.parametrize("distribution", ["uniform", "zipf"])
def test_index_scan_and_counting_agree(distribution: padres.Distribution) -> None:
    found = padres.measure_padres(distribution, subscriptions=2_000, publications=200, runs=1)
    assert found.candidates < 200
    assert {one.name for one in found.ratios} == {"index/naive", "index/scan", "index/counting"}


def test_the_same_seed_makes_the_same_workload() -> None:
    one, other = (padres.make_workload(50, 10, "zipf") for _ in range(2))
    assert one.subscriptions.value.tolist() == other.subscriptions.value.tolist()


def test_every_measure_gives_the_same_answers() -> None:
    found = filters.measure_filters("gauss", "falling", event_count=100, filter_count=100)
    assert set(found.operations) == set(filters.STRATEGIES)
    assert found.operations["binary"] < found.operations["natural"]


def draws(values: list[int], operator: str) -> padres.Draws:
    """Items with the one attribute `a1`."""
    count = len(values)
    return padres.Draws(
        np.arange(count + 1),
        np.zeros(count, np.int64),
        np.array(values),
        np.full(count, padres.OPERATORS.index(operator)),
    )


def test_composite_matches_are_those_of_a_scan() -> None:
    """Of `a1 > 0`, `a1 > 1` and `a1 > 2` every atom takes a publication of its own."""
    atoms, publications = draws([0, 1, 2], ">"), draws([3, 2, 1, 3], "=")
    texts = padres_composite.composite_texts(atoms)
    rows = padres_composite.publication_rows(publications)
    assert padres_composite.count_matches(atoms, publications) == 8
    assert padres_composite.spend_live(texts, rows)[0] == 8
    assert padres_composite.spend_history(texts, rows)[0] == 8
    assert len(tocsin.match(rows, padres_composite.HEAD + texts[0])) == 8


def test_a_wrong_number_of_composite_matches_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(padres_composite, "count_matches", lambda *_: -1)
    with pytest.raises(UnequalAnswersError, match="the scan has -1"):
        padres_composite.measure_composite("uniform", subscriptions=2, publications=4)


def test_the_report_of_padres_has_ratios_and_the_paper(told: Any) -> None:
    found = report(Sizes(300, 20, 3, 5, 1), told)
    atomic, composite = (section.to_dict()["rows"] for section in found.sections)
    methods = ["index", "naive", "scan", "counting", "the paper"]
    assert [row["method"] for row in atomic] == methods * 2
    assert all(row["index faster by"] > 0 for row in atomic if row["method"] != "index")
    assert [row["distribution"] for row in composite] == ["uniform", "zipf"]
    assert told.expected == len(told.begun) == 4


def test_the_report_of_filters_has_every_pair_of_distributions(told: Any) -> None:
    found = report_filters(FilterSizes(30, 20), told)
    assert len(found.sections) == told.expected == 9
    rows = found.sections[0].to_dict()["rows"]
    assert {row["order"] for row in rows} == set(filters.STRATEGIES)
    assert found.plots[0].curves[0].x == tuple(filters.STRATEGIES)
