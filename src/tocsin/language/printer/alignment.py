"""Which token of a printed statement says what a token of its source said.

Printing may move clauses, drop parentheses and defaults, and spell things differently; inside one
clause the order stays. So clauses are paired by their keyword, and tokens inside them by likeness.
"""

from __future__ import annotations

import difflib
from typing import Final

from tocsin.language.tokens import CLAUSES, NAME, Tokens

# A clause begins behind a whole value; behind one of these its keyword can only be a name.
_VALUE_FOLLOWS: Final = frozenset(
    {
        "AND", "OR", "NOT", "AS", "INTO", "SUBSCRIBE", "FROM", "MATCH", "WHERE", "EMIT", "PREDICT",
        "IS", "LIKE", "MATCHES", "CONTAINS", "WITH", "BETWEEN", "VERY", "SOMEWHAT", "CIDR",
        ",", ";", ":", ".", "->", "&", "|", "!", "=", "!=", "<", "<=", ">", ">=", "-", "/", "%",
    }
)  # fmt: skip
_DEPTH_OF_SIGN: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
# Comparing token by token grows with the square of their number.
_MOST_COMPARED: Final = 3_000


def spellings(tokens: Tokens) -> list[str]:
    """Return the tokens without the end token, spelt so that equal ones are equal strings."""
    found = []
    for key, text in zip(tokens.keys[:-1], tokens.texts, strict=False):
        if key == NAME:
            found.append(text[1:-1].replace('""', '"').upper())
        elif key == "<>":
            found.append("!=")
        else:
            found.append(text if key.startswith("<") and len(key) > 2 else key)
    return found


def align(source: list[str], printed: list[str]) -> list[int | None]:
    """Return for each token of a statement the place of its like in the printed one, if it has any.

    Examples
    --------
    >>> align(["DEFINE", "A", "AS", "(", "X", ")"], ["DEFINE", "A", "AS", "X", ";"])
    [0, 1, 2, None, 3, None]
    """
    places: list[int | None] = [None] * len(source)
    source_end = len(source) - _trailing_semicolons(source)
    printed_end = len(printed) - _trailing_semicolons(printed)
    if source_end < len(source) and printed_end < len(printed):
        places[source_end] = printed_end
    ranges = _clauses(printed[:printed_end])
    for keyword, (begin, end) in _clauses(source[:source_end]).items():
        if keyword in ranges:
            first, last = ranges[keyword]
            found = _align_clause(source[begin:end], printed[first:last])
            places[begin:end] = [None if place is None else first + place for place in found]
    return places


def _trailing_semicolons(tokens: list[str]) -> int:
    count = 0
    while count < len(tokens) and tokens[-1 - count] == ";":
        count += 1
    return count


def _clauses(tokens: list[str]) -> dict[tuple[str, int], tuple[int, int]]:
    """Return where each clause begins and ends, by keyword and how many of it came before."""
    starts = [0]
    depth = 0
    for place, token in enumerate(tokens):
        depth += _DEPTH_OF_SIGN.get(token, 0)
        if depth == 0 and place and token in CLAUSES and tokens[place - 1] not in _VALUE_FOLLOWS:
            starts.append(place)
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for begin, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        keyword = tokens[begin] if tokens else ""
        count = sum(1 for other, _ in found if other == keyword)
        found[keyword, count] = (begin, end)
    return found


def _align_clause(source: list[str], printed: list[str]) -> list[int | None]:
    front = _common_front(source, printed)
    back = _common_front(source[::-1], printed[::-1])
    back = min(back, len(source) - front, len(printed) - front)
    source_end, printed_end = len(source) - back, len(printed) - back
    places: list[int | None] = [*range(front), *[None] * (source_end - front)]
    places += range(printed_end, len(printed))
    if max(source_end, printed_end) - front > _MOST_COMPARED:
        return places
    middles = source[front:source_end], printed[front:printed_end]
    matcher = difflib.SequenceMatcher(None, *middles, autojunk=False)
    for begin, first, size in matcher.get_matching_blocks():
        places[front + begin : front + begin + size] = range(front + first, front + first + size)
    return places


def _common_front(one: list[str], other: list[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
