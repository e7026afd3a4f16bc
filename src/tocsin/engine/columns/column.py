"""One column of cells, before its strings have codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.kinds import INTEGER, MISSING, STRING
from tocsin.engine.columns.vocabulary import Int64Array, Vocabulary

BoolArray = npt.NDArray[np.bool_]
UInt8Array = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class CellColumn:
    """Cells of one kind, some of them missing; those of decimals are integers and floats.

    Attributes
    ----------
    kind
        The kind of every cell that is there.
    present
        Which cells are there.
    bits
        Their bits, as in a batch but for strings: those are places in `texts`. 0 where missing.
    texts
        The strings, each once.
    whole
        The cells of a column of floats that are integers, where there may be any.
    broken
        The cells that no event carries, where there may be any. They are not present.
    """

    kind: int
    present: BoolArray
    bits: Int64Array
    texts: Sequence[str] = ()
    whole: BoolArray | None = None
    broken: BoolArray | None = None

    @property
    def size(self) -> int:
        """How many cells there are, missing ones too."""
        return len(self.present)

    @property
    def is_full(self) -> bool:
        """Whether no cell is missing."""
        return bool(self.present.all())

    def kinds(self) -> UInt8Array:
        """Return the kind of every cell.

        Examples
        --------
        >>> CellColumn(STRING, np.array([True, False]), np.array([0, 0]), ["a"]).kinds().tolist()
        [4, 0]
        """
        present = self.present.view(np.uint8)
        if self.whole is None:
            return present * np.uint8(self.kind)
        return present * np.where(self.whole, np.uint8(INTEGER), np.uint8(self.kind))

    def coded(self, vocabulary: Vocabulary) -> CellColumn:
        """Return the column with codes in place of strings; new strings join the vocabulary."""
        if self.kind != STRING or not self.texts:
            return self
        bits = vocabulary.codes(self.texts).take(self.bits)
        return CellColumn(STRING, self.present, bits if self.is_full else bits * self.present)


def places_where(chosen: BoolArray) -> Int64Array:
    """Return the places that are chosen; mostly all are, for which nothing is searched.

    Examples
    --------
    >>> [places_where(np.array(chosen)).tolist() for chosen in ([True, True], [False, True])]
    [[0, 1], [1]]
    """
    return np.arange(len(chosen)) if chosen.all() else np.flatnonzero(chosen)


def missing_column(size: int) -> CellColumn:
    """Return a column in which nothing is there.

    Examples
    --------
    >>> missing_column(2).present.tolist()
    [False, False]
    """
    return CellColumn(MISSING, np.zeros(size, np.bool_), np.zeros(size, np.int64))
