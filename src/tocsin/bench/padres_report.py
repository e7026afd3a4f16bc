"""The benchmark `padres` as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from tocsin.bench.padres import Distribution, PadresFigures, measure_padres
from tocsin.bench.padres_composite import CompositeFigures, measure_composite
from tocsin.bench.report import Cell, Curve, Plot, Report, Section, columns
from tocsin.bench.steps import Steps

DISTRIBUTIONS: Final[tuple[Distribution, ...]] = ("uniform", "zipf")
PAPER_MS: Final = 4.52
"""What a publication takes in the paper with 200,000 subscriptions."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is run; `composite` subscriptions meet `resident` publications."""

    subscriptions: int = 200_000
    publications: int = 5_000
    composite: int = 2_000
    resident: int = 1_000
    runs: int = 5


def report(sizes: Sizes, steps: Steps) -> Report:
    """Measure atomic and composite subscriptions.

    Raises
    ------
    UnequalAnswersError
        An opponent does not give what the engine gives.
    """
    steps.expect(2 * len(DISTRIBUTIONS))
    atomic, composite = [], []
    for distribution in DISTRIBUTIONS:
        steps.begin(f"{distribution}, {sizes.subscriptions:,} subscriptions")
        atomic.append(
            measure_padres(
                distribution, subscriptions=sizes.subscriptions,
                publications=sizes.publications, runs=sizes.runs,
            )
        )  # fmt: skip
    for distribution in DISTRIBUTIONS:
        steps.begin(f"{distribution}, {sizes.composite:,} composite subscriptions")
        composite.append(
            measure_composite(
                distribution, subscriptions=sizes.composite, publications=sizes.resident
            )
        )
    return Report(
        "padres", asdict(sizes), (_atomic(atomic), _composite(composite)), (_plot(atomic),),
        (f"The paper takes {PAPER_MS} ms a publication with 200,000 subscriptions.",),
    )  # fmt: skip


def _atomic(found: Sequence[PadresFigures]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        own = one.publication_ms
        nothing = (None,) * 4
        rows.append(
            (one.distribution, "index", own, None, None, None, sum(one.figures[0].wall_s),
             one.candidates, one.matches, one.bytes_per_subscription, one.load_s)
        )  # fmt: skip
        rows += [
            (one.distribution, figure.name, 1000 / figure.middle, ratio.middle, ratio.low,
             ratio.high, sum(figure.wall_s), *nothing)
            for figure, ratio in zip(one.figures[1:], one.ratios, strict=True)
        ]  # fmt: skip
        paper = (PAPER_MS, PAPER_MS / own, None, None, None, *nothing)
        rows.append((one.distribution, "the paper", *paper))
    shown = columns(
        "distribution", "method", "publication|ms", "index faster by|x", "low|x", "high|x",
        "~wall|s", "~candidates", "matches", "bytes/subscription", "load|s",
    )  # fmt: skip
    title = f"padres: {found[0].subscriptions:,} atomic subscriptions, time of a publication"
    return Section(title, shown, tuple(rows))


def _composite(found: Sequence[CompositeFigures]) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            one.distribution, one.subscriptions, one.publications, one.matches,
            one.publication_ms, one.subscription_ms, one.live.cpu_s, one.live.wall_s,
        )
        for one in found
    ]  # fmt: skip
    shown = columns(
        "distribution", "subscriptions", "publications", "matches", "publication|ms",
        "subscription over history|ms", "~cpu|s", "~wall|s",
    )  # fmt: skip
    return Section("padres: composite subscriptions of three atoms", shown, tuple(rows))


def _plot(found: Sequence[PadresFigures]) -> Plot:
    names = tuple(figure.name for figure in found[0].figures)
    curves = tuple(
        Curve(one.distribution, names, tuple(1000 / figure.middle for figure in one.figures))
        for one in found
    )
    marks = {"the paper": PAPER_MS}
    return Plot("Time of a publication", "", "ms", curves, marks, log_y=True)
