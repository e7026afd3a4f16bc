"""What `tocsin run` reads, and the run itself with its progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tocsin.api import match
from tocsin.cli.consoles import messages
from tocsin.cli.padres import padres_events, padres_program
from tocsin.cli.programs import read_source, reported
from tocsin.language.parser import parse
from tocsin.language.tree import Program
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notifications
from tocsin.model.read import Progress as Report
from tocsin.model.read import Row, read_events
from tocsin.testing.scenario_inputs import AnyRow, cell_types, joined, read_table

_COMMANDS: Final = ("$clock", "$subscribe", "$unsubscribe")


@dataclass
class EventRows:
    """Passes rows on and counts them."""

    rows: Iterable[AnyRow]
    count: int = 0
    commands: set[int] = field(default_factory=set)

    def __iter__(self) -> Iterator[AnyRow]:
        for row in self.rows:
            if not isinstance(row, DeadLetter) and any(name in row for name in _COMMANDS):
                self.commands.add(self.count)
            self.count += 1
            yield row

    def events(self, letters: Iterable[DeadLetter]) -> int:
        """Return how many rows were events."""
        return self.count - len(self.commands | {letter.row for letter in letters})


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files of a run."""

    subscriptions: Path
    events: tuple[Path, ...]
    table: Path | None
    events_format: Any
    padres: bool
    quiet: bool

    def match(self, *, stream: str | None, **options: Any) -> tuple[Notifications, EventRows]:
        """Read everything and run it; a bar shows how far it is where somebody watches."""
        source = read_source(self.subscriptions)
        table = None if self.table is None else read_table(self.table)
        with reported(source), _progress(shown=not self.quiet) as report:
            program = padres_program(source.text) if self.padres else parse(source.text)
            files = (self._rows(path, program, stream, report) for path in self.events)
            rows = EventRows(joined(files))
            found = match(rows, program, table=table, stream=stream, **options)
        return found, rows

    def _rows(
        self, path: Path, program: Program, stream: str | None, report: Report | None
    ) -> Iterator[Row]:
        if self.padres:
            return padres_events(path, report)
        schema = cell_types(program, stream)
        return read_events(path, format=self.events_format, schema=schema, progress=report)


@contextmanager
def _progress(*, shown: bool) -> Iterator[Report | None]:
    """Give something to report to, where standard error is a terminal."""
    console = messages()
    if not shown or not console.is_terminal or console.is_dumb_terminal:
        yield None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def report(done: int, total: int | None) -> None:
            description = "matching" if total is not None and done >= total else "reading"
            bar.update(task, description=description, completed=done, total=total)

        yield report
