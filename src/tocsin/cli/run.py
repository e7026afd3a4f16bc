"""`tocsin run`: subscriptions over events, notifications out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import typer

from tocsin.cli import run_options as options
from tocsin.cli.consoles import say, say_note, visible
from tocsin.cli.exits import DEAD_LETTERS, FINE
from tocsin.cli.inputs import EventRows, Inputs
from tocsin.cli.outputs import check_writable, write_notifications, write_text
from tocsin.model.counting import counted
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notifications

EXAMPLES: Final = (
    "tocsin run rules.tocsin --events events.jsonl",
    "tocsin run rules.tocsin -e events.jsonl -f jsonl --clock 2026-03-03T00:00Z",
    "tocsin run rules.tocsin -e events.jsonl -o a.parquet --dead-letters d.jsonl",
)

_MOST_LETTERS = 3
_MOST_PARTIALS = 10


def run(  # noqa: PLR0913 - every option is a parameter
    subscriptions: options.Subscriptions,
    *,
    events: options.Events,
    format: options.Format = None,  # noqa: A002 - the name of the option
    output: options.Output = None,
    limit: options.Limit = 50,
    dead_letters: options.DeadLetters = None,
    strict: options.Strict = False,
    time: options.Time = None,
    stream: options.Stream = None,
    clock: options.Clock = None,
    simultaneous: options.Simultaneity = options.Simultaneous.ORDERED,
    engine: options.EngineChoice = options.EngineName.COMPILED,
    why: options.Why = None,
    table: options.ParameterTable = None,
    events_format: options.Reading = None,
    delimiter: options.Delimiter = None,
    typed: options.Typed = None,
    padres: options.Padres = False,
    quiet: options.Quiet = False,
) -> None:
    """Run subscriptions over events and show the notifications."""
    check_writable(output, dead_letters)
    inputs = Inputs(
        subscriptions,
        tuple(events),
        table,
        events_format=None if events_format is None else events_format.value,
        delimiter="\t" if delimiter in ("tab", "\\t") else delimiter,
        padres=padres,
        quiet=quiet,
        strict=strict,
    )
    found, rows, trace = inputs.match(
        why=why,
        time=time,
        stream=stream,
        clock=_clock(clock),
        simultaneous=simultaneous.value,
        engine=engine.value,
    )
    write_notifications(found, format, output, limit=limit, typed=typed)
    if dead_letters is not None:
        _write_letters(found.dead_letters, dead_letters)
    if not quiet:
        _summarize(found, rows, told=dead_letters is not None)
    if trace is not None:
        for line in str(trace.shortened(_MOST_PARTIALS)).splitlines():
            say(visible(line))
    raise typer.Exit(DEAD_LETTERS if strict and found.dead_letters else FINE)


def _clock(text: str | None) -> str | int | None:
    """Return milliseconds as a number; `tocsin.match` reads the rest."""
    if text is not None and re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    return text


def _write_letters(letters: tuple[DeadLetter, ...], path: Path) -> None:
    lines = (json.dumps(letter.to_dict(), ensure_ascii=False) + "\n" for letter in letters)
    write_text("".join(lines), path)


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
    for note in rows.watch.notes():
        say_note(note)
