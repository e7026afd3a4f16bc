"""Subscriptions and events of the workload, drawn from a seed.

Every step of a subscription has two equalities on discrete attributes and two ranges on continuous
ones. One of the discrete attributes, the primary one, and its value are the same in all steps.
Attributes are drawn after Zipf with the skew of the first step, values and ranges with that of
their own step; values of events are uniform.

The paper does not say how its ranges were drawn. Drawn like this, 7 % of the states of level 1 are
equal to others at 100,000 subscriptions, where the paper merges half: the work here is harder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tocsin.bench.cayuga.parameters import (
    CONTINUOUS,
    DISCRETE,
    RANGES,
    STEPS,
    Parameters,
)
from tocsin.bench.cayuga.templates import Shape, Template, template_text
from tocsin.bench.draws import IntArray, choose, draw_ranks, zipf_weights
from tocsin.bench.engines import Part

_MS_PER_TICK: Final = 1_000


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions as numbers; row i of each array belongs to subscription i.

    Attributes
    ----------
    shapes
        The choices of attributes.
    shape
        Which of them a subscription has.
    primary
        The value of the primary attribute.
    second
        The value of the other discrete attribute, step by step.
    ranges
        Which range either continuous attribute has, step by step.
    """

    parameters: Parameters
    shapes: tuple[Shape, ...]
    shape: IntArray
    primary: IntArray
    second: IntArray
    ranges: IntArray

    @property
    def size(self) -> int:
        """How many subscriptions there are."""
        return len(self.shape)


def make_workload(size: int, parameters: Parameters | None = None) -> Workload:
    """Draw subscriptions.

    Examples
    --------
    >>> work = make_workload(10)
    >>> work.size, work.ranges.shape
    (10, (10, 3, 2))
    """
    parameters = parameters or Parameters()
    source = np.random.default_rng([parameters.seed, 1])
    skews = parameters.zipf
    shapes = _draw_shapes(source, parameters)
    values = parameters.values
    second = [draw_ranks(source, size, values, skew) for skew in skews]
    ranges = [draw_ranks(source, size * 2, RANGES, skew).reshape(-1, 2) for skew in skews]
    return Workload(
        parameters,
        shapes,
        source.integers(0, len(shapes), size),
        draw_ranks(source, size, values, skews[0]),
        np.stack(second, axis=1),
        np.stack(ranges, axis=1),
    )


def _draw_shapes(source: np.random.Generator, parameters: Parameters) -> tuple[Shape, ...]:
    weights = zipf_weights(len(DISCRETE), parameters.zipf[0])
    primary = draw_ranks(source, parameters.shapes, len(DISCRETE), parameters.zipf[0])
    discrete = [choose(source, parameters.shapes, weights, 2) for _ in range(STEPS)]
    continuous = [choose(source, parameters.shapes, weights, 2) for _ in range(STEPS)]
    return tuple(
        Shape(
            DISCRETE[first],
            # The likelier of two different attributes that is not the primary one.
            tuple(DISCRETE[next(a for a in step[i] if a != first)] for step in discrete),
            tuple(tuple(CONTINUOUS[a] for a in sorted(step[i])) for step in continuous),
        )
        for i, first in enumerate(primary.tolist())
    )


def make_events(count: int, parameters: Parameters | None = None) -> pa.Table:
    """Draw events, one every second.

    Examples
    --------
    >>> make_events(2).column_names
    ['ts', 'd1', 'd2', 'd3', 'd4', 'c1', 'c2', 'c3', 'c4']
    """
    parameters = parameters or Parameters()
    source = np.random.default_rng([parameters.seed, 2])
    times = pa.array(np.arange(count, dtype=np.int64) * _MS_PER_TICK)
    drawn: dict[str, Any] = {"ts": times.cast(pa.timestamp("ms", "UTC"))}
    drawn |= {name: source.integers(0, parameters.values, count) for name in DISCRETE}
    drawn |= {name: source.random(count) for name in CONTINUOUS}
    return pa.table(drawn)


def parts_of(work: Workload, template: Template) -> list[Part]:
    """Return the workload as templates with their tables; a shape without rows is left out."""
    order = np.argsort(work.shape, kind="stable")
    first = np.searchsorted(work.shape[order], np.arange(len(work.shapes) + 1))
    found = []
    for number, shape in enumerate(work.shapes):
        rows = order[first[number] : first[number + 1]]
        if len(rows):
            found.append(Part(template_text(template, shape), _table(work, rows)))
    return found


def _table(work: Workload, rows: IntArray) -> pa.Table:
    width = work.parameters.selectivity
    lows = np.linspace(0.0, 1.0 - width, RANGES)
    columns: dict[str, Any] = {"id": rows, "primary": work.primary[rows]}
    for step in range(STEPS):
        columns[f"second{step + 1}"] = work.second[rows, step]
        for place, letter in enumerate("xy"):
            low = lows[work.ranges[rows, step, place]]
            columns[f"low_{letter}{step + 1}"] = low
            columns[f"high_{letter}{step + 1}"] = low + width
    return pa.table(columns)
