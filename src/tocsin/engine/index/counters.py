"""What the index counts; the names are places among the counters that kernels add to."""

from __future__ import annotations

from dataclasses import dataclass

CANDIDATES, LITERALS, SATISFIED, OPERATIONS, EVENTS, SKIPPED = 0, 1, 2, 3, 4, 5
COUNTERS = 6


@dataclass(frozen=True, slots=True)
class Counters:
    """What the index has done since it was made.

    `literals` are those that decided about candidates: up to the first that failed. `operations`
    are steps of search: hash probes and comparisons with cuts; `skipped` are candidates that nobody
    awaited.
    """

    candidates: int
    literals: int
    satisfied: int
    operations: int
    events: int
    skipped: int
