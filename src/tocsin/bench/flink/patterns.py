"""The patterns of Flink's jobs in the language.

Flink's windows are open at their end and its times are whole milliseconds, so that `< 5 min` is
`WITHIN 299999 ms`. Its patterns are keyed; here a variable joins the events of a key. `followedBy`
is `->`, `followedByAny` is `;`, and `next` is `,`.
"""

from __future__ import annotations

import enum
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.bench.engines import Part


class Intrusion(enum.StrEnum):
    """Three times denied, then success: which combinations, and which limit of time."""

    NEXT_W5 = "fb.noskip.w5"
    NEXT_LIT = "fb.noskip.lit"
    ANY_W5 = "fba.noskip.w5"
    ANY_LIT = "fba.noskip.lit"


USUAL: Final = (Intrusion.NEXT_W5, Intrusion.NEXT_LIT, Intrusion.ANY_W5)
"""What is run unless others are named: every combination within half an hour is very many."""
LOGIN_HEAD: Final = "STREAM login (seq INTEGER, ts TIMESTAMP, ip STRING, status STRING) TIME ts;\n"
STOCK_HEAD: Final = (
    "STREAM stock (seq INTEGER, ts TIMESTAMP, symbol STRING, price FLOAT, volume INTEGER) "
    "TIME ts;\n"
)
POOL_HEAD: Final = "STREAM pool (seq INTEGER, ts TIMESTAMP, type INTEGER) TIME ts;\n"

RISE: Final = """SUBSCRIBE rise FROM stock
MATCH   b:[symbol = $s AND (count(b) = 0 OR price > prev(b.price))]{5,} BY ->{symbol = $s}
        ->{symbol = $s} c:[symbol = $s AND price <= last(b.price)]
DUPLICATES FIRST;
"""
"""A longest run of at least five rising prices, closed by the first one that does not rise.

A run also ends in `c` from each of its later prices on; `DUPLICATES FIRST` keeps the one that began
first, which is what Flink's `SKIP TO LAST C` leaves."""


def intrusion_text(variant: Intrusion) -> str:
    """Return the subscription of a variant.

    Examples
    --------
    >>> print(intrusion_text(Intrusion.ANY_LIT))
    SUBSCRIBE intrusion FROM login
    MATCH   d1:[status = 'denied' AND ip = $x] ;
            d2:[status = 'denied' AND ip = $x] ;
            d3:[status = 'denied' AND ip = $x] @ (t(d3) - t(d1) < 5 min) ;
            s:[status = 'success' AND ip = $x]
    WITHIN  1799999 ms;
    """
    joint = "->" if variant.startswith("fb.") else ";"
    is_short = variant.endswith("w5")
    limit = "" if is_short else " @ (t(d3) - t(d1) < 5 min)"
    denied = [f"d{i}:[status = 'denied' AND ip = $x]" for i in (1, 2, 3)]
    parts = [*denied[:2], denied[2] + limit, "s:[status = 'success' AND ip = $x]"]
    pattern = f" {joint}\n        ".join(parts)
    window = 299_999 if is_short else 1_799_999
    return f"SUBSCRIBE intrusion FROM login\nMATCH   {pattern}\nWITHIN  {window} ms;"


def pool_parts(subscriptions: pa.Table) -> list[Part]:
    """Return a template for each way of linking, with its rows.

    Examples
    --------
    >>> row = {"id": 0, "t1": 1, "t2": 2, "t3": 3, "t4": 4, "t5": 5, "links": "fnff"}
    >>> (part,) = pool_parts(pa.Table.from_pylist([row]))
    >>> print(part.template)
    SUBSCRIBE pool_{id} FROM pool
    MATCH e1:[type = {t1}] -> e2:[type = {t2}] , e3:[type = {t3}] -> e4:[type = {t4}]
    -> e5:[type = {t5}]
    WITHIN 50 EVENTS
    """
    found = []
    for links in sorted({str(links) for links in subscriptions.column("links").to_pylist()}):
        rows = subscriptions.filter(pc.equal(subscriptions.column("links"), pa.scalar(links)))
        atoms = "e1:[type = {t1}]"
        for place, link in enumerate(links, start=2):
            atoms += f" {',' if link == 'n' else '->'} e{place}:[type = {{t{place}}}]"
        text = f"SUBSCRIBE pool_{{id}} FROM pool\nMATCH {atoms}\nWITHIN 50 EVENTS"
        found.append(Part(text, rows))
    return found
