"""Operations per event under each order of values and attributes: A-MEDIAS, section 7.2.

Events and profiles (here: filters) are distributed equally, after Gauss, or falling. Every measure
of the thesis runs on the same filters and events and must give the same answers; what differs is
the number of operations: steps of search among elementary intervals, and literals verified.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from tocsin.bench.answers import UnequalAnswersError
from tocsin.engine.columns import Batch, Vocabulary, batch_of_cells
from tocsin.engine.columns.kinds import INTEGER, STRING, TIMESTAMP
from tocsin.engine.index import (
    AttributeOrder,
    PredicateIndex,
    Satisfied,
    Strategy,
    ValueOrder,
    number_rows,
)
from tocsin.engine.index.layout import NO_HIGH

SEED: Final = 7
DOMAIN: Final = 100
COVERED: Final = (1.0, 0.5, 0.2)
"""Which share of its domain the filters speak of, attribute by attribute."""

Distribution = Literal["equal", "gauss", "falling"]
DISTRIBUTIONS: Final[tuple[Distribution, ...]] = ("equal", "gauss", "falling")
IntArray = npt.NDArray[np.int64]

STRATEGIES: Final[dict[str, Strategy]] = {
    "natural": Strategy(ValueOrder.NATURAL, AttributeOrder.NATURAL, hashing=False),
    "binary": Strategy(ValueOrder.BINARY, AttributeOrder.NATURAL, hashing=False),
    "V1": Strategy(ValueOrder.V1, AttributeOrder.NATURAL, hashing=False),
    "V2": Strategy(ValueOrder.V2, AttributeOrder.NATURAL, hashing=False),
    "V3": Strategy(ValueOrder.V3, AttributeOrder.NATURAL, hashing=False),
    "natural+A1": Strategy(ValueOrder.NATURAL, AttributeOrder.A1, hashing=False),
    "natural+A2": Strategy(ValueOrder.NATURAL, AttributeOrder.A2, hashing=False),
    "binary+A2": Strategy(ValueOrder.BINARY, AttributeOrder.A2, hashing=False),
    "V1+A1": Strategy(ValueOrder.V1, AttributeOrder.A1, hashing=False),
    "V1+A2": Strategy(ValueOrder.V1, AttributeOrder.A2, hashing=False),
    "adaptive ranges": Strategy(hashing=False),
    "adaptive": Strategy(),
}


def draw(source: np.random.Generator, distribution: Distribution, count: int) -> IntArray:
    """Draw values of the domain.

    Examples
    --------
    >>> values = draw(np.random.default_rng(1), "falling", 1000)
    >>> bool((values < 50).sum() > (values >= 50).sum())
    True
    """
    if distribution == "equal":
        return source.integers(0, DOMAIN, count)
    if distribution == "gauss":
        drawn = source.normal(DOMAIN / 2, DOMAIN / 10, count)
    else:
        drawn = source.exponential(DOMAIN / 8, count)
    return np.clip(drawn, 0, DOMAIN - 1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class FilterFigures:
    """Operations per event by strategy, for one pair of distributions."""

    events: str
    filters: str
    operations: dict[str, float]

    def gain(self, name: str, over: str) -> float:
        """Return which share of the operations of another strategy a strategy saves."""
        return 1.0 - self.operations[name] / self.operations[over]


def measure_filters(
    events: Distribution,
    filters: Distribution,
    *,
    event_count: int = 2_000,
    filter_count: int = 500,
    seed: int = SEED,
) -> FilterFigures:
    """Count operations under every strategy.

    Raises
    ------
    UnequalAnswersError
        Two strategies give different answers.
    """
    source = np.random.default_rng(seed)
    centres = [(draw(source, filters, filter_count) * share).astype(np.int64) for share in COVERED]
    widths = [source.integers(0, 4, filter_count) for _ in COVERED]
    batch = _batch([draw(source, events, event_count) for _ in COVERED])
    operations: dict[str, float] = {}
    answers: dict[str, Satisfied] = {}
    for name, strategy in STRATEGIES.items():
        index = _index(centres, widths, strategy)
        index.match(batch)  # lets it see the distribution of events
        index.reorder()
        before = index.counters
        answers[name] = index.match(batch)
        after = index.counters
        steps = after.operations - before.operations + after.literals - before.literals
        operations[name] = steps / event_count
    _check(answers)
    return FilterFigures(events, filters, operations)


def _index(centres: list[IntArray], widths: list[IntArray], strategy: Strategy) -> PredicateIndex:
    """Return an index in which every filter has one interval on each attribute."""
    vocabulary = Vocabulary()
    count = len(centres[0])
    rows = np.empty((count, len(centres), 3), np.int64)
    for i, (centre, width) in enumerate(zip(centres, widths, strict=True)):
        rows[:, i] = number_rows(vocabulary.attribute(f"a{i + 1}"), ">=", centre)
        rows[:, i, 0] &= ~NO_HIGH
        rows[:, i, 2] = centre + width
    index = PredicateIndex(vocabulary, strategy=strategy)
    starts = np.arange(0, count * len(centres) + 1, len(centres), dtype=np.int64)
    index.add_rows(rows.reshape(-1, 3), starts)
    return index


def _batch(columns: Iterable[IntArray]) -> Batch:
    bits = np.column_stack([np.zeros_like(next(iter(columns)))] * 3 + list(columns))
    kind = np.full(bits.shape, INTEGER, np.uint8)
    kind[:, :3] = (STRING, TIMESTAMP, TIMESTAMP)
    return batch_of_cells(kind, np.ascontiguousarray(bits))


def _check(answers: dict[str, Satisfied]) -> None:
    first = answers["natural"]
    for name, found in answers.items():
        for event in range(len(first.offsets) - 1):
            if first.of(event) != found.of(event):
                msg = f"event {event}: natural and {name} differ"
                raise UnequalAnswersError(msg)
