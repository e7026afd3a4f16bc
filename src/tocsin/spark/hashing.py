"""Hashes of columns, 128 bits for each row: two numbers, which are mixed apart.

They depend on what a column holds alone, not on how Arrow has laid it out, so that they are the
same in every worker.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa

Hashes: TypeAlias = npt.NDArray[np.uint64]
"""A row with two numbers for each value."""

_compiled: Final[Any] = numba.njit(cache=True, nogil=True)
_SEEDS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_ODD: Final = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0x9FB21C651E98DF25))
_ABSENT: Final = np.uint64(0xD6E8FEB86659FD93)
_TURN: Final = np.uint64(29)


def of_texts(column: Any) -> Hashes:
    """Return a hash for each text; a missing one has its own.

    Examples
    --------
    >>> one, other = of_texts(pa.array(["a", "b"])), of_texts(pa.array(["x", "a", "b"])[1:])
    >>> bool((one == other).all()), len({*one[:, 0].tolist()})
    (True, 2)
    """
    found = np.empty((len(column), 2), np.uint64)
    if not len(column):
        return found
    _, first, held = column.buffers()
    places = np.frombuffer(first, np.int32)[column.offset :]
    data = np.frombuffer(held, np.uint8) if held else np.zeros(0, np.uint8)
    _hash_texts(places, data, found)
    return _without_absent(found, column)


def of_numbers(column: Any) -> Hashes:
    """Return a hash for each whole number; a missing one has its own.

    Examples
    --------
    >>> len({*of_numbers(pa.array([0, 1, None]))[:, 1].tolist()})
    3
    """
    numbers = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    lanes = [_stirred(numbers.view(np.uint64) + seed, odd) for seed, odd in _both()]
    return _without_absent(np.stack(lanes, axis=1), column)


def of_lists(first: npt.NDArray[np.int32], items: Hashes) -> Hashes:
    """Return a hash for each list: those of its items in their order.

    Parameters
    ----------
    first
        Where each list begins among the items, and where the last one ends.
    """
    found = np.empty((len(first) - 1, 2), np.uint64)
    _hash_lists(first, items, found)
    return found


def joined(one: Hashes, other: Hashes) -> Hashes:
    """Return a hash of two things that stand side by side."""
    lanes = [
        _stirred(one[:, lane] * odd + other[:, lane], odd) for lane, (_, odd) in enumerate(_both())
    ]
    return np.stack(lanes, axis=1)


def as_hexadecimal(hashes: Hashes) -> Any:
    """Return hashes as texts of 32 digits.

    Examples
    --------
    >>> as_hexadecimal(np.array([[1, 255]], np.uint64)).to_pylist()
    ['000000000000000100000000000000ff']
    """
    octets = np.ascontiguousarray(hashes.astype(">u8")).view(np.uint8).reshape(len(hashes), 16)
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    shown = np.empty((len(hashes), 32), np.uint8)
    shown[:, 0::2], shown[:, 1::2] = digits[octets >> 4], digits[octets & 15]
    places = np.arange(0, shown.size + 1, 32, dtype=np.int32)
    buffers: list[Any] = [pa.py_buffer(part.data) for part in (places, shown)]
    return pa.StringArray.from_buffers(len(hashes), *buffers)


def _both() -> list[tuple[np.uint64, np.uint64]]:
    return list(zip(_SEEDS, _ODD, strict=True))


def _stirred(numbers: npt.NDArray[np.uint64], odd: np.uint64) -> npt.NDArray[np.uint64]:
    found: npt.NDArray[np.uint64] = (numbers ^ (numbers >> _TURN)) * odd
    return found ^ (found >> _TURN)


def _without_absent(found: Hashes, column: Any) -> Hashes:
    if column.null_count:
        found[column.is_null().to_numpy(zero_copy_only=False)] = _ABSENT
    return found


def _each_text(first: Any, data: Any, found: Any) -> None:
    for row in range(len(found)):
        for lane in range(2):
            mixed = _SEEDS[lane]
            for place in range(first[row], first[row + 1]):
                mixed = (mixed ^ np.uint64(data[place])) * _ODD[lane]
                mixed ^= mixed >> _TURN
            found[row, lane] = mixed


def _each_list(first: Any, items: Any, found: Any) -> None:
    for row in range(len(found)):
        for lane in range(2):
            mixed = _SEEDS[lane]
            for place in range(first[row], first[row + 1]):
                mixed = (mixed ^ items[place, lane]) * _ODD[lane]
                mixed ^= mixed >> _TURN
            found[row, lane] = mixed


_hash_texts: Final = _compiled(_each_text)
_hash_lists: Final = _compiled(_each_list)
