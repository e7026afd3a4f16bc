"""`tocsin bench cayuga | padres | ptopss | filter`: the workloads of the papers."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tocsin.cli.bench_output import Files, Runs, known_name, run_benchmark
from tocsin.cli.spread import spread

EXAMPLES: Final = (
    "tocsin bench cayuga --template Filter --subscriptions 60 --events 60 --few 9",
    "tocsin bench padres --subscriptions 500 --publications 50 --composite 9",
    "tocsin bench ptopss --subscriptions 20 --events 300 --json ptopss.json",
    "tocsin bench filter --events 100 --filters 50",
)

Sizes = Annotated[
    list[int] | None,
    typer.Option("--subscriptions", min=1, metavar="N", help="How many subscriptions; repeatable."),
]
Events = Annotated[int, typer.Option("--events", min=2, metavar="N", help="How many events.")]


@spread
def bench_cayuga(  # noqa: PLR0913 - every option is a keyword of its own
    subscriptions: Sizes = None,
    *,
    templates: Annotated[
        list[str] | None,
        typer.Option("--template", metavar="NAME", help="Only this template; repeatable."),
    ] = None,
    events: Events = 100_000,
    few: Annotated[
        int,
        typer.Option(
            "--few", min=1, metavar="N",
            help="How many subscriptions the effects of indexes, skew and selectivity have.",
        ),
    ] = 20_000,
    runs: Runs = 5,
    files: Files,
) -> None:  # fmt: skip
    """Measure Cayuga's five templates: sizes, merging, each index, skew, selectivity."""
    from tocsin.bench.cayuga.figures import SUBSCRIPTIONS  # noqa: PLC0415 - loads the engine
    from tocsin.bench.cayuga.figures import Sizes as Asked  # noqa: PLC0415 - loads the engine
    from tocsin.bench.cayuga.report import report  # noqa: PLC0415 - loads the engine
    from tocsin.bench.cayuga.templates import Template  # noqa: PLC0415 - loads the engine

    chosen = [
        Template(known_name("template", one, list(Template))) for one in templates or Template
    ]
    sizes = tuple(sorted(subscriptions or SUBSCRIPTIONS))
    asked = Asked(sizes, few, events, runs)
    run_benchmark("cayuga", lambda steps: report(asked, steps, chosen), files)


@spread
def bench_padres(  # noqa: PLR0913 - every option is a keyword of its own
    *,
    subscriptions: Annotated[
        int,
        typer.Option("--subscriptions", min=1, metavar="N", help="How many atomic subscriptions."),
    ] = 200_000,
    publications: Annotated[
        int, typer.Option("--publications", min=1, metavar="N", help="How many publications.")
    ] = 5_000,
    composite: Annotated[
        int,
        typer.Option("--composite", min=1, metavar="N", help="How many composite subscriptions."),
    ] = 2_000,
    resident: Annotated[
        int,
        typer.Option(
            "--resident", min=2, metavar="N", help="How many publications the composite ones meet."
        ),
    ] = 1_000,
    runs: Runs = 5,
    files: Files,
) -> None:
    """Measure PADRES's publications against a scan and counting; and composite subscriptions."""
    from tocsin.bench.padres_report import Sizes as Asked  # noqa: PLC0415 - loads the engine
    from tocsin.bench.padres_report import report  # noqa: PLC0415 - loads the engine

    asked = Asked(subscriptions, publications, composite, resident, runs)
    run_benchmark("padres", lambda steps: report(asked, steps), files)


@spread
def bench_ptopss(
    subscriptions: Sizes = None,
    *,
    events: Events = 50_000,
    runs: Runs = 5,
    files: Files,
) -> None:
    """Measure P-ToPSS's composite subscriptions: states, commonality, transitions, time."""
    from tocsin.bench.ptopss.report import SUBSCRIPTIONS, report  # noqa: PLC0415 - loads the engine
    from tocsin.bench.ptopss.report import Sizes as Asked  # noqa: PLC0415 - loads the engine

    asked = Asked(tuple(sorted(subscriptions or SUBSCRIPTIONS)), events, runs)
    run_benchmark("ptopss", lambda steps: report(asked, steps), files)


@spread
def bench_filter(
    *,
    events: Events = 2_000,
    filters: Annotated[
        int, typer.Option("--filters", min=1, metavar="N", help="How many filters.")
    ] = 500,
    files: Files,
) -> None:
    """Count operations an event under each order of values and attributes of A-MEDIAS."""
    from tocsin.bench.filters_report import Sizes as Asked  # noqa: PLC0415 - loads the engine
    from tocsin.bench.filters_report import report  # noqa: PLC0415 - loads the engine

    asked = Asked(events, filters)
    run_benchmark("filter", lambda steps: report(asked, steps), files)
