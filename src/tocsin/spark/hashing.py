# mypy: disable-error-code="no-untyped-def"
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
_DIGITS: Final = np.frombuffer(b"0123456789abcdef", np.uint8)
_FOUR: Final = np.uint64(4)
_FIFTEEN: Final = np.uint64(15)


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
    found = np.empty((len(column), 2), np.uint64)
    _hash_numbers(numbers, found)
    return _without_absent(found, column)


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
    """Return a hash of two things that stand side by side.

    Raises
    ------
    ValueError
        There are not as many of one as of the other.
    """
    if one.shape != other.shape:
        msg = f"{len(one)} hashes stand beside {len(other)}"
        raise ValueError(msg)
    found = np.empty_like(one)
    _hash_pairs(one, other, found)
    return found


def as_hexadecimal(hashes: Hashes) -> Any:
    """Return hashes as texts of 32 digits.

    Examples
    --------
    >>> as_hexadecimal(np.array([[1, 255]], np.uint64)).to_pylist()
    ['000000000000000100000000000000ff']
    """
    shown = np.empty((len(hashes), 32), np.uint8)
    _write_digits(hashes, shown)
    places = np.arange(0, shown.size + 1, 32, dtype=np.int32)
    buffers: list[Any] = [pa.py_buffer(part.data) for part in (places, shown)]
    return pa.StringArray.from_buffers(len(hashes), *buffers)


def _without_absent(found: Hashes, column: Any) -> Hashes:
    if column.null_count:
        found[column.is_null().to_numpy(zero_copy_only=False)] = _ABSENT
    return found


@_compiled
def _stirred(number, odd):
    mixed = (number ^ (number >> _TURN)) * odd
    return mixed ^ (mixed >> _TURN)


@_compiled
def _hash_numbers(numbers, found):
    for row in range(len(found)):
        for lane in range(2):
            found[row, lane] = _stirred(np.uint64(numbers[row]) + _SEEDS[lane], _ODD[lane])


@_compiled
def _hash_pairs(one, other, found):
    for row in range(len(found)):
        for lane in range(2):
            mixed = one[row, lane] * _ODD[lane] + other[row, lane]
            found[row, lane] = _stirred(mixed, _ODD[lane])


@_compiled
def _hash_texts(first, data, found):
    for row in range(len(found)):
        for lane in range(2):
            mixed = _SEEDS[lane]
            for place in range(first[row], first[row + 1]):
                mixed = (mixed ^ np.uint64(data[place])) * _ODD[lane]
                mixed ^= mixed >> _TURN
            found[row, lane] = mixed


@_compiled
def _hash_lists(first, items, found):
    for row in range(len(found)):
        for lane in range(2):
            mixed = _SEEDS[lane]
            for place in range(first[row], first[row + 1]):
                mixed = (mixed ^ items[place, lane]) * _ODD[lane]
                mixed ^= mixed >> _TURN
            found[row, lane] = mixed


@_compiled
def _write_digits(hashes, shown):
    for row in range(len(shown)):
        for place in range(32):
            number, left = hashes[row, place // 16], np.uint64(15 - place % 16)
            shown[row, place] = _DIGITS[(number >> (left * _FOUR)) & _FIFTEEN]
