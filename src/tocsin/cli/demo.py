"""`tocsin demo`: one subscription, a log of logins, and what comes out."""

from __future__ import annotations

import enum
import os
import shutil
import sys
import textwrap
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from tocsin.api import match
from tocsin.cli.consoles import output
from tocsin.cli.demo_pipeline import demo_pipeline
from tocsin.cli.outputs import check_writable, show_table
from tocsin.model.counting import counted
from tocsin.model.read import read_events

EXAMPLES: Final = ("tocsin demo", "tocsin demo --report report.html")
_REPORT: Final = Path("report.html")
_NEXT: Final = (
    ("new my-project", "begin a project: rules, events, tests, a script"),
    ("explain my-project/rules.tocsin", "what its rules mean, step by step"),
    ("test my-project", "whether they do what they should"),
    ("--help", "everything else"),
)
_READING: Final = "Each row is a match: which event played which part, and its values."
_REPEATED: Final = (
    "One attack appears several times, because every combination of refused logins counts; "
    "DUPLICATES FIRST or LAST keeps one."
)


class DemoEngine(enum.StrEnum):
    """What runs the demo."""

    EMBEDDED = "embedded"
    SPARK = "spark"


def demo(
    *,
    engine: Annotated[
        DemoEngine,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help="embedded, or spark: the same as a pipeline on Spark, as a batch and as a stream.",
        ),
    ] = DemoEngine.EMBEDDED,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Run five subscriptions over a day of logins and write a page about it here.",
        ),
    ] = None,
) -> None:
    """Show tocsin at work: an intrusion in a log of logins."""
    if engine is DemoEngine.EMBEDDED and report is None:
        _show_intrusion()
        return
    page = report or _REPORT
    page.absolute().parent.mkdir(parents=True, exist_ok=True)
    check_writable(page)
    demo_pipeline(on_spark=engine is DemoEngine.SPARK, report=page)


def _show_intrusion() -> None:
    data = resources.files("tocsin.cli").joinpath("demo_data")
    text = data.joinpath("intrusion.tocsin").read_text(encoding="utf-8")
    with resources.as_file(data.joinpath("logins.jsonl")) as path:
        rows = [row for _, row in read_events(path)]
    found = match(rows, text)
    console = output()
    _title(console, "The subscription")
    code = Syntax(textwrap.indent(text.strip(), "  "), "sql", theme="ansi_dark")
    console.print(code.highlight(code.code), soft_wrap=True)
    _title(console, "What it found")
    shown = f"{counted(len(rows), 'event')}, {counted(len(found), 'notification')}."
    for sentence in (f"{shown} {_READING}", _REPEATED):
        console.print(Padding(sentence, (0, 0, 0, 2), expand=False))
    console.print()
    show_table(found, limit=0)
    _title(console, "What to try next")
    width = max(len(command) for command, _ in _NEXT) + 3
    for command, what in _NEXT:
        shown = f"{_program()} {command:<{width}}"
        console.print(Text.assemble("  ", (shown, "cyan"), what), soft_wrap=True)


def _program() -> str:
    """Return how this program is called: by its path where the shell would not find it."""
    called = Path(sys.argv[0])
    if called.name != "tocsin" or shutil.which("tocsin"):
        return "tocsin"
    return os.path.relpath(called)


def _title(console: Console, text: str) -> None:
    console.print(Text(f"\n{text}\n", style="bold"))
