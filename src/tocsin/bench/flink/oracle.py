"""How many matches there must be, counted without an engine."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.bench.draws import IntArray
from tocsin.bench.flink.patterns import Intrusion

_FIVE_MINUTES: Final = 300_000
_HALF_AN_HOUR: Final = 1_800_000
_WINDOW: Final = 50
_SHORTEST_RUN: Final = 5


def count_intrusions(logins: pa.Table, variant: Intrusion) -> int:
    """Count what a variant of the intrusion finds.

    Examples
    --------
    >>> from tocsin.bench.flink.data import make_login
    >>> count_intrusions(make_login(2_000), Intrusion.NEXT_W5)
    192
    """
    window = _FIVE_MINUTES if variant.endswith("w5") else _HALF_AN_HOUR
    count = _count_next if variant.startswith("fb.") else _count_any
    return sum(count(denied, success, window) for denied, success in _by_address(logins))


def _by_address(logins: pa.Table) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the times of denied and of successful logins, address by address."""
    times = logins.column("ts").cast(pa.int64()).to_numpy()
    address = _codes(logins.column("ip"))
    status = logins.column("status").cast(pa.string())
    is_denied, is_success = (
        pc.equal(status, pa.scalar(one)).to_numpy() for one in ("denied", "success")
    )
    order = np.argsort(address, kind="stable")
    ends = np.flatnonzero(np.diff(address[order])) + 1
    for rows in np.split(order, ends):
        yield times[rows[is_denied[rows]]].tolist(), times[rows[is_success[rows]]].tolist()


def _codes(column: pa.ChunkedArray[Any]) -> IntArray:
    codes = column.cast(pa.string()).combine_chunks().dictionary_encode().indices
    return np.asarray(codes, np.int64)


def _count_next(denied: list[int], success: list[int], window: int) -> int:
    """Every denied with the next two, and the first success behind them."""
    found = 0
    for first, third in zip(denied, denied[2:], strict=False):
        place = bisect_right(success, third)
        if third - first < _FIVE_MINUTES and place < len(success):
            found += success[place] - first < window
    return found


def _count_any(denied: list[int], success: list[int], window: int) -> int:
    """Every success with every three denied before it; the first is in the window."""
    found = 0
    for end in success:
        last = bisect_left(denied, end)
        for first in range(bisect_right(denied, end - window), last):
            later = bisect_left(denied, denied[first] + _FIVE_MINUTES, first, last)
            found += comb(later - first - 1, 2)
    return found


def count_rises(prices: pa.Table) -> int:
    """Count the longest runs of at least five rising prices; one still open does not count.

    Examples
    --------
    >>> from tocsin.bench.flink.data import make_stock
    >>> count_rises(make_stock(5_000))
    117
    """
    symbol, price = _codes(prices.column("symbol")), prices.column("price").to_numpy()
    order = np.argsort(symbol, kind="stable")
    is_new = np.r_[True, np.diff(symbol[order]) != 0]
    rises = np.r_[False, np.diff(price[order]) > 0] & ~is_new
    starts = np.flatnonzero(~rises)
    lengths = np.diff(np.r_[starts, len(order)])
    is_closed = ~np.r_[is_new, True][starts + lengths]
    return int(((lengths >= _SHORTEST_RUN) & is_closed).sum())


def count_pool(types: IntArray, subscriptions: pa.Table) -> int:
    """Count what all subscriptions of the pool find.

    Examples
    --------
    >>> from tocsin.bench.flink.data import make_pool
    >>> from tocsin.bench.flink.subscriptions import make_subscriptions
    >>> types = make_pool(5_000).column("type").to_numpy()
    >>> count_pool(types, make_subscriptions(types, 10)) > 0
    True
    """
    places = [np.flatnonzero(types == one) for one in range(int(types.max()) + 1)]
    return sum(_count_row(types, places, row) for row in subscriptions.to_pylist())


def _count_row(types: IntArray, places: list[npt.NDArray[Any]], row: dict[str, Any]) -> int:
    first = last = _places(places, row["t1"])
    for number, link in enumerate(row["links"], start=2):
        wanted = row[f"t{number}"]
        if link == "n":
            following = last + 1
            holds = following < len(types)
            holds[holds] = types[following[holds]] == wanted
        else:
            others = _places(places, wanted)
            found = np.searchsorted(others, last, side="right")
            holds = found < len(others)
            following = np.where(holds, np.r_[others, 0][found], 0)
        first, last = first[holds], following[holds]
    return int((last - first < _WINDOW).sum())


def _places(places: list[npt.NDArray[Any]], wanted: int) -> npt.NDArray[Any]:
    return places[wanted] if wanted < len(places) else np.zeros(0, np.int64)
