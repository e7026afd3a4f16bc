"""Numbers for names: attribute ids and string codes, given out once and kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import OWN_ATTRIBUTES

Int64Array = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]


class TextArrays(NamedTuple):
    """What kernels know of strings, by code.

    String i has the bytes from `first_byte[i]` up to `first_byte[i + 1]`; `lower`, `upper` and
    `length` are -1 where nobody has asked yet. All have room for more.
    """

    first_byte: Int64Array
    utf8: npt.NDArray[np.uint8]
    lower: Int32Array
    upper: Int32Array
    length: Int32Array


class Vocabulary:
    """Gives every attribute an id and every string a code.

    Examples
    --------
    >>> words = Vocabulary()
    >>> words.attribute("price"), words.attribute("price"), words.code("a"), words.text(0)
    (3, 3, 0, 'a')
    """

    def __init__(self) -> None:
        self._attributes: dict[str, int] = {name: i for i, name in enumerate(OWN_ATTRIBUTES)}
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []
        self._folded: dict[int, tuple[int, int, int]] = {}
        self._first_byte = np.zeros(1, np.int64)
        self._utf8 = np.zeros(0, np.uint8)
        self._lower = np.zeros(0, np.int32)
        self._upper = np.zeros(0, np.int32)
        self._length = np.zeros(0, np.int32)
        self._unfolded: set[int] = set()
        self._stored = 0

    @property
    def width(self) -> int:
        """How many attributes there are."""
        return len(self._attributes)

    @property
    def size(self) -> int:
        """How many strings there are."""
        return len(self._texts)

    def attribute(self, name: str) -> int:
        """Return the id of an attribute, a new one if need be."""
        return self._attributes.setdefault(name, len(self._attributes))

    def attribute_names(self) -> tuple[str, ...]:
        """Return the names of the attributes in the order of their ids."""
        return tuple(self._attributes)

    def code(self, text: str) -> int:
        """Return the code of a string, a new one if need be."""
        found = self._codes.get(text)
        if found is None:
            found = self._codes[text] = len(self._texts)
            self._texts.append(text)
        return found

    def codes(self, texts: Iterable[str]) -> Int64Array:
        """Return the codes of several strings."""
        return np.fromiter((self.code(text) for text in texts), np.int64)

    def text(self, code: int) -> str:
        """Return the string of a code."""
        return self._texts[code]

    def fold(self, codes: Iterable[int]) -> None:
        """Make `lower`, `upper` and `length` known for codes, and for what they lead to."""
        waiting = [code for code in codes if code not in self._folded]
        while waiting:
            code = waiting.pop()
            if code not in self._folded:
                text = self._texts[code]
                lower, upper = self.code(text.lower()), self.code(text.upper())
                self._folded[code] = (lower, upper, len(text))
                self._unfolded.add(code)
                waiting += [lower, upper]

    def closure(self, codes: Iterable[int]) -> set[int]:
        """Return codes and all that `lower` and `upper` make of them."""
        found: set[int] = set()
        waiting = list(codes)
        self.fold(waiting)
        while waiting:
            code = waiting.pop()
            if code not in found:
                found.add(code)
                waiting += self._folded[code][:2]
        return found

    def text_arrays(self) -> TextArrays:
        """Return the strings as kernels read them; it costs what came since the last time."""
        if self._stored < len(self._texts):
            self._append_bytes(self._texts[self._stored :])
        for code in self._unfolded:
            self._lower[code], self._upper[code], self._length[code] = self._folded[code]
        self._unfolded.clear()
        return TextArrays(self._first_byte, self._utf8, self._lower, self._upper, self._length)

    def _append_bytes(self, texts: Sequence[str]) -> None:
        # UTF-8 keeps the order of code points, which is the order of strings.
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        start, end = self._stored, self._stored + len(parts)
        begin = int(self._first_byte[start])
        ends = begin + np.cumsum([len(part) for part in parts])
        self._first_byte = _with_room(self._first_byte, end + 1, 0)
        self._utf8 = _with_room(self._utf8, int(ends[-1]), 0)
        self._first_byte[start + 1 : end + 1] = ends
        self._utf8[begin : ends[-1]] = np.frombuffer(b"".join(parts), np.uint8)
        self._lower = _with_room(self._lower, end, -1)
        self._upper = _with_room(self._upper, end, -1)
        self._length = _with_room(self._length, end, -1)
        self._stored = end


def _with_room(array: npt.NDArray[Any], size: int, fill: int) -> npt.NDArray[Any]:
    """Return an array with at least so many entries, twice as many as before where it grows."""
    if size <= len(array):
        return array
    more = np.full(max(size, 2 * len(array)), fill, array.dtype)
    more[: len(array)] = array
    return more
