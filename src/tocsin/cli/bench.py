"""`tocsin bench`: how fast things are on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from tocsin.bench.machine import machine
from tocsin.cli import bench_papers, bench_peers, bench_spark
from tocsin.cli.bench_output import JsonFile, Runs
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
    *bench_papers.EXAMPLES,
    *bench_peers.EXAMPLES,
)

bench = typer.Typer(cls=PlainGroup, rich_markup_mode="rich")


@bench.callback(invoke_without_command=True)
def bench_all(context: typer.Context) -> None:
    """Measure how fast things are on this machine; without a name, everything in small sizes."""
    if context.invoked_subcommand is None:
        bench_language(list(SIZES[:1]))
        bench_papers.bench_filter()
        bench_papers.bench_padres(subscriptions=20_000, composite=200, resident=200)
        bench_papers.bench_ptopss([1_000], events=5_000)
        bench_papers.bench_cayuga([1_000, 4_000], events=5_000, few=1_000)
        bench_peers.bench_login(events=20_000)
        bench_peers.bench_stock(events=20_000)
        bench_peers.bench_pool(events=20_000)


def bench_language(
    sizes: Annotated[
        list[int] | None,
        typer.Option("--size", min=1, metavar="N", help="How many subscriptions; repeatable."),
    ] = None,
    *,
    runs: Runs = 5,
    json_file: JsonFile = None,
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


def _add(command: Callable[..., None], examples: tuple[str, ...]) -> None:
    """Add a command; its name is what its function's name says behind `bench_`."""
    name = command.__name__.removeprefix("bench_")
    own = tuple(example for example in examples if example.startswith(f"tocsin bench {name}"))
    bench.command(name, cls=PlainCommand, help=with_examples(command, own))(command)


for _command in (
    bench_language,
    bench_papers.bench_cayuga,
    bench_papers.bench_padres,
    bench_papers.bench_ptopss,
    bench_papers.bench_filter,
    bench_peers.bench_login,
    bench_peers.bench_stock,
    bench_peers.bench_pool,
):
    _add(_command, EXAMPLES)
_add(bench_spark.bench_spark, bench_spark.EXAMPLES)
