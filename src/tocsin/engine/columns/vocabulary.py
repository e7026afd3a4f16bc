"""Numbers for names: attribute ids, and string codes that stay until strings are forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.arrow_texts import ArrowTexts, RecentTexts
from tocsin.engine.columns.kinds import OWN_ATTRIBUTES
from tocsin.engine.columns.words import Numbering, Words

Int64Array = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]


class TextArrays(NamedTuple):
    """What kernels know of strings, by code.

    String i has the bytes from `first_byte[i]` up to `end_byte[i]`; `lower`, `upper` and `length`
    are -1 where nobody has asked yet. All have room for more.
    """

    first_byte: Int64Array
    end_byte: Int64Array
    utf8: npt.NDArray[np.uint8]
    lower: Int32Array
    upper: Int32Array
    length: Int32Array


class Vocabulary:
    """Gives every attribute an id and every string a code.

    Attributes
    ----------
    id_of_attribute, code_of_string
        The numbers; asking for a new one gives it out.

    Examples
    --------
    >>> words = Vocabulary()
    >>> words.attribute("price"), words.attribute("price"), words.code("a"), words.text(0)
    (3, 3, 0, 'a')
    """

    def __init__(self) -> None:
        self.id_of_attribute = Numbering(OWN_ATTRIBUTES)
        self._start_strings(Numbering())
        self._given_before = 0

    def _start_strings(self, codes: Numbering) -> None:
        self.code_of_string = codes
        self._recent = RecentTexts()
        self._folded: dict[int, tuple[int, int, int]] = {}
        self._first_byte = np.zeros(0, np.int64)
        self._end_byte = np.zeros(0, np.int64)
        self._utf8 = np.zeros(0, np.uint8)
        self._lower = np.zeros(0, np.int32)
        self._upper = np.zeros(0, np.int32)
        self._length = np.zeros(0, np.int32)
        self._unfolded: set[int] = set()
        self._stored = 0
        self._stored_reused = 0
        self._bytes = 0

    @property
    def width(self) -> int:
        """How many attributes there are."""
        return len(self.id_of_attribute)

    @property
    def size(self) -> int:
        """One more than the largest code that was given out."""
        return len(self.code_of_string.names)

    @property
    def given(self) -> int:
        """How often a string got a code: it grows with every string that is new."""
        codes = self.code_of_string
        return self._given_before + len(codes.names) + len(codes.reused)

    def words(self) -> Words:
        """Return what the codes mean now, for those who will read them later."""
        return Words(self.id_of_attribute.names, self.code_of_string.names)

    def attribute(self, name: str) -> int:
        """Return the id of an attribute, a new one if need be."""
        return self.id_of_attribute[name]

    def add_attributes(self, names: Mapping[str, object]) -> None:
        """Give ids to all keys of a mapping."""
        if not names.keys() <= self.id_of_attribute.keys():
            for name in names:
                self.attribute(name)

    def attribute_names(self) -> tuple[str, ...]:
        """Return the names of the attributes in the order of their ids."""
        return tuple(self.id_of_attribute)

    def code(self, text: str) -> int:
        """Return the code of a string, a new one if need be."""
        return self.code_of_string[text]

    def codes(self, texts: Iterable[str]) -> Int64Array:
        """Return the codes of several strings, new ones if need be."""
        if isinstance(texts, ArrowTexts):
            return self._recent.codes(texts, self._codes)
        return self._codes(texts)

    def _codes(self, texts: Iterable[str]) -> Int64Array:
        return np.fromiter(map(self.code_of_string.__getitem__, texts), np.int64)

    def text(self, code: int) -> str:
        """Return the string of a code."""
        return self.code_of_string.names[code]

    def fold(self, codes: Iterable[int]) -> None:
        """Make `lower`, `upper` and `length` known for codes, and for what they lead to."""
        waiting = [code for code in codes if code not in self._folded]
        while waiting:
            code = waiting.pop()
            if code not in self._folded:
                text = self.text(code)
                lower, upper = self.code(text.lower()), self.code(text.upper())
                self._folded[code] = (lower, upper, len(text))
                self._unfolded.add(code)
                waiting += [lower, upper]

    def closure(self, codes: Iterable[int]) -> set[int]:
        """Return codes and all that `lower` and `upper` make of them."""
        waiting = list(codes)
        self.fold(waiting)
        return self._with_forms(waiting)

    def forget_except(self, codes: Int64Array) -> Int64Array:
        """Forget all strings but these, which keep their codes; return the codes that are free now.

        Free codes are given to the strings that come next. What `fold` has made known of a string
        stays known, so its lower and upper forms stay with it. Attributes are never forgotten.

        Examples
        --------
        >>> words = Vocabulary()
        >>> words.codes(["a", "b", "c"]).tolist()
        [0, 1, 2]
        >>> words.forget_except(np.array([1])).tolist(), words.size, words.code("d")
        ([0, 2], 2, 0)
        """
        given, size, folded = self.given, self.size, self._folded
        kept = sorted(self._with_forms(codes.tolist()))
        is_free = np.ones(size, np.bool_)
        is_free[kept] = False
        self._start_strings(self.code_of_string.only(kept))
        self._folded = {code: folded[code] for code in kept if code in folded}
        self._unfolded = set(self._folded)
        self._given_before = given - self.size
        return np.flatnonzero(is_free)

    def _with_forms(self, codes: Iterable[int]) -> set[int]:
        """Return codes and the forms of those that were folded."""
        found: set[int] = set()
        waiting = list(codes)
        while waiting:
            code = waiting.pop()
            if code not in found:
                found.add(code)
                waiting += self._folded.get(code, ())[:2]
        return found

    def text_arrays(self) -> TextArrays:
        """Return the strings as kernels read them; it costs what came since the last time."""
        codes = self.code_of_string
        reused = [code for code in codes.reused[self._stored_reused :] if code < self._stored]
        fresh = [*reused, *range(self._stored, self.size)]
        self._stored, self._stored_reused = self.size, len(codes.reused)
        if fresh:
            self._append_bytes(np.array(fresh, np.int64))
        for code in self._unfolded:
            self._lower[code], self._upper[code], self._length[code] = self._folded[code]
        self._unfolded.clear()
        return TextArrays(
            self._first_byte, self._end_byte, self._utf8, self._lower, self._upper, self._length
        )

    def _append_bytes(self, codes: Int64Array) -> None:
        # UTF-8 keeps the order of code points, which is the order of strings.
        texts = [self.code_of_string.names[code] for code in codes.tolist()]
        data, lengths = _in_utf8(texts)
        ends = self._bytes + np.cumsum(lengths)
        begin, self._bytes = self._bytes, int(ends[-1])
        self._first_byte = _with_room(self._first_byte, self.size, 0)
        self._end_byte = _with_room(self._end_byte, self.size, 0)
        self._utf8 = _with_room(self._utf8, self._bytes, 0)
        self._first_byte[codes] = ends - lengths
        self._end_byte[codes] = ends
        self._utf8[begin : self._bytes] = np.frombuffer(data, np.uint8)
        self._lower = _with_room(self._lower, self.size, -1)
        self._upper = _with_room(self._upper, self.size, -1)
        self._length = _with_room(self._length, self.size, -1)


def _in_utf8(texts: list[str]) -> tuple[bytes, Int64Array]:
    """Return the bytes of strings, end to end, and how many each one has."""
    data = "".join(texts).encode("utf-8", "surrogatepass")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if len(data) != lengths.sum():  # a character may have several
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        data = b"".join(parts)
    return data, lengths


def _with_room(array: npt.NDArray[Any], size: int, fill: int) -> npt.NDArray[Any]:
    """Return an array with at least so many entries, twice as many as before where it grows."""
    if size <= len(array):
        return array
    more = np.full(max(size, 2 * len(array)), fill, array.dtype)
    more[: len(array)] = array
    return more
