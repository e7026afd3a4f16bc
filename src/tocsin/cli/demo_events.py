"""A day of logins for the demo: made anew each time, and each time the same."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import pyarrow as pa

BEGIN: Final = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)
DAY_S: Final = 24 * 60 * 60
_SEED: Final = 2007
_USERS: Final = 400
_ATTACKS: Final = 60
_SPRAYS: Final = 25
_COLUMNS: Final[list[tuple[str, Any]]] = [
    ("ts", pa.timestamp("us", tz="UTC")),
    ("n", pa.int64()),
    ("ip", pa.string()),
    ("user", pa.string()),
    ("status", pa.string()),
    ("bytes", pa.int64()),
]
_Login: TypeAlias = tuple[float, str, str, str, int | None]
"""Second of the day, address, user, status, bytes."""


def demo_events(visits: int = 5_000) -> pa.Table:
    """Return logins in the order of their times, numbered from 0 in column `n`.

    The last one comes two hours after the others, so that everything before it is certain.

    Examples
    --------
    >>> demo_events(visits=10).column_names
    ['ts', 'n', 'ip', 'user', 'status', 'bytes']
    """
    source = random.Random(_SEED)
    logins = [*_visits(source, visits), *_attacks(source), *_sprays(source)]
    logins.append((DAY_S + 7_200.0, "10.0.0.1", "system", "closing", None))
    rows = [
        {
            "ts": BEGIN + dt.timedelta(milliseconds=round(at * 1_000)),
            "n": number,
            "ip": ip,
            "user": user,
            "status": status,
            "bytes": size,
        }
        for number, (at, ip, user, status, size) in enumerate(sorted(logins, key=_place))
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(_COLUMNS))


def _place(login: _Login) -> Any:
    return round(login[0] * 1_000), login[1:4]


def _visits(source: random.Random, count: int) -> Iterator[_Login]:
    """People at work: sometimes a slip, then in, some downloads, mostly out again."""
    for _ in range(count):
        number = source.randrange(_USERS)
        user, ip = f"user{number:03}", f"10.0.{number % 4}.{number // 4}"
        at = min(max(source.gauss(13, 3.5), 0), 23) * 3600 + source.random()
        if source.random() < 0.15:
            yield at, ip, user, "denied", None
            at += source.uniform(5, 20)
        yield at, ip, user, "success", None
        if source.random() < 0.01:
            yield at + source.uniform(20, 100), f"198.51.100.{number % 250}", user, "success", None
        for _ in range(source.randrange(3)):
            at += source.uniform(10, 300)
            yield at, ip, user, "download", int(source.paretovariate(0.9) * 1_000_000)
        if source.random() < 0.02:
            at += source.uniform(20, 60)
            yield at, ip, user, "passwd", None
        if source.random() < 0.9:
            yield at + source.uniform(60, 1_100), ip, user, "logoff", None


def _attacks(source: random.Random) -> Iterator[_Login]:
    """Somebody guesses the password of one account; every second one finds it."""
    for number in range(_ATTACKS):
        ip, user = f"203.0.113.{number}", f"user{source.randrange(_USERS):03}"
        at = source.uniform(0, DAY_S - 1_800)
        for _ in range(source.randint(3, 5)):
            yield at, ip, user, "denied", None
            at += source.uniform(5, 60)
        if number % 2:
            yield at, ip, user, "success", None


def _sprays(source: random.Random) -> Iterator[_Login]:
    """Somebody tries many accounts within a second."""
    for number in range(_SPRAYS):
        at = source.uniform(0, DAY_S)
        for user in source.sample(range(_USERS), 4):
            yield at, f"192.0.2.{number}", f"user{user:03}", "denied", None
            at += 0.05
