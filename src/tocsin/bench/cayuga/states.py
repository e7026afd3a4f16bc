"""How many states equal prefixes leave, counted apart from any engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tocsin.bench.cayuga.parameters import CONTINUOUS, DISCRETE, RANGES, STEPS
from tocsin.bench.cayuga.templates import Shape
from tocsin.bench.cayuga.workload import Workload
from tocsin.bench.draws import IntArray


@dataclass(frozen=True, slots=True)
class States:
    """How many different prefixes there are, level by level."""

    subscriptions: int
    of_level: tuple[int, ...]

    @property
    def merged(self) -> float:
        """The share of all nodes that equal ones made superfluous."""
        return 1.0 - sum(self.of_level) / (self.subscriptions * len(self.of_level))


def count_states(work: Workload) -> States:
    """Count the prefixes of LinearStat; subscriptions that begin alike share their first states.

    Examples
    --------
    >>> from tocsin.bench.cayuga.workload import make_workload
    >>> count_states(make_workload(1)).of_level
    (1, 1, 1)
    """
    prefix = np.zeros(work.size, np.int64)
    of_level = []
    for step in range(STEPS):
        _, condition = np.unique(_conditions(work, step), return_inverse=True)
        # There are at most as many prefixes and conditions as subscriptions, so this is exact.
        found, prefix = np.unique(prefix * work.size + condition, return_inverse=True)
        of_level.append(len(found))
    return States(work.size, tuple(of_level))


def _conditions(work: Workload, step: int) -> IntArray:
    """Return a number for each subscription that equal conditions of a step have in common."""
    primary = np.array([DISCRETE.index(shape.primary) for shape in work.shapes])[work.shape]
    second = np.array([DISCRETE.index(shape.second[step]) for shape in work.shapes])[work.shape]
    ranged = np.array([_ranged(shape, step) for shape in work.shapes])[work.shape]
    values = work.parameters.values
    one, other = primary * values + work.primary, second * values + work.second[:, step]
    # Which of the two equalities is the primary one does not matter to the condition.
    number: IntArray = np.minimum(one, other) * (len(DISCRETE) * values) + np.maximum(one, other)
    number = number * len(CONTINUOUS) ** 2 + ranged
    for place in range(2):
        number = number * RANGES + work.ranges[:, step, place]
    return number


def _ranged(shape: Shape, step: int) -> int:
    one, other = (CONTINUOUS.index(name) for name in shape.continuous[step])
    return one * len(CONTINUOUS) + other
