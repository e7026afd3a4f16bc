# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: PLR0913 - a kernel takes up to ten arrays and scalars
"""From candidates to survivors: those that nobody awaits are skipped, most others fail here."""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.counters import CANDIDATES, LITERALS, SKIPPED
from tocsin.engine.index.kernels import inlined, kernel
from tocsin.engine.index.layout import ATTRIBUTE_SHIFT, COUNT_SHIFT, WORDS
from tocsin.engine.index.prefetch import fetch
from tocsin.engine.index.verify import is_usual, usual_holds

_LOW = 0xFFFFFFFF
_LINE = 8  # words that come from memory together
_AHEAD = 16 * _LINE
_FEW = 4


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


@inlined
def check_usual(words, literal, end, kind_row, bits_row):
    """Check the intervals from a literal on whose limits are of the same sort as the cell.

    Returns whether all of them hold, the first literal that is something else, or the end, and how
    many decided it: those up to the first that fails. Where few follow they are reckoned, too: a
    branch on what holds costs more, since nobody can foretell it.
    """
    passes, decided, is_short = True, 0, end - literal <= _FEW * WORDS
    while literal < end and (is_short or passes):
        head = words[literal]
        attribute = head >> ATTRIBUTE_SHIFT
        kind, bits = kind_row[attribute], bits_row[attribute]
        if not is_usual(head, kind):
            break
        decided += passes
        passes &= usual_holds(head, words[literal + 1], words[literal + 2], kind, bits)
        literal += WORDS
    return passes, literal, decided


@kernel
def sift(words, lists, spans, found, kind_row, bits_row, owners, awaited, counters, left):
    """Write the candidates that pass their usual checks, and how far those went; return how many.

    One that nobody waits for is skipped.
    """
    sole_owner, first_link, links = owners.sole_owner, owners.first_link, owners.links
    everyone = awaited.shape[0] == 0
    count, candidates, skipped, checked = 0, 0, 0, 0
    fetch_entries(words, spans, found)
    for i in range(found):
        start, end = spans[i, 0], spans[i, 1]
        in_lists = start < 0
        place = -1 - start if in_lists else start
        while place < end:
            entry = np.int64(lists[place]) if in_lists else place
            head = words[entry]
            entry_end = entry + 1 + WORDS * (head >> COUNT_SHIFT)
            place = place + 1 if in_lists else entry_end
            candidates += 1
            if not everyone and not is_awaited(head & _LOW, sole_owner, first_link, links, awaited):
                skipped += 1
                continue
            passes, reached, decided = check_usual(words, entry + 1, entry_end, kind_row, bits_row)
            checked += decided
            left[count, 0] = entry
            left[count, 1] = reached
            count += passes
    for i in range(count):
        fetch(sole_owner, words[left[i, 0]] & _LOW)
    counters[CANDIDATES] += candidates
    counters[SKIPPED] += skipped
    counters[LITERALS] += checked
    return count
