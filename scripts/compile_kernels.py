"""Compiles the kernels before the tests run, so that their processes find them compiled.

Numba keeps what it compiled beside the sources; where that is up to date, this takes seconds.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Final

from tocsin.engine import Engine, Options

_KEYED: Final = "SUBSCRIBE keyed MATCH a:[v > 1 AND k = $k] ; b:[v > a.v AND k = $k] WITHIN 9 s"
_CHAIN: Final = "SUBSCRIBE chain MATCH a:[k = $k] ->{k = $k} b:[v > a.v AND k = $k]"
_SOME: Final = [f"SUBSCRIBE s{n} MATCH a:[v = {n} AND k = 'x']" for n in range(100)]
"""So many filters are searched by an index; few are asked one by one."""


def _run(options: Options, texts: list[str]) -> None:
    """Let an engine process some events, which compiles what it needs."""
    events = [{"ts": ms, "k": "x", "v": ms % 7} for ms in range(64)]
    engine = Engine(";".join(texts), time="ts", options=options)
    engine.process(events)


def main() -> None:
    """Compile each large kernel in a process of its own, the longest first."""
    ways = [
        (Options(single_step=True), [_KEYED, *_SOME]),
        (Options(), [_KEYED]),
        (Options(), [_KEYED, *_SOME]),
        (Options(by_key_from=0), [_CHAIN]),
    ]
    with ProcessPoolExecutor(max_workers=2) as pool:
        for done in as_completed([pool.submit(_run, *way) for way in ways]):
            done.result()


if __name__ == "__main__":
    main()
