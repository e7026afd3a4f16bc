"""`tocsin run`: subscriptions over events, notifications out."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Annotated

import typer

from tocsin.cli.consoles import counted, say
from tocsin.cli.exits import DEAD_LETTERS, FINE
from tocsin.cli.inputs import EventRows, Inputs
from tocsin.cli.outputs import OutputFormat, write_notifications
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notifications

_MOST_LETTERS = 3


class Simultaneous(enum.StrEnum):
    """Whether events with equal times follow one another."""

    ORDERED = "ordered"
    UNORDERED = "unordered"


class EventsFormat(enum.StrEnum):
    """The formats events are read in."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"


def run(  # noqa: PLR0913 - every option is a parameter
    subscriptions: Annotated[
        Path, typer.Argument(metavar="SUBSCRIPTIONS", help="A program, such as rules.tocsin.")
    ],
    *,
    events: Annotated[
        list[Path],
        typer.Option(
            "--events", "-e", metavar="FILE",
            help="Events: JSON lines, CSV, Parquet or Arrow; - is standard input. "
            "Several files follow one another, and their rows are numbered through.",
        ),
    ],
    format: Annotated[  # noqa: A002 - the name of the option
        OutputFormat | None,
        typer.Option("--format", "-f", help="The form of the notifications; by default that of "
                     "the output's name, else a table."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where they go.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="How many rows a table shows; 0 for all.")
    ] = 50,
    dead_letters: Annotated[
        Path | None,
        typer.Option("--dead-letters", metavar="FILE", help="Where rows that are no events go, "
                     "as JSON lines with row, kind, reason and raw."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 3 if any row became a dead letter.")
    ] = False,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="ATTRIBUTE", help="What carries the time of undeclared "
                     "streams; by default the first of ts, time, timestamp."),
    ] = None,
    stream: Annotated[
        str | None, typer.Option("--stream", metavar="NAME", help="The stream of rows that name "
                                 "none.")
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option("--clock", metavar="TIME", help="Advance the clock to this time at the end: "
                     "an ISO time or milliseconds."),
    ] = None,
    simultaneous: Annotated[
        Simultaneous,
        typer.Option("--simultaneous", help="Whether events with equal times follow one another."),
    ] = Simultaneous.ORDERED,
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE", help="A parameter table: CSV, Parquet or JSON "
                     "lines, one subscription for each row."),
    ] = None,
    events_format: Annotated[
        EventsFormat | None,
        typer.Option("--events-format", help="The format of the events; by default that of the "
                     "file's name or of its first bytes."),
    ] = None,
    padres: Annotated[
        bool,
        typer.Option("--padres", help="Subscriptions and events are PADRES messages, one a line."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
    ] = False,
) -> None:
    """Run subscriptions over events and show the notifications.

    \b
    tocsin run rules.tocsin --events events.jsonl
    tocsin run rules.tocsin -e events.jsonl --format jsonl --clock 2026-03-02T10:00:00Z
    tocsin run rules.tocsin -e events.jsonl -o alerts.parquet --dead-letters bad.jsonl
    """
    inputs = Inputs(
        subscriptions, tuple(events), table,
        events_format=None if events_format is None else events_format.value,
        padres=padres, quiet=quiet,
    )
    found, rows = inputs.match(
        time=time, stream=stream, clock=_clock(clock), simultaneous=simultaneous.value
    )
    write_notifications(found, format, output, limit=limit)
    if dead_letters is not None:
        _write_letters(found.dead_letters, dead_letters)
    if not quiet:
        _summarize(found, rows, told=dead_letters is not None)
    raise typer.Exit(DEAD_LETTERS if strict and found.dead_letters else FINE)


def _clock(text: str | None) -> str | int | None:
    """Return milliseconds as a number; `tocsin.match` reads the rest."""
    if text is not None and text.lstrip("-").isdigit():
        return int(text)
    return text


def _write_letters(letters: tuple[DeadLetter, ...], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for letter in letters:
            file.write(json.dumps(letter.to_dict(), ensure_ascii=False) + "\n")


def _summarize(found: Notifications, rows: EventRows, *, told: bool) -> None:
    letters = found.dead_letters
    said = [
        counted(rows.events(letters), "event"),
        counted(len(found), "notification"),
        counted(len(letters), "dead letter"),
    ]
    late = f" ({found.late} late)" if found.late else ""
    say(", ".join(said) + late)
    if letters and not told:
        for letter in letters[:_MOST_LETTERS]:
            say(f"  row {letter.row}: {letter.reason}", style="dim")
        say("  Write them all down with --dead-letters FILE.", style="dim")
