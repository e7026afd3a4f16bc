"""What `tocsin run` reads, and the run itself with its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tocsin.api import match, processed
from tocsin.cli.check_costs import refuse_costly
from tocsin.cli.compiling import told_of_compiling
from tocsin.cli.consoles import messages, say
from tocsin.cli.notes import Watch, refuse_unread_stream
from tocsin.cli.padres import padres_events, parse_source
from tocsin.cli.programs import read_source, reported
from tocsin.errors import ConfigurationError
from tocsin.language.tree import Program
from tocsin.model.controls import COMMANDS
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.notification import Notifications
from tocsin.model.read import Progress as Report
from tocsin.model.read import Row, may_subscribe, read_events
from tocsin.model.read.formats import sniff_format
from tocsin.testing.scenario_inputs import AnyRow, cell_types, joined
from tocsin.testing.scenario_tables import TableRow, naming_rows, read_table_for

if TYPE_CHECKING:
    from tocsin.engine.trace import Trace

_MANY_ROWS: Final = 1_000


@dataclass
class EventRows:
    """Passes rows on, counts them and looks at them."""

    rows: Iterable[AnyRow]
    watch: Watch
    slow: Callable[[], None] | None = None
    """Called once, when there are more rows than the engine is made for."""
    may_subscribe: bool = True
    """Whether a row may be a subscription."""
    count: int = 0
    commands: set[int] = field(default_factory=set)

    def __iter__(self) -> Iterator[AnyRow]:
        for row in self.rows:
            if not isinstance(row, DeadLetter):
                self.watch.look(row)
                if any(name in row for name in COMMANDS):
                    self.commands.add(self.count)
            self.count += 1
            if self.count == _MANY_ROWS + 1 and self.slow is not None:
                self.slow()
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
    delimiter: str | None
    padres: bool
    quiet: bool
    strict: bool = False

    def match(
        self, *, stream: str | None, why: str | None = None, **options: Any
    ) -> tuple[Notifications, EventRows, Trace | None]:
        """Read everything and run it; a bar shows how far it is where somebody watches.

        The third thing returned tells why a subscription did or did not match, if `why` names one.
        """
        source = read_source(self.subscriptions)
        self.refuse_idle_delimiter()
        telling = nullcontext() if self.quiet else told_of_compiling()
        with reported(source), telling, _progress(shown=not self.quiet) as report:
            program = parse_source(source, padres=self.padres)
            if self.strict:
                refuse_costly(source, program)
            refuse_unread_stream(program, stream)
            table = self._table(program)
            files = (self._rows(path, program, stream, report) for path in self.events)
            # A publication of PADRES brings no time, so there is nothing to say about it.
            watch = Watch(program, stream, options.get("time"), has_clock=self.padres)
            is_fast = self.quiet or report is not None or options.get("engine") == "compiled"
            slow = None if is_fast else _say_slow
            may_bring = self.padres or any(map(may_subscribe, self.events))
            rows = EventRows(joined(files), watch, slow, may_bring)
            with naming_rows(program, table, f"the table {self.table}"):
                if why is not None:
                    found, trace = _traced(
                        rows, program, why, table=table, stream=stream, **options
                    )
                    return found, rows, trace
                found = match(rows, program, table=table, stream=stream, **options)
        return found, rows, None

    def _table(self, program: Program) -> list[TableRow] | None:
        if self.table is None:
            return None
        return read_table_for(program, self.table, delimiter=self._delimiter(self.table, None))

    def _delimiter(self, path: Path, form: str | None) -> str | None:
        """Return what separates cells in a file, where that was said and the file is CSV."""
        if self.delimiter is None or (form or sniff_format(path)) != "csv":
            return None
        return self.delimiter

    def refuse_idle_delimiter(self) -> None:
        """Refuse a delimiter where no file is CSV.

        Raises
        ------
        ConfigurationError
            No file is CSV.
        """
        files = [(path, self.events_format) for path in self.events]
        files += [] if self.table is None else [(self.table, None)]
        if self.delimiter is not None and not any(self._delimiter(*file) for file in files):
            msg = "--delimiter is for CSV, and no file is CSV; if one is, say --events-format csv"
            raise ConfigurationError(msg)

    def _rows(
        self, path: Path, program: Program, stream: str | None, report: Report | None
    ) -> Iterator[Row]:
        if self.padres:
            return padres_events(path, report)
        schema = cell_types(program, stream)
        return read_events(
            path,
            format=self.events_format,
            schema=schema,
            delimiter=self._delimiter(path, self.events_format),
            progress=report,
        )


def _traced(
    rows: EventRows, program: Program, why: str, *, clock: object, engine: str, **options: Any
) -> tuple[Notifications, Trace]:
    """Run the compiled engine and ask it about a subscription at the end."""
    if engine != "compiled":
        msg = "--why asks the compiled engine; leave --engine reference out"
        raise ConfigurationError(msg)
    from tocsin.engine import Engine  # noqa: PLC0415 - loads the engine

    live = Engine(program, history=rows.may_subscribe, **options)
    live.follow(why)  # a name that is wrong is told before anything runs
    found = processed(live, rows, clock)
    return found, live.trace(why)


def _say_slow() -> None:
    made_for = "the reference engine is made for hundreds of events and may take minutes"
    say(f"more than {_MANY_ROWS:,} rows: {made_for}; --engine compiled is made for more")


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
