"""`tocsin backtest`: how often subscriptions would have fired over history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.table import Table

from tocsin.cli.backtesting.results import BadRows, Outcome, outcomes, plots_of
from tocsin.cli.backtesting.sweep import Trials, trials_of
from tocsin.cli.compiling import told_of_compiling
from tocsin.cli.consoles import output, say, say_note, visible
from tocsin.cli.notes import Watch, refuse_unread_stream
from tocsin.cli.outputs import check_writable, write_text
from tocsin.cli.programs import read_source, reported
from tocsin.cli.run_options import Stream, Subscriptions, Time
from tocsin.cli.sparks import check_spark
from tocsin.language.parser import parse
from tocsin.model.counting import counted

EXAMPLES: Final = (
    "tocsin backtest rules.tocsin --events events.jsonl",
    "tocsin backtest rules.tocsin -e events.jsonl --json counts.json",
)
_COLUMNS: Final = ("subscription", "parameters", "matches", "first", "last", "most often")
_WIDE: Final = 200


def backtest(  # noqa: PLR0913 - every option is a parameter
    subscriptions: Subscriptions,
    *,
    events: Annotated[
        list[Path],
        typer.Option(
            "--events", "-e", metavar="PATH",
            help="Events: Parquet, CSV, JSON lines or Arrow; a file, or a directory of them.",
        ),
    ],
    sweep: Annotated[
        Path | None,
        typer.Option(
            "--sweep", metavar="FILE",
            help="A table of parameters; every row of it is tried.",
        ),
    ] = None,
    time: Time = None,
    stream: Stream = None,
    spark: Annotated[
        bool, typer.Option("--spark", help="Count on Spark instead of in this process.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the counts here.")
    ] = None,
    plot_file: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Also draw the counts here, as in counts.svg."),
    ] = None,
) -> None:  # fmt: skip
    """Count how often subscriptions would have fired over history, and on which keys."""
    _check_outputs(json_file, plot_file)
    if spark:
        check_spark("--spark")
    trials = _trials(subscriptions, sweep)
    refuse_unread_stream(trials.program, stream)
    from tocsin.cli.backtesting.history import History  # noqa: PLC0415 - loads the engine

    watch = Watch(trials.program, stream, time)
    history = History(events, time, stream, watch)
    if spark:
        say("starting Spark on this machine ...")
        from tocsin.cli.backtesting.on_spark import tallies  # noqa: PLC0415 - needs Spark
    else:
        from tocsin.cli.backtesting.history import tallies  # noqa: PLC0415 - loads the engine

    with told_of_compiling():
        tallied, bad = tallies(trials.program, history)
    found = outcomes(trials, tallied)
    _show(found)
    _tell(found, bad, watch)
    if json_file is not None:
        facts = {"outcomes": [one.to_dict() for one in found], "dead_letters": bad.count}
        write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", json_file)
    if plot_file is not None:
        _draw(found, plot_file)


def _check_outputs(json_file: Path | None, plot_file: Path | None) -> None:
    check_writable(json_file, plot_file)
    if plot_file is not None:
        from tocsin.bench.plots import check_can_draw  # noqa: PLC0415 - loads matplotlib

        check_can_draw(plot_file)


def _trials(path: Path, sweep: Path | None) -> Trials:
    source = read_source(path)
    with reported(source):
        program = parse(source.text)
        if sweep is None:
            return trials_of(program, None)
        from tocsin.testing.scenario_tables import read_table_for  # noqa: PLC0415 - slow to load

        return trials_of(program, read_table_for(program, sweep))


def _show(found: Sequence[Outcome]) -> None:
    table = Table()
    for name in _COLUMNS:
        table.add_column(name, justify="right" if name == "matches" else "left")
    for one in found:
        table.add_row(*(visible(cell) for cell in one.row()))
    console = output()
    if not console.is_terminal:
        console.width = _WIDE  # a file has no edge at which to wrap
    console.print(table)


def _tell(found: Sequence[Outcome], bad: BadRows, watch: Watch) -> None:
    total = sum(one.count for one in found)
    say(f"{counted(total, 'match', 'matches')}, {counted(bad.count, 'dead letter')}")
    for reason in bad.reasons:
        say(f"  {visible(reason)}", style="dim")
    for note in watch.notes():
        say_note(note)


def _draw(found: Sequence[Outcome], path: Path) -> None:
    from tocsin.bench.plots import draw  # noqa: PLC0415 - loads matplotlib
    from tocsin.bench.report import Report  # noqa: PLC0415 - loads the machine's facts

    draw(Report("backtest", {}, (), plots_of(found)), path)
