"""Cases that random ones have led to, of events that last or come at one moment."""

from __future__ import annotations

from tests.plan.partition.splitting import Rows


def _rows(*given: tuple[int, int, dict[str, int]]) -> Rows:
    return [
        {"ts": begin, "k": "a", "v": 0, "$stream": "one", "$end": end, **more}
        for begin, end, more in given
    ]


NEIGHBOURS = (
    "SUBSCRIBE s FROM one MATCH (e1:[TRUE]? , e2:[TRUE]?)",
    _rows((0, 1000, {}), (1000, 2000, {}), (2000, 3000, {})),
)
"""Unordered, the third event is next to the first: the second begins before that one is over."""

DUE = (
    "SUBSCRIBE s FROM one MATCH (e1:[g = $key] ; !e2:[h = $key] FOR 1 s)",
    _rows((0, 0, {"g": 1}), (0, 1000, {}), (1000, 1000, {"h": 2}), (1000, 2000, {}),
          (2000, 3000, {})),
)  # fmt: skip
"""What is due at the moment of the last event of a slice is told there."""
