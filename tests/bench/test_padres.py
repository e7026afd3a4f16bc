"""The workloads of PADRES and A-MEDIAS run small, and opponents agree."""

import pytest

from tocsin.bench import filters, padres


@pytest.mark.parametrize("distribution", ["uniform", "zipf"])
def test_index_scan_and_counting_agree(distribution: padres.Distribution) -> None:
    found = padres.measure_padres(distribution, subscriptions=2_000, publications=200, runs=1)
    assert found.candidates < 200
    assert {one.name for one in found.ratios} == {"index/naive", "index/scan", "index/counting"}
    assert len(found.lines()) == 4


def test_the_same_seed_makes_the_same_workload() -> None:
    one, other = (padres.make_workload(50, 10, "zipf") for _ in range(2))
    assert one.subscriptions.value.tolist() == other.subscriptions.value.tolist()


def test_every_measure_gives_the_same_answers() -> None:
    found = filters.measure_filters("gauss", "falling", event_count=100, filter_count=100)
    assert set(found.operations) == set(filters.STRATEGIES)
    assert found.operations["binary"] < found.operations["natural"]
    assert found.to_dict()["events"] == "gauss"
