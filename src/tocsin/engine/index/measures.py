"""Orders of values and attributes after their distributions: A-MEDIAS, section 7.2.2.

V1, V2 and V3 order the elementary intervals of an attribute by their probability in events, in
profiles (here: filters), and in both. A1 and A2 order attributes by how much of their domain no
filter speaks of. The thesis defines a selectivity of zero for what no filter speaks of, so those
intervals come last.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


class ValueOrder(enum.Enum):
    """How the elementary interval of a value is found."""

    NATURAL = "natural"
    BINARY = "binary"
    V1 = "V1"
    V2 = "V2"
    V3 = "V3"
    ADAPTIVE = "adaptive"


class AttributeOrder(enum.Enum):
    """Which attribute finds a conjunction, and in which order its literals are checked."""

    NATURAL = "natural"
    A1 = "A1"
    A2 = "A2"
    ADAPTIVE = "adaptive"


@dataclass(frozen=True, slots=True)
class Strategy:
    """How the index searches; every strategy gives the same answers.

    `hashing` off lets equalities take the road of ranges, as in the thesis.
    """

    values: ValueOrder = ValueOrder.ADAPTIVE
    attributes: AttributeOrder = AttributeOrder.ADAPTIVE
    hashing: bool = True


_MOST_STEPS: Final = 8


def order_values(
    measure: ValueOrder, events: FloatArray, filters: FloatArray
) -> tuple[npt.NDArray[np.int32], int]:
    """Return elementary intervals in the order of trial, and how many are tried in that order.

    Parameters
    ----------
    events, filters
        Per elementary interval how probable it is in an event, and how many filters hold on it.

    Examples
    --------
    >>> order, steps = order_values(ValueOrder.V1, np.array([0.02, 0.01, 0.8]), np.ones(3))
    >>> order.tolist(), steps
    ([2, 0, 1], 3)
    """
    natural = np.arange(len(events), dtype=np.int32)
    if measure is ValueOrder.BINARY:
        return natural[:0], 0
    if measure is ValueOrder.NATURAL:
        return natural, len(natural)
    if measure is ValueOrder.ADAPTIVE:
        order = np.argsort(-events, kind="stable").astype(np.int32)[:_MOST_STEPS]
        steps = best_steps(events[order], len(events))
        return order[:steps], steps
    spoken_of = filters > 0
    score = {
        ValueOrder.V1: events * spoken_of,
        ValueOrder.V2: filters,
        ValueOrder.V3: events * filters,
    }[measure]
    return np.argsort(-score, kind="stable").astype(np.int32), len(natural)


def best_steps(likely: FloatArray, intervals: int) -> int:
    """Return how many likely intervals are worth a trial before binary search."""
    return int(np.argmin(_costs_of_trial(likely, intervals)))


def expected_trials(events: FloatArray) -> float:
    """Return the expected operations of the best trial and the binary search after it.

    Examples
    --------
    >>> expected_trials(np.array([0.0, 1.0, 0.0])), expected_trials(np.full(7, 1 / 7))
    (1.0, 3.0)
    """
    likely = -np.sort(-events)[:_MOST_STEPS]
    return float(_costs_of_trial(likely, len(events)).min())


def _costs_of_trial(likely: FloatArray, intervals: int) -> FloatArray:
    """Return the expected operations with 0, 1, 2 and so on trials before binary search.

    With k of them that is the sum over the first k of their place times their probability, and
    k + log2(n) for the rest.
    """
    binary = float(np.ceil(np.log2(intervals)))
    tried = np.arange(len(likely) + 1)
    found = np.concatenate([[0.0], np.cumsum(likely)])
    spent = np.concatenate([[0.0], np.cumsum(likely * np.arange(1, len(likely) + 1))])
    return np.asarray(spent + (1 - found) * (tried + binary))


def expected_steps(order: npt.NDArray[np.int32], events: FloatArray) -> float:
    """Return E(X) of equation 7.5: the places of the intervals weighted with their probability.

    Examples
    --------
    >>> round(expected_steps(np.array([2, 0, 1]), np.array([0.02, 0.01, 0.8])), 2)
    0.87
    """
    return float((events[order] * np.arange(1, len(order) + 1)).sum())


def attribute_selectivity(
    measure: AttributeOrder, *, silent: float, domain: float, silent_events: float
) -> float:
    """Return A1 or A2 of an attribute: higher comes first.

    Parameters
    ----------
    silent, domain
        The size of the part of the domain that no filter speaks of, and of the whole.
    silent_events
        The share of events whose value lies in that part.

    Examples
    --------
    >>> attribute_selectivity(AttributeOrder.A1, silent=75, domain=100, silent_events=0.6)
    0.75
    """
    share = silent / domain if domain else 0.0
    return share if measure is AttributeOrder.A1 else share * silent_events
