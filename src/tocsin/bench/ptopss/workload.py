"""Composite subscriptions over a pool of events, and a stream with matches planted in it.

A subscription is a row of types, each joined to the one before it by `,` (contiguous) or `;`
(non-contiguous, which is any later event). The stream holds partial and full matches of
subscriptions drawn at random, and between them events that nobody asks for.

The paper has no limit of time. Without one the number of matches of `;` grows with a power of the
stream's length, so that here a match spans `within` events at most; a planted one is far shorter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tocsin.bench.draws import IntArray
from tocsin.bench.engines import Part

SEED: Final = 7
NOBODY: Final = -1
"""The type of an event that no subscription asks for."""
HEAD: Final = "STREAM pool (ts TIMESTAMP, type INTEGER) TIME ts;\n"
_IRRELEVANT: Final = 100
"""The longest row of events that nobody asks for."""
Distribution = Literal["uniform", "gaussian"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """What is varied; the defaults are the paper's.

    Attributes
    ----------
    subscriptions, length, pool, non_contiguous
        N_cs, Length_cs, N_ep and N_non_contiguous_op.
    wanted, planted
        How the types of subscriptions and the lengths of partial matches are distributed.
    partial, full
        How many partial and full matches of each subscription the whole stream would hold.
    """

    subscriptions: int = 1_000
    length: int = 10
    pool: int = 50
    non_contiguous: int = 2
    wanted: Distribution = "uniform"
    planted: Distribution = "uniform"
    partial: int = 20
    full: int = 20
    within: int = 100
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions and stream as numbers.

    Attributes
    ----------
    types
        The types of each subscription.
    is_any
        Whether an element is joined to the one before it by `;`; never true of the first.
    stream
        The type of each event.
    """

    parameters: Parameters
    types: IntArray
    is_any: npt.NDArray[np.bool_]
    stream: IntArray


def make_workload(events: int, parameters: Parameters | None = None) -> Workload:
    """Draw subscriptions and a stream.

    Examples
    --------
    >>> work = make_workload(500)
    >>> work.types.shape, len(work.stream), work.is_any.sum(axis=1).max()
    ((1000, 10), 500, np.int64(2))
    """
    parameters = parameters or Parameters()
    source = np.random.default_rng([parameters.seed, 3])
    shape = (parameters.subscriptions, parameters.length)
    types = _draw(source, parameters.wanted, shape, 0, parameters.pool - 1)
    joints = np.argsort(source.random((shape[0], shape[1] - 1)), axis=1) < parameters.non_contiguous
    is_any = np.column_stack([np.zeros(shape[0], np.bool_), joints])
    return Workload(parameters, types, is_any, _stream(source, types, parameters, events))


def _draw(
    source: np.random.Generator, distribution: Distribution, shape: Any, low: int, high: int
) -> IntArray:
    """Draw from `low` to `high`; after Gauss a sixth of the range is the deviation."""
    if distribution == "uniform":
        drawn = source.integers(low, high + 1, shape)
    else:
        drawn = np.rint(source.normal((low + high) / 2, max(high - low, 1) / 6, shape))
    return np.asarray(np.clip(drawn, low, high), np.int64)


def _stream(
    source: np.random.Generator, types: IntArray, parameters: Parameters, events: int
) -> IntArray:
    """Plant matches until the stream is long enough or all quotas are met."""
    length, each = parameters.length, parameters.partial + parameters.full
    most = min(len(types) * each, events)  # a planted row has at least one event
    # Which match of which subscription comes next: a draw without repetition keeps the quotas.
    drawn = source.choice(len(types) * each, most, replace=False)
    cut = _draw(source, parameters.planted, most, 1, length - 1)
    cut = np.where(drawn % each < parameters.partial, cut, length)
    rows: list[IntArray] = []
    total = 0
    for subscription, end in zip((drawn // each).tolist(), cut.tolist(), strict=True):
        while source.random() < 0.5:
            rows.append(np.full(int(source.integers(1, _IRRELEVANT + 1)), NOBODY))
            total += len(rows[-1])
        rows.append(types[subscription, :end])
        total += end
        if total >= events:
            break
    return np.concatenate(rows)[:events]


def events_of(work: Workload) -> pa.Table:
    """Return the stream as events, one every millisecond."""
    times = pa.array(np.arange(len(work.stream))).cast(pa.timestamp("ms", "UTC"))
    return pa.table({"ts": times, "type": pa.array(work.stream)})


def parts_of(work: Workload) -> list[Part]:
    """Return a template for each way of joining, with its rows.

    Examples
    --------
    >>> work = make_workload(10, Parameters(subscriptions=1, length=2, non_contiguous=1))
    >>> print(parts_of(work)[0].template)
    SUBSCRIBE composite_{id} FROM pool
    MATCH [type = {t1}] ; [type = {t2}]
    WITHIN 100 EVENTS
    """
    ways, way = np.unique(work.is_any, axis=0, return_inverse=True)
    found = []
    for number, joints in enumerate(ways.tolist()):
        rows = np.flatnonzero(way == number)
        atoms = "[type = {t1}]"
        for place, is_any in enumerate(joints[1:], start=2):
            atoms += f" {';' if is_any else ','} [type = {{t{place}}}]"
        within = work.parameters.within
        text = f"SUBSCRIBE composite_{{id}} FROM pool\nMATCH {atoms}\nWITHIN {within} EVENTS"
        columns = {f"t{i + 1}": pa.array(work.types[rows, i]) for i in range(len(joints))}
        found.append(Part(text, pa.table({"id": pa.array(rows), **columns})))
    return found
