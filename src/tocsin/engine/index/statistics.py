"""What has been seen of events: a sample, and the share of events that a literal lets pass."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns import Batch
from tocsin.engine.columns.kinds import FLOAT, INTEGER, MISSING
from tocsin.engine.columns.vocabulary import Int64Array
from tocsin.engine.index.layout import (
    ATTRIBUTE_SHIFT,
    CHOICE,
    COMPUTED,
    FAMILY_SHIFT,
    IN_FLOATS,
    INTERVAL,
    NEGATED,
    OPERATION,
    OUTSIDE,
    PRESENT,
    TEXT,
)
from tocsin.model.values import INTEGER_MAX

FloatArray = npt.NDArray[np.float64]
ROOM: Final = 512
_STRIDE: Final = 8
_BELIEF: Final = 8.0
"""How many seen events the guess from the filters alone is worth."""


class Statistics:
    """A sample of the latest events: every eighth, and the first ones all."""

    def __init__(self) -> None:
        self.events = 0
        self._next = 0
        self._kind = np.zeros((0, 0), np.uint8)
        self._bits = np.zeros((0, 0), np.int64)

    @property
    def size(self) -> int:
        """How many events are in the sample."""
        return len(self._kind)

    def observe(self, batch: Batch) -> None:
        """Let events of a batch join the sample."""
        start = 0 if self.size < ROOM else -self.events % _STRIDE
        step = 1 if self.size < ROOM else _STRIDE
        self.events += batch.size
        if start >= batch.size:
            return
        kind, bits = batch.kind[start::step][-ROOM:], batch.bits[start::step][-ROOM:]
        width = max(kind.shape[1], self._kind.shape[1])
        self._kind, self._bits = _wide(self._kind, width), _wide(self._bits, width)
        kind, bits = _wide(kind, width), _wide(bits, width)
        more = min(ROOM - self.size, len(kind))
        if more:
            self._kind = np.concatenate([self._kind, kind[:more]])
            self._bits = np.concatenate([self._bits, bits[:more]])
        places = (self._next + np.arange(len(kind) - more)) % ROOM
        self._kind[places], self._bits[places] = kind[more:], bits[more:]
        self._next = (self._next + len(places)) % ROOM

    def column(self, attribute: int) -> tuple[npt.NDArray[np.uint8], Int64Array]:
        """Return the cells of an attribute in the sample."""
        if attribute >= self._kind.shape[1]:
            return np.zeros(self.size, np.uint8), np.zeros(self.size, np.int64)
        return self._kind[:, attribute], self._bits[:, attribute]

    def presence(self, attribute: int, family: int | None = None) -> float:
        """Return the share of events that have an attribute, of a family; 1 where none was seen."""
        kinds, _ = self.column(attribute)
        if family is None:
            count = int((kinds != MISSING).sum())
        else:
            count = int(((kinds == family) | ((kinds == FLOAT) & (family == INTEGER))).sum())
        return (count + 1.0) / (self.size + 1.0)

    def presence_of_both(self, attribute: int, other: int) -> float:
        """Return the share of events that have two attributes; 1 where none was seen."""
        both = (self.column(attribute)[0] != MISSING) & (self.column(other)[0] != MISSING)
        return (int(both.sum()) + 1.0) / (self.size + 1.0)

    def histogram(self, attribute: int, kind: int, cuts: Int64Array) -> FloatArray:
        """Return the share of events on each elementary interval; even where none was seen."""
        kinds, bits = self.column(attribute)
        numbers = {INTEGER, FLOAT}
        chosen = np.isin(kinds, list(numbers) if kind in numbers else [kind])
        points = _points(kinds[chosen], bits[chosen], kind)
        counts = np.bincount(np.searchsorted(cuts, points, "right"), minlength=len(cuts) + 1)
        total = counts.sum()
        even = np.full(len(cuts) + 1, 1.0 / (len(cuts) + 1))
        return even if total == 0 else counts / total

    def selectivity(self, rows: Int64Array) -> FloatArray:
        """Return the estimated share of events that each literal lets pass."""
        operation = rows[:, 0] & OPERATION
        guess = np.full(len(rows), 0.5)
        guess[operation == TEXT] = 0.1
        guess[operation == COMPUTED] = 0.4
        guess[operation == PRESENT] = 0.6
        places = rows[:, 0] >> ATTRIBUTE_SHIFT
        is_interval = operation == INTERVAL
        for attribute in _distinct(places[is_interval]):
            chosen = np.flatnonzero(is_interval & (places == attribute))
            guess[chosen] = self._intervals(attribute, rows[chosen])
        self._choices(rows, operation == CHOICE, guess)
        turned = rows[:, 0] & (NEGATED | OUTSIDE)
        is_turned = (turned == NEGATED) | (turned == OUTSIDE)
        return np.asarray(np.where(is_turned, 1.0 - guess, guess))

    def _intervals(self, attribute: int, rows: Int64Array) -> FloatArray:
        """Blend what the filters suggest with what was seen."""
        is_equality = rows[:, 1] == rows[:, 2]
        distinct = int(is_equality.sum())  # a literal is here once
        guess = np.where(is_equality, 1.0 / (distinct + 1.0), 1.0 / 3.0)
        if self.size == 0:
            return guess
        kinds, bits = self.column(attribute)
        seen = np.zeros(len(rows))
        families = rows[:, 0] >> FAMILY_SHIFT & OPERATION
        for family in _distinct(families):
            chosen = families == family
            values = np.sort(_numbers(kinds, bits, family))
            low, high = limits_of_rows(rows[chosen])
            above = np.searchsorted(values, high, "right") - np.searchsorted(values, low, "left")
            seen[chosen] = np.maximum(above, 0)
        present = float((kinds != MISSING).mean())
        return np.asarray((seen + _BELIEF * guess * present) / (self.size + _BELIEF))

    def _choices(self, rows: Int64Array, chosen: npt.NDArray[np.bool_], guess: FloatArray) -> None:
        """Guess from the filters alone: a choice is one of all that they name."""
        places, counts = rows[:, 0] >> ATTRIBUTE_SHIFT, rows[:, 2] - rows[:, 1]
        for attribute in _distinct(places[chosen]):
            here = chosen & (places == attribute)
            guess[here] = counts[here] / (counts[here].sum() + 1.0)

    def distance(self, other: Statistics) -> float:
        """Return how far two samples are apart: the largest of the attributes' distances."""
        width = max(self._kind.shape[1], other._kind.shape[1])
        if self.size == 0 or other.size == 0:
            return 1.0 if self.size != other.size else 0.0
        return max((self._apart(other, attribute) for attribute in range(3, width)), default=0.0)

    def _apart(self, other: Statistics, attribute: int) -> float:
        """The largest difference of two distribution functions, missing values first."""
        mine, theirs = (
            np.sort(_all_numbers(*statistics.column(attribute))) for statistics in (self, other)
        )
        points = np.union1d(mine, theirs)
        at_mine = np.searchsorted(mine, points, "right") / max(len(mine), 1)
        at_theirs = np.searchsorted(theirs, points, "right") / max(len(theirs), 1)
        return float(np.abs(at_mine - at_theirs).max(initial=0.0))

    def copy(self) -> Statistics:
        """Return a copy to compare with later."""
        other = Statistics()
        other._kind, other._bits = self._kind.copy(), self._bits.copy()
        return other


def _distinct(numbers: Int64Array) -> list[int]:
    """Return the different ones of many small numbers."""
    return np.flatnonzero(np.bincount(numbers)).tolist()


def _wide(array: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    more = width - array.shape[1]
    return array if more <= 0 else np.pad(array, ((0, 0), (0, more)))


def _numbers(kinds: npt.NDArray[np.uint8], bits: Int64Array, family: int) -> FloatArray:
    """Return the values of a family as floats, roughly."""
    chosen = kinds == family
    if family == INTEGER:
        chosen |= kinds == FLOAT
    found: FloatArray = _as_floats(kinds[chosen], bits[chosen])
    return found


def _as_floats(kinds: npt.NDArray[np.uint8], bits: Int64Array) -> FloatArray:
    bits = np.ascontiguousarray(bits)
    return np.asarray(np.where(kinds == FLOAT, bits.view(np.float64), bits.astype(np.float64)))


def _all_numbers(kinds: npt.NDArray[np.uint8], bits: Int64Array) -> FloatArray:
    return np.asarray(np.where(kinds == MISSING, -np.inf, _as_floats(kinds, bits)))


def limits_of_rows(rows: Int64Array) -> tuple[FloatArray, FloatArray]:
    """Return the limits of intervals as floats, roughly."""
    in_floats = rows[:, 0] & IN_FLOATS != 0
    keys = rows[:, 1:]
    as_floats = np.ascontiguousarray(keys ^ (keys >> 63 & INTEGER_MAX)).view(np.float64)
    limits = np.where(in_floats[:, None], as_floats, keys.astype(np.float64))
    return limits[:, 0], limits[:, 1]


def _points(kinds: npt.NDArray[np.uint8], bits: Int64Array, lane: int) -> Int64Array:
    """Return where cells lie among the cuts of a lane, roughly for floats among integers."""
    numbers = _as_floats(kinds, bits)
    if lane == FLOAT:
        raw = (numbers + 0.0).view(np.int64)
        return np.asarray(raw ^ (raw >> 63 & INTEGER_MAX))
    clipped = np.clip(np.floor(numbers), -(2.0**63), 2.0**63 - 1024).astype(np.int64)
    return np.where(kinds == FLOAT, clipped, bits)
