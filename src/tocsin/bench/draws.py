"""Seeded draws after Zipf, and with a weight but without repetition."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def zipf_weights(count: int, skew: float) -> FloatArray:
    """Return the weight of each of `count` ranks; a skew of 0 makes them equal.

    Examples
    --------
    >>> zipf_weights(3, 1.0).tolist()
    [1.0, 0.5, 0.3333333333333333]
    """
    return 1.0 / np.arange(1, count + 1, dtype=np.float64) ** skew


def draw_ranks(source: np.random.Generator, size: int, count: int, skew: float) -> IntArray:
    """Draw ranks from 0 to `count - 1` after Zipf.

    Examples
    --------
    >>> drawn = draw_ranks(np.random.default_rng(1), 1000, 10, 1.0)
    >>> int(np.bincount(drawn).argmax())
    0
    """
    summed = np.cumsum(zipf_weights(count, skew))
    summed /= summed[-1]
    ranks = np.searchsorted(summed, source.random(size), side="right")
    return np.minimum(ranks, count - 1).astype(np.int64)


def choose(source: np.random.Generator, size: int, weights: FloatArray, taken: int) -> IntArray:
    """Choose `taken` different ranks in each of `size` rows, likelier ones first.

    Examples
    --------
    >>> choose(np.random.default_rng(1), 2, zipf_weights(4, 1.0), 2).shape
    (2, 2)
    """
    # The largest of log(u) / w are a weighted choice without repetition.
    keys = np.log(source.random((size, len(weights)))) / weights
    return np.argsort(-keys, axis=1)[:, :taken].astype(np.int64)
