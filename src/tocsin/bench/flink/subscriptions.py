"""The subscriptions of the workload `pool`: a third each of three kinds, all of length five.

Links are `f`, the first later event of that type, or `n`, the very next event. Every third
subscription has only `f` and types drawn uniformly; every third only `n`, and every third a mix,
with types read off the stream, so that they do match.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from tocsin.bench.draws import IntArray
from tocsin.bench.flink.data import SEED, TYPES, read_data

LENGTH: Final = 5
COUNT: Final = 1_000
_MARGIN: Final = 60
_LONGEST_GAP: Final = 8


def make_subscriptions(types: IntArray, count: int = COUNT) -> pa.Table:
    """Draw subscriptions over a stream of types: `id, kind, t1` to `t5`, `links`.

    Examples
    --------
    >>> table = make_subscriptions(np.arange(100) % 50, 3)
    >>> table.column("kind").to_pylist(), table.column("links").to_pylist()[:2]
    (['f', 'n', 'm'], ['ffff', 'nnnn'])
    """
    source = np.random.default_rng([SEED, 4])
    rows = [_draw(number, source.random(16).tolist(), types) for number in range(count)]
    return pa.Table.from_pylist(rows)


def _draw(number: int, drawn: Sequence[float], types: IntArray) -> dict[str, object]:
    kind = "fnm"[number % 3]
    links = {"f": "ffff", "n": "nnnn"}.get(kind) or "".join(
        "n" if one < 0.5 else "f" for one in drawn[5:9]
    )
    if kind == "f":
        taken = [int(one * TYPES) for one in drawn[:LENGTH]]
    else:
        place = int(drawn[9] * max(len(types) - _MARGIN, 1))
        places = [place]
        for one, link in zip(drawn[10:], links, strict=False):
            place += 1 if link == "n" else 1 + int(one * _LONGEST_GAP)
            places.append(place)
        taken = [int(types[place % len(types)]) for place in places]
    named = {f"t{i + 1}": one for i, one in enumerate(taken)}
    return {"id": number, "kind": kind, **named, "links": links}


def read_subscriptions(directory: Path) -> pa.Table:
    """Read `subs.csv` as the generator for Flink writes it."""
    return read_data(directory, "subs")
