"""Instances are spread over buckets, whatever small numbers their queues and keys have."""

import numpy as np
import pytest

from tocsin.engine.columns.kinds import INTEGER, STRING
from tocsin.engine.linear.gather import bucket_of

BUCKETS = 1 << 14


@pytest.mark.parametrize("kind", [INTEGER, STRING])
@pytest.mark.parametrize(("places", "keys"), [(1, 10_000), (100, 100), (10_000, 1)])
def test_few_meet_in_a_bucket(kind: int, places: int, keys: int) -> None:
    found = [
        bucket_of(-2 - place, kind, key, BUCKETS - 1)
        for place in range(places)
        for key in range(keys)
    ]
    met = np.bincount(found, minlength=BUCKETS)
    # By chance alone an instance finds 1 + 10,000 / BUCKETS in its bucket, itself included.
    assert (met**2).sum() / met.sum() < 2
