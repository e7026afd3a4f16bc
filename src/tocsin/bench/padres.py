"""The matching workload of PADRES, section 6: many atomic subscriptions, one publication at a time.

Subscriptions and publications take 3 to 6 of 20 attributes with values from 1 to 100, uniformly or
after Zipf. The paper takes 4.52 ms a publication with 200,000 subscriptions. The opponents here are
a scan over all subscriptions and the counting algorithm, both vectorised, in the same run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from tocsin.bench.answers import UnequalAnswersError
from tocsin.bench.measure import Figure, Ratio, measure, ratio
from tocsin.bench.padres_opponents import Counting, Scan
from tocsin.engine.columns import Batch, Vocabulary, batch_of_cells
from tocsin.engine.columns.kinds import INTEGER, STRING, TIMESTAMP
from tocsin.engine.index import PredicateIndex, Satisfied, number_rows

SEED: Final = 7
ATTRIBUTES: Final = 20
VALUES: Final = 100
OPERATORS: Final = ("=", ">", "<")
Distribution = Literal["uniform", "zipf"]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Draws:
    """Attributes, values and operators of subscriptions or publications.

    Item i has those from `first[i]` up to `first[i + 1]`; operators are places in `OPERATORS`.
    """

    first: IntArray
    attribute: IntArray
    value: IntArray
    operator: IntArray


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions and publications of one distribution."""

    distribution: Distribution
    subscriptions: Draws
    publications: Draws


def make_workload(
    subscriptions: int,
    publications: int,
    distribution: Distribution,
    *,
    equal: float = 0.8,
    seed: int = SEED,
) -> Workload:
    """Make a seeded workload; `equal` is the share of equalities, the rest is half `>`, half `<`.

    Examples
    --------
    >>> work = make_workload(10, 5, "zipf")
    >>> bool((np.diff(work.subscriptions.first) >= 3).all())
    True
    """
    source = np.random.default_rng(seed)
    shares = (equal, (1 - equal) / 2, (1 - equal) / 2)
    made = [_draw(source, count, distribution, shares) for count in (subscriptions, publications)]
    return Workload(distribution, *made)


def _draw(
    source: np.random.Generator, count: int, distribution: Distribution, shares: tuple[float, ...]
) -> Draws:
    places, values = np.arange(1, ATTRIBUTES + 1), np.arange(1, VALUES + 1)
    zipf = distribution == "zipf"
    likely = 1.0 / places if zipf else np.ones(ATTRIBUTES)
    weights = 1.0 / values if zipf else np.ones(VALUES)
    lengths = source.integers(3, 7, count)
    # The largest of log(u) / w are a weighted choice without repetition.
    keys = np.log(source.random((count, ATTRIBUTES))) / likely
    chosen = np.argsort(-keys, axis=1)[:, :6]
    taken = np.arange(6) < lengths[:, None]
    total = int(lengths.sum())
    return Draws(
        np.concatenate([[0], np.cumsum(lengths)]),
        chosen[taken],
        source.choice(values, total, p=weights / weights.sum()),
        source.choice(len(OPERATORS), total, p=shares),
    )


def make_index(draws: Draws) -> tuple[PredicateIndex, npt.NDArray[np.int32]]:
    """Return an index of the subscriptions, and the number of each one's filter."""
    vocabulary = Vocabulary()
    places = np.array([vocabulary.attribute(f"a{i + 1}") for i in range(ATTRIBUTES)])
    rows = np.empty((len(draws.value), 3), np.int64)
    for attribute in range(ATTRIBUTES):
        for number, operator in enumerate(OPERATORS):
            chosen = (draws.attribute == attribute) & (draws.operator == number)
            rows[chosen] = number_rows(int(places[attribute]), operator, draws.value[chosen])
    index = PredicateIndex(vocabulary)
    return index, index.add_rows(rows, draws.first)


def make_batch(draws: Draws, vocabulary: Vocabulary) -> Batch:
    """Return publications as a batch."""
    count = len(draws.first) - 1
    kind = np.zeros((count, vocabulary.width), np.uint8)
    bits = np.zeros((count, vocabulary.width), np.int64)
    kind[:, :3] = (STRING, TIMESTAMP, TIMESTAMP)
    bits[:, 0] = vocabulary.code("publications")
    rows = np.repeat(np.arange(count), np.diff(draws.first))
    columns = np.array([vocabulary.attribute(f"a{i + 1}") for i in range(ATTRIBUTES)])
    kind[rows, columns[draws.attribute]] = INTEGER
    bits[rows, columns[draws.attribute]] = draws.value
    return batch_of_cells(kind, bits)


@dataclass(frozen=True, slots=True)
class PadresFigures:
    """What one distribution gave; rates are publications a second."""

    distribution: str
    subscriptions: int
    publications: int
    figures: tuple[Figure, ...]
    ratios: tuple[Ratio, ...]
    candidates: float
    matches: float
    bytes_per_subscription: float
    load_s: float

    @property
    def publication_ms(self) -> float:
        """The mean time of a publication in the index, in the middle run."""
        return 1000 / self.figures[0].middle


def measure_padres(
    distribution: Distribution,
    *,
    subscriptions: int = 200_000,
    publications: int = 5_000,
    scanned: int = 20,
    runs: int = 5,
) -> PadresFigures:
    """Measure the index against scan and counting; the opponents take `scanned` publications.

    Raises
    ------
    UnequalAnswersError
        An opponent does not give what the index gives.
    """
    work = make_workload(subscriptions, publications, distribution)
    (loading,) = measure(1, {"load": lambda: make_index(work.subscriptions)}, runs=1)
    index, numbers = make_index(work.subscriptions)
    batch = make_batch(work.publications, index.vocabulary)
    index.match(batch)  # lets the layout follow the events
    index.reorder()
    found = index.match(batch)
    few = [_publication(work.publications, i) for i in range(min(scanned, publications))]
    rivals = _rivals(work)
    _check(found, numbers, few, rivals)
    figures = _figures(lambda: index.match(batch), publications, few, rivals, runs=runs)
    counters = index.counters
    return PadresFigures(
        distribution, subscriptions, publications, figures,
        tuple(ratio(f"index/{slow.name}", figures[0], slow) for slow in figures[1:]),
        counters.candidates / counters.events, len(found.filters) / publications,
        index.nbytes / subscriptions, 1 / loading.middle,
    )  # fmt: skip


def _rivals(work: Workload) -> dict[str, Scan | Counting]:
    return {
        "naive": Scan(work.subscriptions, early_exit=False),
        "scan": Scan(work.subscriptions, early_exit=True),
        "counting": Counting(work.subscriptions),
    }


def _figures(
    own: Callable[[], object],
    publications: int,
    few: list[tuple[IntArray, IntArray]],
    rivals: dict[str, Scan | Counting],
    *,
    runs: int,
) -> tuple[Figure, ...]:
    works = {"index": own}
    works |= {
        name: lambda rival=rival: [rival.match(*one) for one in few]  # type: ignore[misc]
        for name, rival in rivals.items()
    }
    sizes = (publications, *(len(few) for _ in rivals))
    measured = measure(1, works, runs=runs)
    return tuple(_scaled(one, size) for one, size in zip(measured, sizes, strict=True))


def _scaled(figure: Figure, size: int) -> Figure:
    """Return a rate of runs as a rate of publications."""
    return replace(figure, size=size, per_second=tuple(one * size for one in figure.per_second))


def _publication(draws: Draws, number: int) -> tuple[IntArray, IntArray]:
    start, end = draws.first[number], draws.first[number + 1]
    return draws.attribute[start:end], draws.value[start:end]


def _check(
    found: Satisfied,
    numbers: npt.NDArray[np.int32],
    few: list[tuple[IntArray, IntArray]],
    rivals: dict[str, Scan | Counting],
) -> None:
    for i, publication in enumerate(few):
        for name, rival in rivals.items():
            if set(found.of(i)) != set(numbers[rival.match(*publication)].tolist()):
                msg = f"publication {i}: index and {name} differ"
                raise UnequalAnswersError(msg)
