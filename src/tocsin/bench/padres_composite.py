"""Composite subscriptions of PADRES, section 6: three atoms each, over resident publications.

The paper first takes 1,000 publications, then inserts 2,000 composite subscriptions and measures
how long each takes to find its matches among them: here `SINCE BEGINNING`. The other way round, the
publications come when the subscriptions are in force. The atoms are joined by `&`. The paper does
not tell its operators; a fifth of ours are equalities, since with more hardly anything matches.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

import numpy as np

from tocsin.bench.answers import check_equal
from tocsin.bench.measure import Spent, spend
from tocsin.bench.padres import ATTRIBUTES, OPERATORS, Distribution, Draws, make_workload
from tocsin.bench.padres_opponents import Scan
from tocsin.engine import Engine

ATOMS: Final = 3
HEAD: Final = (
    "STREAM publications (ts TIMESTAMP, "
    + ", ".join(f"a{i + 1} INTEGER" for i in range(ATTRIBUTES))
    + ") TIME ts;\n"
)
_EQUAL: Final = 0.2
_CHUNK: Final = 50
"""How many subscriptions a point of the paper's figure stands for."""


@dataclass(frozen=True, slots=True)
class CompositeFigures:
    """What one distribution gave: time per publication, and per subscription over history."""

    distribution: str
    subscriptions: int
    publications: int
    matches: int
    live: Spent
    history: Spent

    @property
    def publication_ms(self) -> float:
        """The mean time of a publication with all subscriptions in force."""
        return 1000 * self.live.cpu_s / self.publications

    @property
    def subscription_ms(self) -> float:
        """The mean time of a subscription over all publications, its text read and checked."""
        return 1000 * self.history.cpu_s / self.subscriptions


def measure_composite(
    distribution: Distribution, *, subscriptions: int = 2_000, publications: int = 1_000
) -> CompositeFigures:
    """Measure both ways.

    Raises
    ------
    UnequalAnswersError
        A way finds another number of matches than a scan over all atoms and publications.
    """
    work = make_workload(subscriptions * ATOMS, publications, distribution, equal=_EQUAL)
    rows = publication_rows(work.publications)
    texts = composite_texts(work.subscriptions)
    expected = count_matches(work.subscriptions, work.publications)
    live, taken = spend_live(texts, rows)
    check_equal("matches", live, expected, of="the scan")
    late, read = spend_history(texts, rows)
    check_equal("matches in history", late, expected, of="the scan")
    return CompositeFigures(distribution, subscriptions, publications, expected, taken, read)


def spend_live(texts: list[str], rows: list[dict[str, int]]) -> tuple[int, Spent]:
    """Send publications to an engine that has all subscriptions; the first one warms up."""
    engine = Engine(HEAD + "\n".join(texts))
    first = len(engine.process(rows[:1]))
    found, spent = spend(lambda: len(engine.process(rows[1:])))
    return first + found, spent


def spend_history(texts: list[str], rows: list[dict[str, int]]) -> tuple[int, Spent]:
    """Subscribe to what has come before."""
    engine = Engine(HEAD, history=True)
    engine.process(rows)
    chunks = [
        "\n".join(text.replace(";", "\nSINCE BEGINNING;") for text in texts[i : i + _CHUNK])
        for i in range(0, len(texts), _CHUNK)
    ]
    return spend(lambda: sum(len(engine.subscribe(chunk)) for chunk in chunks))


def composite_texts(draws: Draws) -> list[str]:
    """Return a subscription for every three filters.

    Examples
    --------
    >>> one = Draws(np.arange(4), np.array([0, 1, 0]), np.array([7, 8, 9]), np.array([0, 1, 2]))
    >>> composite_texts(one)
    ['SUBSCRIBE composite_0 MATCH [a1 = 7] & [a2 > 8] & [a1 < 9];']
    """
    atoms = [f"[{_filter(draws, number)}]" for number in range(len(draws.first) - 1)]
    groups = zip(*[iter(atoms)] * ATOMS, strict=True)
    return [
        f"SUBSCRIBE composite_{number} MATCH {' & '.join(group)};"
        for number, group in enumerate(groups)
    ]


def _filter(draws: Draws, number: int) -> str:
    return " AND ".join(
        f"a{draws.attribute[i] + 1} {OPERATORS[draws.operator[i]]} {draws.value[i]}"
        for i in range(draws.first[number], draws.first[number + 1])
    )


def publication_rows(draws: Draws) -> list[dict[str, int]]:
    """Return publications as rows, one every millisecond."""
    rows = []
    for number, (start, end) in enumerate(itertools.pairwise(draws.first.tolist())):
        names = [f"a{attribute + 1}" for attribute in draws.attribute[start:end]]
        values = draws.value[start:end].tolist()
        rows.append({"ts": number, **dict(zip(names, values, strict=True))})
    return rows


def count_matches(subscriptions: Draws, publications: Draws) -> int:
    """Count the ways to give each atom of a subscription a publication of its own."""
    scan = Scan(subscriptions, early_exit=True)
    taken: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(itertools.pairwise(publications.first.tolist())):
        found = scan.match(publications.attribute[start:end], publications.value[start:end])
        for atom in np.asarray(found).tolist():
            taken.setdefault(atom, []).append(number)
    total = 0
    for first in range(0, len(subscriptions.first) - 1, ATOMS):
        several = [taken.get(first + place, []) for place in range(ATOMS)]
        total += sum(len(set(one)) == ATOMS for one in itertools.product(*several))
    return total
