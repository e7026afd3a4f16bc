"""How fast text becomes subscriptions: parsed, checked, or filled in from a table."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from tocsin.bench.answers import UnequalAnswersError
from tocsin.bench.measure import Figure, Ratio, measure, ratio
from tocsin.language.checker import check
from tocsin.language.parser import parse
from tocsin.language.template import fill
from tocsin.language.tokens import quote_string

SEED: Final = 7

_HEAD: Final = """STREAM logins (ts TIMESTAMP, ip STRING, status STRING) TIME ts;
DEFINE denied AS status = 'denied';
DEFINE success AS status = 'success';
"""
_TEMPLATE: Final = """SUBSCRIBE intrusion_{number} FROM logins
MATCH   d1:[denied AND ip = $x AND ip != {address}] ;
        d2:[denied AND ip = $x] ;
        d3:[denied AND ip = $x] @ (t(d3) - t(d1) < 5 min) ;
        s:[success AND ip = $x]
WITHIN  1 hour
LIMIT   {most} PER $x
EMIT    $x AS ip, t(d1) AS first_denied, t(s) AS entered;
"""


@dataclass(frozen=True, slots=True)
class Workload:
    """Subscriptions like `intrusion`, as one text and as a template with its table."""

    text: str
    template: str
    table: pa.Table

    @property
    def size(self) -> int:
        """How many subscriptions there are."""
        return int(self.table.num_rows)


def make_workload(size: int, *, seed: int = SEED) -> Workload:
    """Make a seeded workload.

    Examples
    --------
    >>> make_workload(2).text.count("SUBSCRIBE")
    2
    """
    source = random.Random(seed)
    rows = [
        {
            "number": number,
            "address": ".".join(str(source.randrange(256)) for _ in range(4)),
            "most": source.randrange(1, 100),
        }
        for number in range(size)
    ]
    texts = [
        _TEMPLATE.replace("{number}", str(row["number"]))
        .replace("{address}", quote_string(str(row["address"])))
        .replace("{most}", str(row["most"]))
        for row in rows
    ]
    return Workload(_HEAD + "\n".join(texts), _HEAD + _TEMPLATE, pa.Table.from_pylist(rows))


@dataclass(frozen=True, slots=True)
class LanguageFigures:
    """What one size gave."""

    figures: tuple[Figure, ...]
    ratios: tuple[Ratio, ...]


def measure_language(size: int, *, runs: int) -> LanguageFigures:
    """Measure parsing, parsing and checking, and filling in; check first that they agree.

    Raises
    ------
    UnequalAnswersError
        The table does not give what the text gives.
    """
    work = make_workload(size)
    template = parse(work.template)
    if tuple(fill(template, work.table)) != parse(work.text).subscriptions:
        msg = "the table gives other subscriptions than the text"
        raise UnequalAnswersError(msg)
    parsed, checked, filled = measure(
        size,
        {
            "parse": lambda: parse(work.text),
            "parse and check": lambda: check(parse(work.text)),
            "fill from a table": lambda: list(fill(template, work.table)),
        },
        runs=runs,
    )
    return LanguageFigures((parsed, checked, filled), (ratio("fill / parse", filled, parsed),))
