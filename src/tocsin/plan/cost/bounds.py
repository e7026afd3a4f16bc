"""How many matches are too many."""

from __future__ import annotations

from typing import Final

from tocsin.language.tree import Limit
from tocsin.plan.cost.degree import Degree

MOST_FREE: Final = 2
"""Matches that choose more events freely than this multiply too fast."""
MOST_KEYED: Final = 4
"""The same where a variable joins the events."""
MOST_IN_EVENTS: Final = 10_000
"""So many matches in a window of events are no matter."""
MOST_CHOSEN_AMONG: Final = 12
"""A window of so many events may hold an exponential number of matches."""


def is_too_much(degree: Degree, limit: Limit | None) -> bool:
    """Say whether matches multiply too fast in a window.

    Examples
    --------
    >>> is_too_much(Degree(3), None), is_too_much(Degree(3), Limit("events", 20))
    (True, False)
    """
    amount = None if limit is None or limit.unit == "time" else limit.amount
    if isinstance(amount, int):
        if degree.exponential:
            return amount > MOST_CHOSEN_AMONG
        return degree.total > 1 and amount**degree.total > MOST_IN_EVENTS
    return degree.exponential or degree.free > MOST_FREE or degree.total > MOST_KEYED


def narrower(one: Limit, other: Limit | None) -> Limit:
    """Return the window that says more: one in events, else the inner one."""
    return other if other is not None and other.unit == "events" != one.unit else one
