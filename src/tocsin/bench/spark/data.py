"""Logins and prices, drawn with a seed and written as Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SEED: Final = 7
EVENTS_OF_AN_ADDRESS: Final = 50
_BETWEEN_US: Final = 20_000_000
"""How far apart two events of one address are on average."""
_PORTS: Final = 500
_MEDIAN: Final = 3
_MOST: Final = 2_000
_DAY_US: Final = 86_400_000_000
_EVENTS_OF_A_SYMBOL: Final = 500
_FIRST_PRICE: Final = 50.0
_STEP: Final = 0.02
_MOMENT: Final = pa.timestamp("us", tz="UTC")


def logins(events: int, *, addresses: int | None = None) -> pa.Table:
    """Return logins in the order of time; a quarter of them succeed.

    Parameters
    ----------
    addresses
        From how many addresses they come; without, each one has 50 of them.

    Examples
    --------
    >>> logins(3).column_names
    ['n', 'ts', 'ip', 'status', 'port', 'bytes']
    """
    draw = np.random.default_rng(SEED)
    addresses = addresses or max(events // EVENTS_OF_AN_ADDRESS, 1)
    ip = draw.integers(0, addresses, events)
    return _logins(draw, ip, _times(draw, events, max(_BETWEEN_US // addresses, 1)))


def uneven_logins(events: int) -> pa.Table:
    """Return logins of a day from addresses as unequal as those of a real honeypot.

    One of 2018 had 17,298 logins from 1,240 addresses: half of them tried at most 3 times, one in
    ten more than 14 times, one in a hundred more than 173 times, and the busiest 1,935 times; the
    number of addresses with so many logins falls with that number (exponent 1.005). Each address
    tries on its own, 20 s apart on average.

    Examples
    --------
    >>> uneven_logins(3).column_names == logins(3).column_names
    True
    """
    draw = np.random.default_rng(SEED)
    of_address = np.minimum(_MEDIAN / 2 / (1 - draw.random(events)), _MOST).astype(np.int64)
    of_address = np.maximum(of_address, 1)
    addresses = int(np.searchsorted(np.cumsum(of_address), events)) + 1
    of_address = of_address[:addresses]
    ip = np.repeat(np.arange(addresses), of_address)[:events]
    gaps = np.cumsum(draw.integers(1, 2 * _BETWEEN_US, events))
    first = np.cumsum(of_address) - of_address
    began = draw.integers(0, _DAY_US, addresses)
    at = gaps - gaps[first][ip] + began[ip]
    order = np.argsort(at, kind="stable")
    return _logins(draw, ip[order], pa.array(at[order]).cast(_MOMENT))


def _logins(draw: np.random.Generator, ip: Any, times: Any) -> pa.Table:
    events, addresses = len(ip), int(ip.max()) + 1
    names = pa.array([f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in range(addresses)])
    statuses = pa.array(["denied", "success"])
    return pa.table(
        {
            "n": pa.array(np.arange(events)),
            "ts": times,
            "ip": names.take(ip),
            "status": statuses.take(draw.integers(0, 4, events) // 3),
            "port": pa.array(draw.integers(0, _PORTS, events)),
            "bytes": pa.array(draw.integers(40, 1500, events)),
        }
    )


def prices(events: int) -> pa.Table:
    """Return prices of symbols in the order of time, each a step from the one before it.

    Steps of a symbol are about 2 % up or down: one price in 33 is at least the fifth fall in a row.

    Examples
    --------
    >>> prices(2).column_names
    ['n', 'ts', 'symbol', 'price']
    """
    draw = np.random.default_rng(SEED)
    symbols = max(events // _EVENTS_OF_A_SYMBOL, 1)
    symbol = draw.integers(0, symbols, events)
    names = pa.array([f"S{n:05}" for n in range(symbols)])
    return pa.table(
        {
            "n": pa.array(np.arange(events)),
            "ts": _times(draw, events, 1_000),
            "symbol": names.take(symbol),
            "price": pa.array(_walks(draw, symbol)),
        }
    )


def _walks(draw: np.random.Generator, symbol: Any) -> Any:
    """Return a price for each of some symbols, steps from the symbol's price before it."""
    order = np.argsort(symbol, kind="stable")
    walk = np.cumsum(draw.normal(0, _STEP, len(symbol)))
    _, first, counts = np.unique(symbol[order], return_index=True, return_counts=True)
    price = np.empty(len(symbol))
    price[order] = np.round(_FIRST_PRICE * np.exp(walk - np.repeat(walk[first], counts)), 2)
    return price


def write(table: pa.Table, path: Path, *, files: int) -> None:
    """Write a table as several Parquet files, so that as many tasks read it."""
    path.mkdir()
    size = -(-table.num_rows // files)
    for number in range(files):
        part = table.slice(number * size, size)
        pq.write_table(part, path / f"{number}.parquet")


def _times(draw: np.random.Generator, events: int, mean_us: int) -> Any:
    return pa.array(np.cumsum(draw.integers(1, 2 * mean_us + 1, events))).cast(_MOMENT)
