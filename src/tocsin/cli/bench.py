"""`tocsin bench`: how fast things are on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from tocsin.bench.machine import machine
from tocsin.cli.consoles import output, say
from tocsin.cli.examples import with_examples
from tocsin.cli.outputs import write_text
from tocsin.cli.plain import PlainCommand, PlainGroup

if TYPE_CHECKING:
    from tocsin.bench.language import LanguageFigures

SIZES: Final = (500, 2_000, 8_000)
EXAMPLES: Final = (
    "tocsin bench language",
    "tocsin bench language --size 100 --runs 2 --json figures.json",
)

bench = typer.Typer(cls=PlainGroup, rich_markup_mode="rich")


@bench.callback(invoke_without_command=True)
def bench_all(context: typer.Context) -> None:
    """Measure how fast things are on this machine; without a name, everything."""
    if context.invoked_subcommand is None:
        bench_language()


def bench_language(
    sizes: Annotated[
        list[int] | None,
        typer.Option("--size", min=1, metavar="N", help="How many subscriptions; repeatable."),
    ] = None,
    *,
    runs: Annotated[
        int, typer.Option("--runs", min=1, metavar="N", help="How many runs count.")
    ] = 5,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the figures here.")
    ] = None,
) -> None:
    """Measure how fast text and tables become subscriptions."""
    from tocsin.bench.language import measure_language  # noqa: PLC0415 - loads pyarrow

    found = [measure_language(size, runs=runs) for size in sizes or SIZES]
    facts = machine()
    _show(found, runs)
    say(", ".join(f"{name} {value}" for name, value in facts.items()))
    if json_file is not None:
        figures = [figure.to_dict() for one in found for figure in one.figures]
        ratios = [ratio.to_dict() for one in found for ratio in one.ratios]
        result = {"machine": facts, "figures": figures, "ratios": ratios}
        write_text(json.dumps(result, indent=2) + "\n", json_file)


def _show(found: list[LanguageFigures], runs: int) -> None:
    table = Table(title=f"language: subscriptions a second, {runs} runs", title_justify="left")
    for name in ("work", "n", "median", "low", "high", "warm-up"):
        table.add_column(name, justify="left" if name == "work" else "right")
    for one in found:
        for figure in one.figures:
            rates = (figure.middle, figure.low, figure.high)
            shown = (f"{rate:,.0f}" for rate in rates)
            table.add_row(figure.name, f"{figure.size:,}", *shown, f"{figure.warm_up_s:.3f} s")
        for ratio in one.ratios:
            shown = (f"{value:.1f} x" for value in (ratio.middle, ratio.low, ratio.high))
            table.add_row(ratio.name, f"{ratio.size:,}", *shown, "")
        table.add_section()
    output().print(table)


bench.command("language", cls=PlainCommand, help=with_examples(bench_language, EXAMPLES))(
    bench_language
)
