"""How far a run is, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tocsin.model.counting import counted

_ONE: Final = {
    "events": "event",
    "notifications": "notification",
    "batches": "batch",
    "dead_letters": "dead letter",
    "bad_programs": "bad program",
}
"""What one of those is called that a run counts."""
_UNITS: Final = (("days", 86_400), ("h", 3_600), ("min", 60))
_MANY: Final = 100
_LEAST: Final = 3
"""From three of a unit on, a length of time is told in it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a stream has done since it was started, and how fast its last micro-batch was.

    Attributes
    ----------
    events_per_s
        None where Spark cannot tell.
    lag_s
        How far the watermark is behind the clock of this machine; None without one.
    """

    batches: int
    events: int
    notifications: int
    events_per_s: float | None = None
    lag_s: float | None = None

    def __str__(self) -> str:
        """Return a line.

        Examples
        --------
        >>> print(Standing(2, 1500, 1, 800.0, 7200.0))
        2 batches, 1,500 events, 1 notification; 800 events a second, lag 120 min
        """
        counts = {
            "batches": self.batches,
            "events": self.events,
            "notifications": self.notifications,
        }
        rates = []
        if self.events_per_s is not None:
            digits = 0 if self.events_per_s >= _MANY else 1
            rates.append(f"{self.events_per_s:,.{digits}f} events a second")
        if self.lag_s is not None:
            rates.append(f"lag {shown_seconds(self.lag_s)}")
        return shown_counts(counts) + ("; " if rates else "") + ", ".join(rates)


def shown_counts(counts: Mapping[str, int]) -> str:
    """Return the counts of a run in a line.

    Examples
    --------
    >>> shown_counts({"events": 1, "dead_letters": 2, "late": 1})
    '1 event, 2 dead letters, 1 late'
    """
    return ", ".join(_counted(name, count) for name, count in counts.items())


def _counted(name: str, count: int) -> str:
    words = name.replace("_", " ")
    return counted(count, _ONE.get(name, words), words)


def shown_seconds(seconds: float) -> str:
    """Return a length of time in a unit in which it can be grasped.

    Examples
    --------
    >>> shown_seconds(7.25), shown_seconds(400), shown_seconds(86_400 * 12)
    ('7.2 s', '7 min', '12 days')
    """
    for unit, size in _UNITS:
        if abs(seconds) >= _LEAST * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.1f} s"
