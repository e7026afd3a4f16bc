"""The layers of the index: a large segment, a small one, and a list of what is new.

New conjunctions are scanned until there are some, then join the small segment, which joins the
large one when it has grown. Those without owners stay in place until they are many.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from tocsin.engine.columns.vocabulary import Int32Array, Int64Array
from tocsin.engine.index.build import build_segment
from tocsin.engine.index.hashing import grown
from tocsin.engine.index.layout import COUNT_SHIFT
from tocsin.engine.index.measures import Strategy
from tocsin.engine.index.paths import Members
from tocsin.engine.index.registry import NONE, Registry
from tocsin.engine.index.segment import (
    BUCKET_COUNT,
    ENTRY_COUNT,
    LANE_COUNT,
    PAIR_COUNT,
    SCAN_BEGIN,
    SCAN_END,
    Segment,
    empty_segment,
    room_of,
)
from tocsin.engine.index.statistics import Statistics
from tocsin.engine.index.weights import needs_events, weights_of

NOWHERE, MAIN, DELTA, FRESH = 0, 1, 2, 3
_MOST_FRESH: Final = 64
_MOST_DELTA: Final = 4096
_SHARE_OF_MAIN: Final = 8
_FEW_DEAD: Final = 64


class Layout(NamedTuple):
    """The three layers as kernels read them."""

    main: Segment
    delta: Segment
    fresh: Int64Array
    fresh_end: Int64Array


class Layers:
    """Decides which conjunction lives in which layer."""

    def __init__(self, registry: Registry, statistics: Statistics, strategy: Strategy) -> None:
        self._registry = registry
        self._statistics = statistics
        self._strategy = strategy
        self._waiting: list[Int32Array] = []
        self._dead: set[int] = set()
        self._numbers: dict[int, Int32Array] = {}
        self._seen = statistics.copy()
        self._stale = False
        self.layouts = 0
        self._built_at = 0
        self._clear()

    def _clear(self) -> None:
        none = np.zeros(0, np.int32)
        self._numbers = {MAIN: none, DELTA: none, FRESH: none}
        self._main, self._delta = empty_segment(), empty_segment()
        self._fresh, self._fresh_end = np.zeros(64, np.int64), np.zeros(1, np.int64)

    @property
    def nbytes(self) -> int:
        """The memory of the layers."""
        own = sum(numbers.nbytes for numbers in self._numbers.values())
        return self._main.nbytes + self._delta.nbytes + self._fresh.nbytes + own

    def added(self, conjunctions: Int32Array, new: Int32Array) -> None:
        """Take note of conjunctions that got an owner; the new ones are in no layer yet."""
        if self._dead:
            self._dead.difference_update(conjunctions.tolist())
        if len(new):
            self._waiting.append(new)

    def removed(self, conjunctions: Iterable[int]) -> None:
        """Take note of conjunctions that lost their last owner."""
        self._dead.update(conjunctions)

    def rebuild(self) -> None:
        """Let the next layout start from scratch."""
        self._stale = True

    def has_drifted(self, threshold: float) -> bool:
        """Say whether events are distributed otherwise than when the main layer was built."""
        size, events = len(self._numbers[MAIN]), self._statistics.events
        if not needs_events(self._strategy) or size == 0:
            return False
        if self._seen.size > 0 and events - self._built_at < size:
            return False  # a layout must pay for itself
        return self._statistics.distance(self._seen) > threshold

    def paths(self) -> dict[str, int]:
        """How many keys, pairs of attributes, ranges and scanned words the main layer has."""
        count = self._main.count
        return {
            "keys": count(BUCKET_COUNT),
            "pairs": count(PAIR_COUNT),
            "lanes": count(LANE_COUNT),
            "scanned_words": count(SCAN_END) - count(SCAN_BEGIN),
        }

    def layout(self, choices: Int64Array) -> Layout:
        """Return the layers after all changes."""
        waiting = np.concatenate([np.zeros(0, np.int32), *self._waiting])
        self._waiting.clear()
        crowd = len(self._numbers[FRESH]) + len(waiting)
        young = crowd + len(self._numbers[DELTA])
        most = max(_MOST_DELTA, len(self._numbers[MAIN]) // _SHARE_OF_MAIN)
        if self._stale or young > most or self._is_rotten(MAIN):
            self._build(MAIN, (MAIN, DELTA, FRESH), waiting, choices)
        elif crowd > _MOST_FRESH or self._is_rotten(DELTA) or self._is_rotten(FRESH):
            self._build(DELTA, (DELTA, FRESH), waiting, choices)
        else:
            self._append(waiting)
        return Layout(self._main, self._delta, self._fresh, self._fresh_end)

    def room(self) -> tuple[int, int]:
        """Return how many spans and how many survivors one event can have in a layer."""
        segments = (self._main, self._delta)
        # Ranges may find an entry twice.
        entries = max(
            one.count(ENTRY_COUNT) * (2 if one.count(LANE_COUNT) else 1) for one in segments
        )
        return max(room_of(one) for one in segments), max(entries, 2 * _MOST_FRESH) + 1

    def _is_rotten(self, layer: int) -> bool:
        """Say whether a layer holds many conjunctions without owners, or nothing else."""
        if not self._dead:
            return False
        size = len(self._numbers[layer])
        dead = np.fromiter(self._dead, np.int64)
        count = int((self._registry.place_of[dead] == layer).sum())
        return count > 0 and (count == size or count > max(_FEW_DEAD, size // 4))

    def _build(
        self, target: int, layers: tuple[int, ...], waiting: Int32Array, choices: Int64Array
    ) -> None:
        """Lay out what has owners; let go of the rest."""
        gathered = np.concatenate([*(self._numbers[layer] for layer in layers), waiting])
        is_live = self._registry.owners.first_link[gathered] != NONE
        dead, numbers = gathered[~is_live], np.sort(gathered[is_live])
        for layer in layers:
            self._numbers[layer] = numbers[:0]
        self._fresh_end[0] = 0
        self._dead.difference_update(dead.tolist())
        self._registry.drop(dead)
        if target == MAIN and self._registry.conjunctions.is_loose:
            self._registry.renumber(numbers)
            numbers = np.arange(len(numbers), dtype=np.int32)
        self._registry.place_of[numbers] = target
        self._numbers[target] = numbers
        segment = build_segment(
            numbers, self._members(numbers), choices, self._statistics, self._strategy
        )
        if target == MAIN:
            self._main, self._delta = segment, empty_segment()
            self._seen, self._stale = self._statistics.copy(), False
            self.layouts += 1
            self._built_at = self._statistics.events
        else:
            self._delta = segment

    def _append(self, waiting: Int32Array) -> None:
        """Let new conjunctions be scanned."""
        for number in waiting.tolist():
            if self._registry.owners.first_link[number] == NONE:
                self._dead.discard(number)
                self._registry.drop(np.array([number], np.int32))
                continue
            rows = self._registry.conjunctions.rows_of(number)
            start = int(self._fresh_end[0])
            end = start + 1 + rows.size
            if end > len(self._fresh):
                self._fresh = grown(self._fresh, 2 * end)
            self._fresh[start] = number | len(rows) << COUNT_SHIFT
            self._fresh[start + 1 : end] = rows.ravel()
            self._fresh_end[0] = end
            self._registry.place_of[number] = FRESH
            self._numbers[FRESH] = np.append(self._numbers[FRESH], np.int32(number))

    def _members(self, numbers: Int32Array) -> Members:
        """Gather the literals of conjunctions, the distinct ones with their shares and weights."""
        conjunctions = self._registry.conjunctions
        first, every = conjunctions.gather(numbers)
        distinct, literal = np.unique(every, return_inverse=True)
        rows = conjunctions.literals.rows[distinct]
        share = self._statistics.selectivity(rows)
        weight = weights_of(rows, share, self._statistics, self._strategy)
        return Members(first, literal.astype(np.int32), rows, share, weight)
