# mypy: disable-error-code="no-untyped-def"

"""Marks: one bit for each filter, set while an event that satisfies it is processed.

Bits, since an event may satisfy any of a million filters: their marks stay in the fastest memory.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tocsin.engine.linear.kernels import inlined

BITS: Final = 64
"""How many marks a word holds."""

_SHIFT = 6
_PLACE = BITS - 1


@inlined
def mark(satisfied, marks):
    """Set the marks of all filters that an event satisfies."""
    for i in range(satisfied.shape[0]):
        found = np.int64(satisfied[i])
        marks[found >> _SHIFT] |= np.int64(1) << (found & _PLACE)


@inlined
def unmark(satisfied, marks):
    """Take back the marks of an event."""
    for i in range(satisfied.shape[0]):
        marks[np.int64(satisfied[i]) >> _SHIFT] = 0


@inlined
def is_marked(filter_, marks):
    """Say whether the event satisfies a filter."""
    number = np.int64(filter_)
    return (marks[number >> _SHIFT] >> (number & _PLACE)) & 1 != 0
