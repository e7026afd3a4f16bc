# mypy: disable-error-code="no-untyped-def"
"""Fingerprints of rows: 124 bits, so that equal rows are found without keeping them."""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.hashing import mix
from tocsin.engine.linear.arrays import Int64Array
from tocsin.engine.linear.kernels import kernel


@kernel
def _print_all(rows, prints):
    for i in range(rows.shape[0]):
        one, two = np.int64(1), np.int64(2)
        three, four = np.int64(3), np.int64(5)
        for j in range(rows.shape[1]):
            word = rows[i, j]
            one, two = mix(one, word), mix(two, one)
            three, four = mix(three, word + 77), mix(four, three)
        prints[i, 0] = (one << 31) | two
        prints[i, 1] = (three << 31) | four


def prints_of(rows: Int64Array) -> Int64Array:
    """Return the fingerprint of each row."""
    prints = np.empty((len(rows), 2), np.int64)
    _print_all(rows, prints)
    return prints
