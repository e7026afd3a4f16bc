"""In which order the literals of a conjunction are checked: the lightest first."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import MISSING
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT, COMPUTED, INTERVAL, OPERATION
from tocsin.engine.index.measures import (
    AttributeOrder,
    Strategy,
    ValueOrder,
    attribute_selectivity,
)
from tocsin.engine.index.statistics import Statistics, limits_of_rows

FloatArray = npt.NDArray[np.float64]
_COSTS: Final = np.array([1.0, 2.0, 0.5, 2.0, 8.0])
"""By operation: an interval, choices, presence, a test of a string, a program."""

_STEADY_VALUES: Final = (ValueOrder.NATURAL, ValueOrder.BINARY, ValueOrder.V2)
_STEADY_ATTRIBUTES: Final = (AttributeOrder.NATURAL, AttributeOrder.A1)


def needs_events(strategy: Strategy) -> bool:
    """Say whether a strategy looks at the distribution of events."""
    steady = strategy.values in _STEADY_VALUES
    return not (steady and strategy.attributes in _STEADY_ATTRIBUTES)


def weights_of(
    rows: Int64Array, share: FloatArray, statistics: Statistics, strategy: Strategy
) -> FloatArray:
    """Return the weight of each literal.

    By default what a check costs over the chance that it ends the matter; with a measure of the
    thesis, the place of its attribute.
    """
    operation = rows[:, 0] & OPERATION
    if strategy.attributes is AttributeOrder.ADAPTIVE:
        return np.asarray(_COSTS[operation] / np.maximum(1.0 - share, 1e-6))
    places = rows[:, 0] >> ATTRIBUTE_SHIFT
    weight = places.astype(np.float64)
    if strategy.attributes is not AttributeOrder.NATURAL:
        for attribute in np.unique(places).tolist():
            chosen = places == attribute
            about = rows[chosen & (operation == INTERVAL)]
            weight[chosen] = -_selectivity(attribute, about, statistics, strategy.attributes)
    weight[operation == COMPUTED] = np.inf
    return weight


def _selectivity(
    attribute: int, rows: Int64Array, statistics: Statistics, measure: AttributeOrder
) -> float:
    """Return A1 or A2; the domain reaches as far as filters and events do."""
    kinds, bits = statistics.column(attribute)
    values = np.unique(bits[kinds != MISSING].astype(np.float64))
    low, high = limits_of_rows(rows)
    finite = np.abs(np.concatenate([low, high, values])) < 2.0**62
    every = np.concatenate([low, high, values])[finite]
    if len(every) == 0:
        return 0.0
    least, most = float(every.min()), float(every.max())
    low, high = np.clip(low, least, most), np.clip(high, least, most)
    order = np.argsort(low)
    low, reach = low[order], np.maximum.accumulate(high[order])
    before = np.concatenate([[least - 1.0], reach[:-1]])
    silent = float(np.maximum(low - before - 1.0, 0.0).sum())
    silent += max(most - (float(reach[-1]) if len(reach) else least - 1.0), 0.0)
    spoken = _share_inside(statistics, attribute, low, reach)
    return attribute_selectivity(
        measure, silent=silent, domain=most - least + 1.0, silent_events=1.0 - spoken
    )


def _share_inside(
    statistics: Statistics, attribute: int, low: FloatArray, reach: FloatArray
) -> float:
    """Return the share of events whose value some filter speaks of."""
    kinds, bits = statistics.column(attribute)
    values = bits[kinds != MISSING].astype(np.float64)
    if statistics.size == 0 or len(low) == 0:
        return 0.0
    place = np.searchsorted(low, values, "right") - 1
    inside = (place >= 0) & (values <= reach[np.maximum(place, 0)])
    return float(inside.sum()) / statistics.size
