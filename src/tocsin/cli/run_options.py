"""The options of `tocsin run`, one type each."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tocsin.cli.outputs import OutputFormat


class Simultaneous(enum.StrEnum):
    """Whether events with equal times follow one another."""

    ORDERED = "ordered"
    UNORDERED = "unordered"


class EngineName(enum.StrEnum):
    """What runs the subscriptions."""

    REFERENCE = "reference"
    COMPILED = "compiled"


class EventsFormat(enum.StrEnum):
    """The formats events are read in."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"


Subscriptions: TypeAlias = Annotated[
    Path, typer.Argument(metavar="SUBSCRIPTIONS", help="A program, such as rules.tocsin.")
]
Events: TypeAlias = Annotated[
    list[Path],
    typer.Option(
        "--events",
        "-e",
        metavar="FILE",
        help="Events: JSON lines, CSV, Parquet or Arrow; - is standard input, read to its end. "
        "Several files follow one another, and their rows are numbered through.",
    ),
]
Format: TypeAlias = Annotated[
    OutputFormat | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help="The form of the notifications: table, jsonl, csv or parquet; by default that of the "
        "output's name, else a table.",
    ),
]
Output: TypeAlias = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where the notifications go."),
]
Limit: TypeAlias = Annotated[
    int,
    typer.Option("--limit", min=0, metavar="N", help="How many rows a table shows; 0 for all."),
]
DeadLetters: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--dead-letters",
        metavar="FILE",
        help="Where rows that are no events go, as JSON lines with row, kind, reason and raw.",
    ),
]
Strict: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Refuse subscriptions whose state is unbounded or can explode; exit with 3 if any row "
        "became a dead letter.",
    ),
]
Time: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="ATTRIBUTE",
        help="What carries the time of undeclared streams; by default the first of ts, time, "
        "timestamp.",
    ),
]
Stream: TypeAlias = Annotated[
    str | None,
    typer.Option("--stream", metavar="NAME", help="The stream of rows that name none."),
]
Clock: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--clock",
        metavar="TIME",
        help="Advance the clock to this time at the end: an ISO time or milliseconds.",
    ),
]
EngineChoice: TypeAlias = Annotated[
    EngineName,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="compiled, or reference: the same answers, slowly, from what defines them.",
    ),
]
Why: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--why",
        metavar="NAME",
        help="At the end, tell why this subscription did or did not match: what became of the "
        "last events, what its partial matches wait for, and how the others ended.",
    ),
]
Simultaneity: TypeAlias = Annotated[
    Simultaneous,
    typer.Option(
        "--simultaneous",
        metavar="ORDER",
        help="ordered or unordered: whether events with equal times follow one another.",
    ),
]
ParameterTable: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="A parameter table: CSV, Parquet, Arrow or JSON lines, one subscription for each row.",
    ),
]
Reading: TypeAlias = Annotated[
    EventsFormat | None,
    typer.Option(
        "--events-format",
        metavar="FORMAT",
        help="The format of the events: jsonl, csv, parquet or arrow; by default that of the "
        "file's name or of its first bytes.",
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="What separates the cells of CSV files, as in ';' or tab; by default a comma.",
    ),
]
Typed: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--typed/--no-typed",
        help="Whether each emitted field and variable gets a Parquet column of its own type; by "
        "default where all notifications are of one subscription.",
    ),
]
Padres: TypeAlias = Annotated[
    bool,
    typer.Option("--padres", help="Subscriptions and events are PADRES messages, one a line."),
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
]
