"""Timing: a warm-up apart, several runs, the middle and the spread.

Times are those of the thread on its core, so that other work on the machine counts as little as it
can.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """How many things a second some work did, run by run.

    Attributes
    ----------
    name
        What was done.
    size
        How many things one run had.
    warm_up_s
        How long the first run took, which does not count.
    per_second
        The rate of each run that counts.
    """

    name: str
    size: int
    warm_up_s: float
    per_second: tuple[float, ...]

    @property
    def middle(self) -> float:
        """The median rate."""
        return statistics.median(self.per_second)

    @property
    def low(self) -> float:
        """The slowest run."""
        return min(self.per_second)

    @property
    def high(self) -> float:
        """The fastest run."""
        return max(self.per_second)

    def to_dict(self) -> dict[str, object]:
        """Return it ready for JSON."""
        return {
            "name": self.name,
            "size": self.size,
            "runs": len(self.per_second),
            "warm_up_s": self.warm_up_s,
            "per_second": list(self.per_second),
            "median": self.middle,
        }


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times faster one kind of work is than another in the same runs."""

    name: str
    size: int
    middle: float
    low: float
    high: float

    def to_dict(self) -> dict[str, object]:
        """Return it ready for JSON."""
        return {
            "name": self.name, "size": self.size,
            "median": self.middle, "low": self.low, "high": self.high,
        }  # fmt: skip


def measure(size: int, works: Mapping[str, Callable[[], object]], *, runs: int) -> list[Figure]:
    """Run several kinds of work in turn, once to warm up and then as often as asked.

    They take turns, so that what slows the machine down for a while slows all of them.

    Examples
    --------
    >>> (figure,) = measure(1000, {"sum": lambda: sum(range(1000))}, runs=3)
    >>> len(figure.per_second), figure.low <= figure.middle <= figure.high
    (3, True)
    """
    warm_ups = {name: _seconds(work) for name, work in works.items()}
    rates: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            rates[name].append(size / _seconds(work))
    return [Figure(name, size, warm_ups[name], tuple(rates[name])) for name in works]


def ratio(name: str, fast: Figure, slow: Figure) -> Ratio:
    """Compare two figures run by run."""
    pairs = zip(fast.per_second, slow.per_second, strict=True)
    ratios = [one / other for one, other in pairs]
    return Ratio(name, fast.size, statistics.median(ratios), min(ratios), max(ratios))


def _seconds(work: Callable[[], object]) -> float:
    """Time some work without the garbage collector, which would count the work before it."""
    gc.collect()
    gc.disable()
    try:
        begin = time.thread_time()
        work()
        return max(time.thread_time() - begin, 1e-9)
    finally:
        gc.enable()
