"""The nearest known name, for hints."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

# Comparing two texts takes time in the product of their lengths; no name people write is longer.
_LONGEST: Final = 80
_LEAST_LIKENESS: Final = 0.6


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like the given one, if any is like it.

    Examples
    --------
    >>> nearest("stauts", ["ts", "ip", "status"])
    'status'
    >>> nearest("IP", ["ts", "ip"])
    'ip'
    """
    if len(name) > _LONGEST:
        return None
    by_lower = {other.lower(): other for other in known if len(other) <= _LONGEST and other != name}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=_LEAST_LIKENESS)
    return by_lower[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the hint `Did you mean '…'?`, or nothing where no name is near.

    Examples
    --------
    >>> did_you_mean("summ", ["sum", "avg"])
    "Did you mean 'sum'?"
    """
    found = nearest(name, known)
    return f"Did you mean '{found}'?" if found else ""
