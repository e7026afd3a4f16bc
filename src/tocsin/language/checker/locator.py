"""From a node's offset to the exact token a problem is about.

Nodes know where they begin; a problem is often about a word further on, such as the second stream
after FROM. Finding it again in the text costs nothing where there is no problem.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from typing import Final

from tocsin.language.tokens import END, NAME, STARTERS, VARIABLE, tokenize

_OPENING: Final = frozenset({"(", "[", "{"})
_CLOSING: Final = frozenset({")", "]", "}"})
BOUNDS: Final = frozenset({"{", "+", "*", "?"})


class Locator:
    """Finds tokens of one text by what they say."""

    def __init__(self, source: str) -> None:
        tokens = tokenize(source)
        self._keys, self._texts, self._starts = tokens.keys, tokens.texts, tokens.starts

    def name(self, at: int, name: str) -> int:
        """Return the offset of the first token from `at` on that spells the name."""
        for index in range(self._index(at), len(self._keys)):
            if self._spelt(index) == name:
                return self._starts[index]
        return at

    def second(self, at: int) -> int:
        """Return the offset of the token after the one at `at`."""
        return self._starts[min(self._index(at) + 1, len(self._starts) - 1)]

    def key(self, at: int, keys: Collection[str]) -> int:
        """Return the offset of the first of these keys from `at` on, outside any brackets."""
        found = next((i for i in self._outside(at) if self._keys[i] in keys), None)
        return at if found is None else self._starts[found]

    def argument(self, at: int, keys: Collection[str]) -> int:
        """Return the offset of the first of these keys among the arguments of a function."""
        found = next((i for i in self._outside(at) if self._keys[i] == "("), None)
        return at if found is None else self.key(self._starts[found + 1], keys)

    def after(self, at: int, key: str) -> int:
        """Return the offset of what follows a key that stands outside any brackets."""
        found = next((i for i in self._outside(at) if self._keys[i] == key), None)
        return at if found is None else self._starts[found + 1]

    def listed(self, at: int, clause: str, name: str, *, nth: int = 1) -> int:
        """Return the offset of the n-th such name among those a clause lists: FROM a, b, c."""
        begin = self.after(at, clause)
        for index in range(self._index(begin), len(self._keys)):
            if self._keys[index] == ",":
                continue
            nth -= self._spelt(index) == name
            if nth == 0:
                return self._starts[index]
        return begin

    def attribute(self, at: int) -> int:
        """Return the offset of `price` in `a.price`, `a[2].price` or `first(a.price)`."""
        for index in range(self._index(at), len(self._keys) - 1):
            if self._keys[index] == ".":
                return self._starts[index + 1]
        return at

    def is_quoted(self, at: int) -> bool:
        """Say whether a name in double quotes stands there."""
        return self._keys[min(self._index(at), len(self._keys) - 1)] == NAME

    def _index(self, at: int) -> int:
        return bisect_left(self._starts, max(at, 0))

    def _spelt(self, index: int) -> str:
        key, text = self._keys[index], self._texts[index]
        if key == NAME:
            return text[1:-1].replace('""', '"')
        return text[1:] if key == VARIABLE else text

    def _outside(self, at: int) -> Iterator[int]:
        """Give the tokens from `at` on that stand in no bracket, until the statement ends."""
        depth = 0
        begin = self._index(at)
        for index in range(begin, len(self._keys)):
            key = self._keys[index]
            if key in _CLOSING:
                depth -= 1
            if depth < 0 or key == END:
                return
            if depth == 0 and index > begin and self._begins_statement(index):
                return
            if depth == 0:
                yield index
            if key in _OPENING:
                depth += 1

    def _begins_statement(self, index: int) -> bool:
        return self._keys[index] in STARTERS and self._keys[index - 1] == ";"
