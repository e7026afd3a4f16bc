"""The opponents of the index in the workload of PADRES: a scan, and the counting algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tocsin.bench.padres import Draws

IntArray = npt.NDArray[np.int64]
_MOST: Final = 6
_FAR: Final = 1 << 30


def _limits(draws: Draws) -> tuple[IntArray, IntArray]:
    """Return each predicate as a closed interval; operators are `=`, `>`, `<`."""
    low = np.where(draws.operator == 2, -_FAR, draws.value + (draws.operator == 1))
    high = np.where(draws.operator == 1, _FAR, draws.value - (draws.operator == 2))
    return low, high


class Scan:
    """Every subscription for every publication, vectorised over the subscriptions.

    The naive one tests all predicates of all (`S = p * a` in A-MEDIAS, section 7.2); with
    `early_exit` a subscription that failed is tested no further. The columns are as narrow as the
    values allow, so that memory is no handicap.
    """

    def __init__(self, draws: Draws, *, early_exit: bool) -> None:
        self._early_exit = early_exit
        count = len(draws.first) - 1
        lengths = np.diff(draws.first)
        low, high = _limits(draws)
        place = np.arange(len(draws.value)) - np.repeat(draws.first[:-1], lengths)
        rows = np.repeat(np.arange(count), lengths)
        # A place without predicate asks for attribute 0 of the table below, which always holds.
        self._attribute = np.zeros((_MOST, count), np.uint8)
        self._low, self._high = (
            np.zeros((_MOST, count), np.int16),
            np.zeros((_MOST, count), np.int16),
        )
        self._attribute[place, rows] = draws.attribute + 1
        self._low[place, rows] = np.clip(low, -1000, 1000)
        self._high[place, rows] = np.clip(high, -1000, 1000)

    def match(self, attributes: IntArray, values: IntArray) -> IntArray:
        """Return the subscriptions that a publication satisfies."""
        table = np.full(int(attributes.max()) + 32, 5000, np.int16)  # missing: beyond every limit
        table[0] = 0
        table[attributes + 1] = values
        if not self._early_exit:
            every = table[self._attribute]
            return np.flatnonzero(((self._low <= every) & (every <= self._high)).all(axis=0))
        found = table[self._attribute[0]]
        left = np.flatnonzero((self._low[0] <= found) & (found <= self._high[0]))
        for place in range(1, _MOST):
            found = table[self._attribute[place, left]]
            keeps = (self._low[place, left] <= found) & (found <= self._high[place, left])
            left = left[keeps]
        return left


class Counting:
    """Every distinct predicate once; a subscription matches when all its predicates were counted.

    Predicates of one attribute and operator are sorted by value, so that those that hold are found
    by binary search, and their subscriptions lie side by side.
    """

    def __init__(self, draws: Draws) -> None:
        self._needed = np.diff(draws.first)
        owner = np.repeat(np.arange(len(self._needed)), self._needed)
        self._groups: dict[tuple[int, int], tuple[IntArray, IntArray]] = {}
        for attribute in np.unique(draws.attribute).tolist():
            for operator in range(3):
                chosen = (draws.attribute == attribute) & (draws.operator == operator)
                order = np.argsort(draws.value[chosen], kind="stable")
                group = draws.value[chosen][order], owner[chosen][order]
                self._groups[attribute, operator] = group

    def match(self, attributes: IntArray, values: IntArray) -> IntArray:
        """Return the subscriptions that a publication satisfies."""
        hits = [self._owners(*pair) for pair in zip(attributes.tolist(), values, strict=True)]
        counts = np.bincount(np.concatenate(hits), minlength=len(self._needed))
        return np.flatnonzero(counts == self._needed)

    def _owners(self, attribute: int, value: np.int64) -> IntArray:
        parts = []
        for operator, sides in ((0, ("left", "right")), (1, (None, "left")), (2, ("right", None))):
            constants, owners = self._groups.get((attribute, operator), (np.zeros(0), np.zeros(0)))
            start = 0 if sides[0] is None else _place(constants, value, sides[0])
            end = len(constants) if sides[1] is None else _place(constants, value, sides[1])
            parts.append(owners[start:end])
        return np.concatenate(parts).astype(np.int64)


def _place(constants: npt.NDArray[np.generic], value: np.int64, side: str) -> int:
    return int(np.searchsorted(constants, value, "left" if side == "left" else "right"))
