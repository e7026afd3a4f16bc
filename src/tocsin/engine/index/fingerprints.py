# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""Fingerprints of conjunctions: 124 bits of the sorted numbers of their literals."""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.hashing import mix
from tocsin.engine.index.kernels import kernel


@kernel
def sort_members(members, starts, ends, prints):
    """Sort the literals of each conjunction, drop repetitions, and take its fingerprint.

    Returns how many literals are left.
    """
    total = 0
    for i in range(ends.shape[0]):
        start, end = starts[i], starts[i + 1]
        for j in range(start + 1, end):
            member = members[j]
            place = j
            while place > start and members[place - 1] > member:
                members[place] = members[place - 1]
                place -= 1
            members[place] = member
        last = start
        one, two = np.int64(1), np.int64(2)
        three, four = np.int64(3), np.int64(5)
        for j in range(start, end):
            if j > start and members[j] == members[last - 1]:
                continue
            members[last] = members[j]
            one, two = mix(one, members[last]), mix(two, one)
            three, four = mix(three, members[last] + 77), mix(four, three)
            last += 1
        ends[i] = last
        prints[i, 0] = (one << 31) | two
        prints[i, 1] = (three << 31) | four
        total += last - start
    return total


@kernel
def store_members(members, slices, new, taken, first_member, member_count):
    """Write the literals of new conjunctions end to end, and where each one's begin.

    Returns how many there are.
    """
    end = 0
    for i in range(new.shape[0]):
        first_member[new[i]] = end
        member_count[new[i]] = slices[i, 1] - slices[i, 0]
        for j in range(slices[i, 0], slices[i, 1]):
            taken[end, 0] = members[j]
            end += 1
    return end
