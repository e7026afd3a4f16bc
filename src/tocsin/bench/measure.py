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
from typing import TypeVar

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of the thread on its core, and seconds on the wall."""

    cpu_s: float
    wall_s: float


def spend(work: Callable[[], Made]) -> tuple[Made, Spent]:
    """Do some work without the garbage collector, which would count what came before.

    Examples
    --------
    >>> made, spent = spend(lambda: sum(range(1000)))
    >>> made, spent.cpu_s > 0
    (499500, True)
    """
    gc.collect()
    gc.disable()
    try:
        cpu, wall = time.thread_time(), time.perf_counter()
        made = work()
        return made, Spent(max(time.thread_time() - cpu, 1e-9), time.perf_counter() - wall)
    finally:
        gc.enable()


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
        The rate of each run that counts, by the thread's own time.
    wall_s
        How long each run took by the clock on the wall.
    """

    name: str
    size: int
    warm_up_s: float
    per_second: tuple[float, ...]
    wall_s: tuple[float, ...]

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
            "wall_s": list(self.wall_s),
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
    warm_ups = {name: spend(work)[1] for name, work in works.items()}
    taken: dict[str, list[Spent]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            taken[name].append(spend(work)[1])
    return [
        Figure(
            name, size, warm_ups[name].cpu_s, tuple(size / one.cpu_s for one in taken[name]),
            tuple(one.wall_s for one in taken[name]),
        )
        for name in works
    ]  # fmt: skip


def ratio(name: str, fast: Figure, slow: Figure) -> Ratio:
    """Compare two figures run by run."""
    pairs = zip(fast.per_second, slow.per_second, strict=True)
    ratios = [one / other for one, other in pairs]
    return Ratio(name, fast.size, statistics.median(ratios), min(ratios), max(ratios))
