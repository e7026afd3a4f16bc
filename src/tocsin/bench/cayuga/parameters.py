"""The parameters of the workload: Table 3 of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SEED: Final = 7
STEPS: Final = 3
DISCRETE: Final = ("d1", "d2", "d3", "d4")
CONTINUOUS: Final = ("c1", "c2", "c3", "c4")
RANGES: Final = 25
"""How many ranges of a continuous attribute, whose values lie between 0 and 1, can be chosen."""
SECONDS: Final = 19
"""The paper's duration of at most 20 ticks counts both ends; there is an event every second."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What is varied; the defaults are the paper's.

    Attributes
    ----------
    zipf
        The skew of the values of each step; that of the first also chooses the attributes.
    selectivity
        How much of its domain a range covers.
    shapes
        How many choices of attributes there are. The names of attributes are no parameters of a
        template, so that each shape is a template of its own. The paper draws attributes for each
        subscription; 23,328 choices are possible.
    values
        How many values a discrete attribute has; few of them make matches frequent.
    """

    zipf: tuple[float, float, float] = (1.0, 1.0, 0.8)
    selectivity: float = 0.7
    shapes: int = 256
    values: int = 100
    seed: int = SEED
