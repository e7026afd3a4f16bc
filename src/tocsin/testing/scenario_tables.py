"""Parameter tables from files: cells read as the program needs them, errors that name the row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language.checker import check
from tocsin.language.template import fill, parameters_of
from tocsin.language.tokens import place_of
from tocsin.language.tree import Parameter, Program, Subscription
from tocsin.language.variables import walk
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.event import Schema
from tocsin.model.read import read_events
from tocsin.model.values import Kind

TableRow: TypeAlias = Mapping[str, object]


def read_table(
    path: Path, *, texts: Collection[str] = (), delimiter: str | None = None
) -> list[TableRow]:
    """Read a parameter table from a CSV, JSONL, Parquet or Arrow file.

    Parameters
    ----------
    texts
        The columns of a CSV file whose cells are text, even where they look like numbers.
    delimiter
        What separates the cells of a CSV file.

    Raises
    ------
    ConfigurationError
        The file or one of its rows cannot be read, or it has no rows.
    """
    rows = []
    schema = Schema(dict.fromkeys(texts, Kind.STRING))
    for number, row in read_events(path, schema=schema, delimiter=delimiter):
        if isinstance(row, DeadLetter):
            msg = f"row {number + 1} of the table {path} cannot be read: {row.reason}"
            raise ConfigurationError(msg)
        rows.append(row)
    refuse_empty(rows, f"the table {path}")
    return rows


def refuse_empty(rows: Sequence[TableRow], name: str) -> None:
    """Refuse a table without rows, since no subscription would come of it.

    Raises
    ------
    ConfigurationError
        There is no row.
    """
    if not rows:
        msg = f"{name} has no rows, so there is nothing to run; give it one for each subscription"
        raise ConfigurationError(msg)


def read_table_for(program: Program, path: Path, *, delimiter: str | None = None) -> list[TableRow]:
    """Read a parameter table; a column that only fits a program as text is read as text.

    The cells of a CSV file do not say whether 80331 is a number or the code of a town.

    Raises
    ------
    ConfigurationError
        As for `read_table`.
    """
    rows = read_table(path, delimiter=delimiter)
    texts: tuple[str, ...] = ()
    for name in parameters_of(program):
        problems = _count_problems(program, rows)
        if problems == 0:
            break
        trial = read_table(path, texts=(*texts, name), delimiter=delimiter)
        if _count_problems(program, trial) < problems:
            rows, texts = trial, (*texts, name)
    return rows


def _count_problems(program: Program, rows: Sequence[TableRow]) -> float:
    """Count what is wrong with a program that rows have filled, one of each kind of cell."""
    found = 0.0
    for row in _sample(rows, parameters_of(program)):
        try:
            found += len(_problems(program, row))
        except ConfigurationError:
            return float("inf")  # a value does not fit at all
    return found


def _sample(rows: Sequence[TableRow], names: Iterable[str]) -> Iterator[TableRow]:
    chosen: dict[tuple[str, type], int] = {}
    for name in names:
        for place, row in enumerate(rows):
            chosen.setdefault((name, type(row.get(name))), place)
    return (rows[place] for place in sorted(set(chosen.values())))


def _problems(program: Program, row: TableRow) -> tuple[LanguageError, ...]:
    """Return what is wrong with a program that one row has filled, at places of the template."""
    others = tuple(one for one in program.statements if not isinstance(one, Subscription))
    filled = Program((*others, *fill(program, [row])), source=program.source)
    try:
        check(filled)
    except LanguageError as error:
        return error.problems
    return ()


@contextmanager
def naming_rows(program: Program, rows: Sequence[TableRow] | None, name: str) -> Iterator[None]:
    """Let an error of a program that a table has filled name the row and the parameter.

    Parameters
    ----------
    name
        What to call the table.

    Raises
    ------
    ConfigurationError
        A row does not fit the program.
    """
    if rows is None:
        yield
        return
    check(program)  # what is wrong with any row is told as it stands in the text
    try:
        yield
    except LanguageError as error:
        raise _misfit(program, rows, name) or error from error


def _misfit(program: Program, rows: Sequence[TableRow], name: str) -> ConfigurationError | None:
    for number, row in enumerate(rows, start=1):
        problems = _problems(program, row)
        if problems:
            first = problems[0]
            parameter = _parameter_at(program, first, row)
            given = _shown(row.get(parameter))
            place = f"row {number} of {name}, {{{parameter}}} = {given}"
            return ConfigurationError(f"{place}: {first.what} (line {first.line} of the program)")
    return None


def _parameter_at(program: Program, problem: LanguageError, row: TableRow) -> str:
    """Return the parameter that a problem is about: its value is told, or it stands nearest."""

    def distance(parameter: Parameter) -> tuple[bool, int, int]:
        line, column, _ = place_of(program.source, parameter.at)
        is_told = _shown(row.get(parameter.name)) in problem.what
        return not is_told, abs(line - problem.line), abs(column - problem.column)

    found = [one for one in walk(program.statements) if isinstance(one, Parameter)]
    return min(found, key=distance).name


def _shown(value: object) -> str:
    """Return a value as it stands in a program."""
    if isinstance(value, str):
        return f"'{value}'"
    return str(value).upper() if isinstance(value, bool) else str(value)
