"""Texts as Arrow has them, and the codes of those that a column had the last time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Int64Array: TypeAlias = npt.NDArray[np.int64]

_PAUSE: Final = 16
"""So many times nothing is looked for after most texts of a column were new."""
_SLICED: Final = 2
"""An array is copied where it would keep more than so many times its own memory."""


class ArrowTexts(Sequence[str]):
    """Texts of an Arrow array; they become strings of Python once somebody reads them.

    Attributes
    ----------
    column
        The name of the column that has them.
    array
        The texts, none of which is null.

    Examples
    --------
    >>> texts = ArrowTexts("ip", pa.array(["a", "b"]))
    >>> len(texts), texts[1], texts[:1]
    (2, 'b', ['a'])
    """

    def __init__(self, column: str, array: Any) -> None:
        self.column = column
        self.array = array

    @cached_property
    def _strings(self) -> list[str]:
        found: list[str] = self.array.to_pylist()
        return found

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self._strings[place]


class RecentTexts:
    """By column, its last texts and their codes: the next ones are most often the same.

    Those Arrow finds in two thirds (2,000 texts) to a seventh (200,000) of the time that it takes
    to look them up one by one. The last texts of each column are kept for that, unless most of them
    were new.

    Examples
    --------
    >>> recent = RecentTexts()
    >>> given = lambda texts: np.array([ord(text) for text in texts])  # where none is known
    >>> recent.codes(ArrowTexts("ip", pa.array(["a", "b"])), given).tolist()
    [97, 98]
    >>> recent.codes(ArrowTexts("ip", pa.array(["b", "c"])), given).tolist()
    [98, 99]
    """

    def __init__(self) -> None:
        self._of_column: dict[str, _Last] = {}
        self._pauses: Counter[str] = Counter()

    def __reduce__(self) -> tuple[type[RecentTexts], tuple[()]]:
        return RecentTexts, ()  # a pickled vocabulary does without

    def codes(self, texts: ArrowTexts, code: Callable[[Sequence[str]], Int64Array]) -> Int64Array:
        """Return the codes of texts; of those that are not known here, what `code` returns."""
        column = texts.column
        if self._pauses[column] > 0:
            self._pauses[column] -= 1
            return code(texts)
        last = self._of_column.pop(column, None)
        found = np.full(len(texts), -1, np.int64) if last is None else last.known(texts)
        is_new = found < 0
        if is_new.all():
            found = code(texts)
        elif is_new.any():
            found[is_new] = code(texts.array.filter(pa.array(is_new)).to_pylist())
        if last is not None and 2 * np.count_nonzero(is_new) > len(texts):
            self._pauses[column] = _PAUSE
        else:
            self._of_column[column] = _Last(_own(texts.array), found)
        return found


class _Last(NamedTuple):
    """Texts and their codes."""

    array: Any
    codes: Int64Array

    def known(self, texts: ArrowTexts) -> Int64Array:
        """Return the codes of those that are among them, -1 for the others."""
        if self.array.type != texts.array.type:
            return np.full(len(texts), -1, np.int64)
        places: Any = pc.index_in(texts.array, value_set=self.array)
        none = len(self.codes)
        found: Int64Array = np.append(self.codes, -1)[places.fill_null(none).to_numpy()]
        return found


def _own(array: Any) -> Any:
    """Return an array that holds no memory but its own, as a slice would of what it is cut from."""
    if array.get_total_buffer_size() <= _SLICED * array.nbytes:
        return array
    return array.take(pa.array(np.arange(len(array))))
