"""Numbers for names: attribute ids, and string codes that stay until strings are forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


class Numbering(dict[str, int]):
    """Gives names the numbers 0, 1, 2 and so on, each when it is first asked for.

    Examples
    --------
    >>> numbering = Numbering(["a"])
    >>> numbering["b"], numbering["a"], numbering.names
    (1, 0, ['a', 'b'])
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(names)
        super().__init__((name, number) for number, name in enumerate(self.names))

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self.names)
        self.names.append(name)
        return number


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
        self._start_strings(())

    def _start_strings(self, texts: Iterable[str]) -> None:
        self.code_of_string = Numbering(texts)
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
        return len(self.id_of_attribute)

    @property
    def size(self) -> int:
        """How many strings there are."""
        return len(self.code_of_string)

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

    def forget_except(self, codes: Int64Array) -> Int32Array:
        """Forget all strings but these; return the new code of every old one, -1 where it is gone.

        What `fold` has made known of a string stays known, so its lower and upper forms stay with
        it. The order of codes stays, too. Attributes are never forgotten.

        Examples
        --------
        >>> words = Vocabulary()
        >>> words.codes(["a", "b", "c"]).tolist()
        [0, 1, 2]
        >>> words.forget_except(np.array([2])).tolist(), words.size, words.text(0)
        ([-1, -1, 0], 1, 'c')
        """
        kept = sorted(self._with_forms(codes.tolist()))
        new_of_old = np.full(self.size, -1, np.int32)
        new_of_old[kept] = np.arange(len(kept))
        folded = self._folded
        self._start_strings([self.text(code) for code in kept])
        for code in kept:
            if code in folded:
                lower, upper, length = folded[code]
                forms = (int(new_of_old[lower]), int(new_of_old[upper]), length)
                self._folded[int(new_of_old[code])] = forms
        self._unfolded = set(self._folded)
        return new_of_old

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
        if self._stored < self.size:
            self._append_bytes(self.code_of_string.names[self._stored :])
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
