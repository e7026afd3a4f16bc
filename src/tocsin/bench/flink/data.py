"""The data of the three workloads, drawn from a seed.

The draws are those of the generator that was written for Flink, number by number, so that counts
can be compared with what was recorded there; its files are read as well.

login
    `seq, ts, ip, status`: addresses after Zipf among 10,000; 60 % denied, 30 % success, 7 % logoff,
    3 % passwd; 1 to 3,999 ms between events.
stock
    `seq, ts, symbol, price, volume`: symbols after Zipf among 500; prices walk at random by up to
    50 ticks of 0.01; 1 to 9 ms between events.
pool
    `seq, ts, type`: types uniformly among 50; one event every millisecond.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from tocsin.bench.draws import IntArray, draw_ranks
from tocsin.errors import ConfigurationError

SEED: Final = 20240611
ADDRESSES: Final = 10_000
SYMBOLS: Final = 500
TYPES: Final = 50
STATUSES: Final = ("denied", "success", "logoff", "passwd")
_MILLISECONDS: Final = pa.timestamp("ms", "UTC")


def make_login(count: int) -> pa.Table:
    """Draw logins.

    Examples
    --------
    >>> make_login(2).to_pylist()[0]["status"]
    'denied'
    """
    source = np.random.default_rng([SEED, 1])
    address = draw_ranks(source, count, ADDRESSES, 1.0)
    status = np.searchsorted([0.6, 0.9, 0.97, 1.0], source.random(count), side="right")
    times = np.cumsum(_between(source, count, 1, 3999))
    names = [f"10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}" for i in range(ADDRESSES)]
    return _table(
        times, {"ip": _coded(address, names), "status": _coded(np.minimum(status, 3), STATUSES)}
    )


def make_stock(count: int) -> pa.Table:
    """Draw prices.

    Examples
    --------
    >>> make_stock(2).column_names
    ['seq', 'ts', 'symbol', 'price', 'volume']
    """
    source = np.random.default_rng([SEED, 2])
    symbol = draw_ranks(source, count, SYMBOLS, 1.0)
    moves = _between(source, count, -50, 50)
    begin = _between(source, SYMBOLS, 50_000, 150_000)
    ticks = np.abs(begin[symbol] + _walked(symbol, moves)) + 1
    times = np.cumsum(_between(source, count, 1, 9))
    volume = _between(source, count, 1, 1000) * 100
    names = [f"S{i:03d}" for i in range(SYMBOLS)]
    return _table(times, {"symbol": _coded(symbol, names), "price": ticks / 100, "volume": volume})


def make_pool(count: int) -> pa.Table:
    """Draw types.

    Examples
    --------
    >>> make_pool(3).column_names
    ['seq', 'ts', 'type']
    """
    source = np.random.default_rng([SEED, 3])
    return _table(np.arange(count), {"type": _between(source, count, 0, TYPES - 1)})


MAKERS: Final[dict[str, Callable[[int], pa.Table]]] = {
    "login": make_login,
    "stock": make_stock,
    "pool": make_pool,
}
SIZES: Final = {"login": 1_000_000, "stock": 1_000_000, "pool": 200_000}


def read_data(directory: Path, name: str, count: int | None = None) -> pa.Table:
    """Read `NAME.csv` as the generator for Flink writes it; the first `count` rows.

    Raises
    ------
    ConfigurationError
        The file is not there or has other columns.
    """
    path = directory / f"{name}.csv"
    try:
        table = pacsv.read_csv(path)
    except (OSError, pa.ArrowInvalid) as error:
        msg = f"{path} cannot be read: {error}"
        raise ConfigurationError(msg) from error
    wanted = MAKERS[name](1).column_names if name in MAKERS else []
    if wanted and table.column_names != wanted:
        there = ", ".join(table.column_names)
        msg = f"{path} has the columns {there}; {', '.join(wanted)} are needed"
        raise ConfigurationError(msg)
    if "ts" in table.column_names:
        place = table.column_names.index("ts")
        table = table.set_column(place, "ts", table.column("ts").cast(_MILLISECONDS))
    return table if count is None else table.slice(0, count)


def write_data(table: pa.Table, directory: Path, name: str) -> Path:
    """Write a table as the peer reads it: times as whole milliseconds."""
    path = directory / f"{name}.csv"
    if "ts" in table.column_names:
        place = table.column_names.index("ts")
        table = table.set_column(place, "ts", table.column("ts").cast(pa.int64()))
    plain = pa.table({n: _decoded(table.column(n)) for n in table.column_names})
    with path.open("wb") as file:
        file.write((",".join(plain.column_names) + "\n").encode())  # Arrow would quote the names
        options = pacsv.WriteOptions(include_header=False, quoting_style="none")
        pacsv.write_csv(plain, file, options)
    return path


def _between(source: np.random.Generator, count: int, low: int, high: int) -> IntArray:
    """Draw whole numbers from `low` to `high` from plain doubles."""
    return low + np.floor(source.random(count) * (high - low + 1)).astype(np.int64)


def _walked(owner: IntArray, moves: IntArray) -> IntArray:
    """Return how far each owner has walked with each move; its first move leads to itself."""
    order = np.argsort(owner, kind="stable")
    owners, summed = owner[order], np.cumsum(moves[order])
    starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    before = np.repeat(summed[starts] - moves[order][starts], np.diff(np.r_[starts, len(owner)]))
    walked = np.empty_like(moves)
    walked[order] = summed - before
    return walked


def _coded(numbers: IntArray, names: Any) -> Any:
    return pa.DictionaryArray.from_arrays(numbers.astype(np.int32), pa.array(names))


def _decoded(column: Any) -> Any:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def _table(times: IntArray, columns: dict[str, Any]) -> pa.Table:
    moments = pa.array(times).cast(_MILLISECONDS)
    seq = pa.array(np.arange(len(times)))
    return pa.table({"seq": seq, "ts": moments, **columns})
