# mypy: disable-error-code="no-untyped-def"
"""Spans in 31 bits, rounded up: what waits is let go in time, and matches keep exact terms."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tocsin.engine.linear.arrays import Int32Array
from tocsin.engine.linear.kernels import inlined

_BITS: Final = 25
_LOW: Final = (1 << _BITS) - 1
_MOST: Final = 63 - _BITS  # the largest shift that keeps a span within 63 bits


def coded(spans: Any) -> Int32Array:
    """Return spans as codes, which are in the order of the spans.

    A code has 25 bits of the span and, above them, how many more bits it has. Whole milliseconds up
    to nine hours, and whole seconds up to a year, lose nothing.

    Examples
    --------
    >>> codes = coded(np.array([0, 19_000_000, 3_600_000_000, (1 << 40) + 1, (1 << 63) - 1]))
    >>> [span_of(code) for code in codes.tolist()]
    [0, 19000000, 3600000000, 1099511693312, 9223371761976868864]
    """
    spans = np.atleast_1d(np.asarray(spans, np.int64))
    shift = np.clip(np.frexp(spans.astype(np.float64))[1] - _BITS, 0, _MOST).astype(np.int64)
    kept = spans >> shift
    kept += (kept << shift) < spans
    carried = (kept > _LOW) & (shift < _MOST)
    kept, shift = np.where(carried, kept >> 1, np.minimum(kept, _LOW)), shift + carried
    found: Int32Array = ((shift << _BITS) | kept).astype(np.int32)
    return found


@inlined
def span_of(code):
    """Return the span of a code."""
    return (code & _LOW) << (code >> _BITS)
