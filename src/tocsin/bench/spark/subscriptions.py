"""The subscriptions that are measured."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

INTRUSION: Final = """SUBSCRIBE intrusion MATCH
  d1:[status = 'denied' AND ip = $x] ; d2:[status = 'denied' AND ip = $x] ;
  d3:[status = 'denied' AND ip = $x] ; s:[status = 'success' AND ip = $x]
WITHIN 1 min"""
"""Three times denied, then success, from one address: every combination within a minute."""

FALLING: Final = """SUBSCRIBE falling MATCH p0:[symbol = $s]
  ->{symbol = $s} p1:[symbol = $s AND price < p0.price]
  ->{symbol = $s} p2:[symbol = $s AND price < p1.price]
  ->{symbol = $s} p3:[symbol = $s AND price < p2.price]
  ->{symbol = $s} p4:[symbol = $s AND price < p3.price]
  ->{symbol = $s} p5:[symbol = $s AND price < p4.price]"""
"""Five times in a row a symbol's next price is lower."""

WATCH: Final = """SUBSCRIBE watch_{id} MATCH
  a:[status = 'denied' AND port BETWEEN {low} AND {high} AND ip = $x] ;
  b:[status = 'success' AND port = {port} AND bytes > {bytes} AND ip = $x]
WITHIN 2 min"""
"""One of many: an address that was denied in a range of ports enters by the port of a service."""

_PORTS: Final = 500
_RANGE: Final = 100
"""A denied login concerns a fifth of all watches, so that matching costs more than handing over."""

_TEN: Final = (
    "d:[status = 'denied'{on} AND ip = $x] -> s:[status = 'success'{on} AND ip = $x] WITHIN 10 s",
    "d:[status = 'denied'{on} AND ip = $x] -> e:[status = 'denied'{on} AND ip = $x] -> "
    "s:[status = 'success'{on} AND ip = $x] WITHIN 30 s",
    "a:[port < 5 AND ip = $x] ; b:[port < 5 AND ip = $x] WITHIN 5 min",
    "a:[port = 22 AND ip = $x] ; b:[port = 23 AND ip = $x] WITHIN 10 min",
    "a:[bytes > 1490 AND ip = $x] ; b:[bytes > 1490 AND ip = $x] WITHIN 10 min",
    "a:[port = 80 AND ip = $x] -> b:[port = 443 AND ip = $x] -> "
    "c:[status = 'success'{on} AND ip = $x]",
    "a:[bytes < 45 AND ip = $x] -> b:[bytes > 1480 AND ip = $x] WITHIN 1 min",
    "a:[status = 'success' AND port = 7 AND ip = $x] ; !s:[port < 9 AND ip = $x] FOR 2 min",
    "a:[port = 1 AND ip = $x] ; !d:[port = 2 AND ip = $x] ; b:[port = 3 AND ip = $x] WITHIN 30 min",
    "a:[bytes = 100 AND ip = $x] ; b:[bytes = 200 AND ip = $x]",
)
_SOME_PORTS: Final = " AND port BETWEEN 20 AND 39"


def ten(*, is_narrow: bool = False) -> str:
    """Return ten subscriptions that one key ties.

    Parameters
    ----------
    is_narrow
        Ask for some ports in all of them, so that a tenth of the events concerns anyone; otherwise
        every event does.

    Examples
    --------
    >>> ten().count("SUBSCRIBE"), "port BETWEEN" in ten(is_narrow=True)
    (10, True)
    """
    on = _SOME_PORTS if is_narrow else ""
    return ";\n".join(f"SUBSCRIBE s{n} MATCH {text.format(on=on)}" for n, text in enumerate(_TEN))


def watches(count: int) -> pa.Table:
    """Return the parameter table of so many watches."""
    lows = [7 * n % (_PORTS - _RANGE) for n in range(count)]
    return pa.table(
        {
            "id": list(range(count)),
            "low": lows,
            "high": [low + _RANGE for low in lows],
            "port": [n % _PORTS for n in range(count)],
            "bytes": [1000] * count,
        }
    )
