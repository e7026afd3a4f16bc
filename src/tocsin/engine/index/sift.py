# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""From candidates to survivors: those that nobody awaits are skipped, most others fail here."""

from __future__ import annotations

import numpy as np

from tocsin.engine.columns.cells import float_of
from tocsin.engine.columns.kinds import FLOAT
from tocsin.engine.index.counters import CANDIDATES, LITERALS, SKIPPED
from tocsin.engine.index.kernels import inlined, kernel
from tocsin.engine.index.layout import (
    ATTRIBUTE_SHIFT,
    COUNT_SHIFT,
    IN_FLOATS,
    INTERVAL,
    NEGATED,
    OPERATION,
    OUTSIDE,
    WORDS,
)
from tocsin.engine.index.prefetch import fetch
from tocsin.engine.index.verify import is_of_family, ordered_key

_LOW = 0xFFFFFFFF
_LINE = 8  # words that come from memory together
_AHEAD = 16 * _LINE
_UNUSUAL = OPERATION | NEGATED


@inlined
def check_usual(words, entry, kind_row, bits_row):
    """Check the intervals at the head of an entry whose limits are of the same sort as the cell.

    Floats have limits that are keys in their order; anything else is compared as it is. Returns the
    first literal that is something else, or the end; -1 - that where one failed.
    """
    literal = entry + 1
    end = literal + WORDS * (words[entry] >> COUNT_SHIFT)
    while literal < end:
        head = words[literal]
        attribute = head >> ATTRIBUTE_SHIFT
        kind = kind_row[attribute]
        is_float = kind == FLOAT
        if head & _UNUSUAL != INTERVAL or is_float != (head & IN_FLOATS != 0):
            return literal
        bits = bits_row[attribute]
        if is_float:
            bits = ordered_key(float_of(bits))
        inside = (words[literal + 1] <= bits) & (bits <= words[literal + 2])
        if not is_of_family(head, kind) or inside == (head & OUTSIDE != 0):
            return -1 - literal
        literal += WORDS
    return literal


@kernel
def is_awaited(conjunction, sole_owner, first_link, links, awaited):
    """Say whether somebody waits for a filter that owns a conjunction."""
    owner = sole_owner[conjunction]
    if owner >= 0:
        return awaited[owner] != 0
    link = first_link[conjunction]
    while link >= 0:
        if awaited[links[link, 0]] != 0:
            return True
        link = links[link, 1]
    return False


@inlined
def fetch_entries(words, spans, found):
    """Ask for the first entries of all spans at once; where many follow, reading on is enough."""
    for i in range(found):
        start = spans[i, 0]
        if start >= 0:  # a span in the lists has its entries anywhere
            for place in range(start, min(spans[i, 1], start + _AHEAD), _LINE):
                fetch(words, place)


@kernel
def pick(words, lists, spans, found, owners, awaited, counters, left):
    """Write the candidates that somebody waits for, not yet checked; return how many."""
    sole_owner, first_link, links = owners.sole_owner, owners.first_link, owners.links
    everyone = awaited.shape[0] == 0
    count, candidates = 0, 0
    fetch_entries(words, spans, found)
    for i in range(found):
        start, end = spans[i, 0], spans[i, 1]
        in_lists = start < 0
        place = -1 - start if in_lists else start
        while place < end:
            entry = np.int64(lists[place]) if in_lists else place
            place += 1 if in_lists else 1 + WORDS * (words[entry] >> COUNT_SHIFT)
            candidates += 1
            if everyone or is_awaited(words[entry] & _LOW, sole_owner, first_link, links, awaited):
                left[count, 0] = entry
                left[count, 1] = entry + 1
                count += 1
    counters[CANDIDATES] += candidates
    counters[SKIPPED] += candidates - count
    return count


@kernel
def sift(words, picked, kind_row, bits_row, sole_owner, counters, left):
    """Keep the candidates that pass their usual checks, and how far those went; return how many.

    Most fail here, in a loop that hands on no more than it must: arrays passed on cost more than
    a literal checked.
    """
    count, checked = 0, 0
    for i in range(picked):
        entry = np.int64(left[i, 0])
        reached = check_usual(words, entry, kind_row, bits_row)
        if reached >= 0:
            fetch(sole_owner, words[entry] & _LOW)
            checked += (reached - entry - 1) // WORDS
            left[count, 0] = entry
            left[count, 1] = reached
            count += 1
        else:
            checked += (-1 - reached - entry - 1) // WORDS + 1
    counters[LITERALS] += checked
    return count
