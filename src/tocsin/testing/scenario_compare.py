"""Which expected notifications came, which are missing, and which came unexpected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

_Fits: TypeAlias = Callable[[int, int], bool]
# Beyond this many comparisons only the place in the list decides what belongs together.
_MOST_COMPARISONS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which expected item belongs to which that came; both by their places."""

    pairs: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    unexpected: tuple[int, ...]


def pair(expected: int, came: int, fits: _Fits, *, ordered: bool) -> Pairing:
    """Pair as many expected items with items that came as possible.

    Parameters
    ----------
    expected, came
        How many there are.
    fits
        Whether an expected item and one that came are alike.
    ordered
        Whether the pairs must keep the order on both sides.

    Examples
    --------
    >>> pair(2, 3, lambda i, j: "ab"[i] == "xab"[j], ordered=True)
    Pairing(pairs=((0, 1), (1, 2)), missing=(), unexpected=(0,))
    """
    pairs = _in_order(expected, came, fits) if ordered else _in_any_order(expected, came, fits)
    firsts, seconds = {i for i, _ in pairs}, {j for _, j in pairs}
    return Pairing(
        tuple(pairs),
        tuple(i for i in range(expected) if i not in firsts),
        tuple(j for j in range(came) if j not in seconds),
    )


def _in_order(expected: int, came: int, fits: _Fits) -> list[tuple[int, int]]:
    begin = 0
    while begin < min(expected, came) and fits(begin, begin):
        begin += 1
    end = 0
    while end < min(expected, came) - begin and fits(expected - 1 - end, came - 1 - end):
        end += 1
    rows, columns = range(begin, expected - end), range(begin, came - end)
    middle = _longest_common(rows, columns, fits)
    head = [(i, i) for i in range(begin)]
    tail = [(expected - end + k, came - end + k) for k in range(end)]
    return [*head, *middle, *tail]


def _longest_common(rows: range, columns: range, fits: _Fits) -> list[tuple[int, int]]:
    """The longest common subsequence, by the usual table of lengths."""
    if len(rows) * len(columns) > _MOST_COMPARISONS:
        return [(i, j) for i, j in zip(rows, columns, strict=False) if fits(i, j)]
    lengths = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    alike = [[fits(i, j) for j in columns] for i in rows]
    for a in reversed(range(len(rows))):
        for b in reversed(range(len(columns))):
            skip = max(lengths[a + 1][b], lengths[a][b + 1])
            lengths[a][b] = max(skip, lengths[a + 1][b + 1] + 1) if alike[a][b] else skip
    return _walk(lengths, alike, rows, columns)


def _walk(
    lengths: Sequence[Sequence[int]], alike: Sequence[Sequence[bool]], rows: range, columns: range
) -> list[tuple[int, int]]:
    found, a, b = [], 0, 0
    while a < len(rows) and b < len(columns):
        if alike[a][b] and lengths[a][b] == lengths[a + 1][b + 1] + 1:
            found.append((rows[a], columns[b]))
            a, b = a + 1, b + 1
        elif lengths[a + 1][b] >= lengths[a][b + 1]:
            a += 1
        else:
            b += 1
    return found


def _in_any_order(expected: int, came: int, fits: _Fits) -> list[tuple[int, int]]:
    """A largest matching by augmenting paths: a choice that stands in the way is undone."""
    owner: dict[int, int] = {}
    choices = [[j for j in range(came) if fits(i, j)] for i in range(expected)]

    def place(item: int, seen: set[int]) -> bool:
        free = next((other for other in choices[item] if other not in owner), None)
        if free is not None:
            owner[free] = item
            return True
        for other in choices[item]:
            if other in seen:
                continue
            seen.add(other)
            if place(owner[other], seen):
                owner[other] = item
                return True
        return False

    for item in range(expected):
        place(item, set())
    return sorted((item, other) for other, item in owner.items())
