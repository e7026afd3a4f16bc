# mypy: disable-error-code="no-untyped-def"
"""Buckets of keys, in whose order the events of a batch may be processed."""

from __future__ import annotations

from typing import Final

import numpy as np

from tocsin.engine.index.hashing import mix
from tocsin.engine.linear.kernels import inlined

BUCKETS: Final = 1 << 16


@inlined
def bucket_of_key(kind, bits):
    """Return the bucket of a key, which is a canonical cell."""
    return mix(mix(np.int64(1), np.int64(kind)), np.int64(bits)) & (BUCKETS - 1)
