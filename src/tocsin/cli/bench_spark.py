"""`tocsin bench spark`: the pipeline on Spark against what else one could do there."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tocsin.cli.bench_output import Files, Runs, known_name, run_benchmark
from tocsin.cli.spread import spread
from tocsin.errors import ConfigurationError

EXAMPLES: Final = ("tocsin bench spark --events 2000 --many 3 --case ten --runs 1",)
CASES: Final = ("ten", "narrow", "many", "intrusion", "uneven", "falling", "scale")


@spread
def bench_spark(  # noqa: PLR0913 - every option is a keyword of its own
    *,
    events: Annotated[
        int | None,
        typer.Option(
            "--events", min=2, metavar="N", help="How many events; without, each case has its own."
        ),
    ] = None,
    many: Annotated[
        int, typer.Option("--many", min=1, metavar="N", help="How many subscriptions at once.")
    ] = 1_000,
    cores: Annotated[
        int, typer.Option("--cores", min=1, metavar="N", help="How many cores Spark may use.")
    ] = 2,
    cases: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="NAME", help=f"Only this one: {', '.join(CASES)}."),
    ] = None,
    of_address: Annotated[
        int,
        typer.Option("--of-address", min=1, metavar="N", help="How many logins an address has."),
    ] = 50,
    runs: Runs = 3,
    files: Files,
) -> None:
    """Measure the pipeline on Spark against joins, window functions and loops by hand."""
    try:
        from tocsin.bench.spark.report import Sizes, report  # noqa: PLC0415 - loads Spark
    except ImportError as error:
        msg = "this needs Spark; install it with: pip install 'tocsin[spark]', and Java 17"
        raise ConfigurationError(msg) from error
    chosen = tuple(known_name("case", one, CASES) for one in cases or CASES)
    sizes = Sizes(events, many, cores, runs, chosen, of_address)
    run_benchmark("spark", lambda steps: report(sizes, steps), files)
