"""What all benchmarks share: options, a bar that moves, and where the figures go."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from tocsin.cli.consoles import messages, output, say
from tocsin.cli.outputs import check_writable, write_text
from tocsin.errors import ConfigurationError
from tocsin.language.suggest import did_you_mean

if TYPE_CHECKING:
    from tocsin.bench.report import Report, Section
    from tocsin.bench.steps import Steps

_WORDS: Final = ("case", "template", "variant", "distribution", "method", "order", "switched")
"""Columns of words; all others hold numbers and stand to the right."""

_WIDE: Final = 200

Runs = Annotated[int, typer.Option("--runs", min=1, metavar="N", help="How many runs count.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Also write the figures here.")
]
PlotFile = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Also draw the figures here, as in cayuga.svg."),
]


@dataclass(frozen=True, slots=True)
class Files:
    """Where figures go beside the screen."""

    json_file: JsonFile = None
    plot_file: PlotFile = None


class ProgressSteps:
    """Shows the steps of a benchmark as a bar."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._name = name
        self._task = progress.add_task(name, total=0)
        self._total = self._begun = 0

    def expect(self, total: int) -> None:
        """Say how many more steps there will be."""
        self._total += total
        self._progress.update(self._task, total=self._total)

    def begin(self, name: str) -> None:
        """Say that a step begins; the one before it is done."""
        self._progress.update(
            self._task, completed=self._begun, description=f"{self._name}: {name}"
        )
        self._begun += 1


def known_name(what: str, name: str, known: Sequence[str]) -> str:
    """Return a name if it is known.

    Raises
    ------
    ConfigurationError
        It is not; the message has the nearest one, or all of them.

    Examples
    --------
    >>> known_name("peer", "flink", ["flink"])
    'flink'
    """
    if name not in known:
        hint = did_you_mean(name, known) or f"There are: {', '.join(known)}."
        msg = f"there is no {what} '{name}'. {hint}"
        raise ConfigurationError(msg)
    return name


def run_benchmark(name: str, measure: Callable[[Steps], Report], files: Files) -> None:
    """Measure, show the tables, and write what was asked for; what cannot be is refused first.

    Raises
    ------
    ConfigurationError
        A file cannot be written, or matplotlib is missing.
    """
    check_writable(files.json_file, files.plot_file)
    if files.plot_file is not None:
        from tocsin.bench.plots import check_can_draw  # noqa: PLC0415 - loads matplotlib

        check_can_draw(files.plot_file)
    bar = (SpinnerColumn(), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*bar, console=messages(), transient=True) as progress:
        report = measure(ProgressSteps(progress, name))
    _finish(report, files)


def _finish(report: Report, files: Files) -> None:
    for section in report.sections:
        _show(section)
    for note in report.notes:
        say(note)
    figures: dict[str, Any] = report.to_dict()
    say(", ".join(f"{name} {value}" for name, value in figures["machine"].items()))
    if files.json_file is not None:
        write_text(json.dumps(figures, indent=2) + "\n", files.json_file)
    if files.plot_file is not None:
        from tocsin.bench.plots import draw  # noqa: PLC0415 - loads matplotlib

        draw(report, files.plot_file)


def _show(section: Section) -> None:
    names, rows = section.shown()
    table = Table(title=section.title, title_justify="left")
    for name in names:
        table.add_column(name, justify="left" if name in _WORDS else "right")
    for row in rows:
        table.add_row(*row)
    console = output()
    if not console.is_terminal:
        console.width = _WIDE  # a file has no edge at which to wrap
    console.print(table)
