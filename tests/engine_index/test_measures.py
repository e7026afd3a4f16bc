"""The measures of A-MEDIAS, section 7.2.2, by the thesis's own examples."""

import numpy as np
import pytest

from tocsin.engine.index.measures import (
    AttributeOrder,
    ValueOrder,
    attribute_selectivity,
    best_steps,
    expected_steps,
    order_values,
)

EXAMPLE_7_5 = np.array([0.02, 0.01, 0.80])


def test_example_7_5_expects_0_87_steps() -> None:
    order, steps = order_values(ValueOrder.V1, EXAMPLE_7_5, np.ones(3))
    assert steps == 3
    assert order.tolist() == [2, 0, 1]
    assert expected_steps(order, EXAMPLE_7_5) == pytest.approx(0.87)


def test_example_7_6_orders_attributes_by_what_no_profile_speaks_of() -> None:
    found = [
        attribute_selectivity(AttributeOrder.A1, silent=silent, domain=domain, silent_events=1.0)
        for silent, domain in ((50, 80), (75, 100), (0, 100))
    ]
    assert found == [0.625, 0.75, 0.0]


def test_what_no_filter_speaks_of_comes_last() -> None:
    order, _ = order_values(ValueOrder.V1, np.array([0.9, 0.1]), np.array([0.0, 1.0]))
    assert order.tolist() == [1, 0]


def test_v2_follows_filters_and_v3_both() -> None:
    events, filters = np.array([0.6, 0.3, 0.1]), np.array([1.0, 5.0, 5.5])
    assert order_values(ValueOrder.V2, events, filters)[0].tolist() == [2, 1, 0]
    assert order_values(ValueOrder.V3, events, filters)[0].tolist() == [1, 0, 2]


def test_trial_before_binary_search_pays_only_for_likely_values() -> None:
    assert best_steps(np.array([0.9, 0.05]), 1000) >= 1
    assert best_steps(np.full(8, 0.001), 1000) == 0
