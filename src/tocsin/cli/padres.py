"""PADRES messages: atomic subscriptions and publications, one a line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Annotated, TypeAlias

import typer

from tocsin.cli.programs import Source
from tocsin.errors import ConfigurationError, LanguageError
from tocsin.language.padres import publication_from_padres, subscription_from_padres
from tocsin.language.parser import parse
from tocsin.language.tree import Program
from tocsin.model.dead_letter import DeadLetter
from tocsin.model.read import Progress, Row
from tocsin.model.read.source import guarded, open_source, reported

Padres: TypeAlias = Annotated[
    bool, typer.Option("--padres", help="The files hold PADRES subscriptions, one a line.")
]


def parse_source(source: Source, *, padres: bool) -> Program:
    """Return the program of a source: one of the language, or PADRES subscriptions."""
    return padres_program(source.text) if padres else parse(source.text)


def padres_program(text: str) -> Program:
    r"""Return the subscriptions of a text, one a line, named by their lines: s1, s2 and so on.

    Blank lines and lines that begin with `#` are left out.

    Raises
    ------
    LanguageError
        A line is no PADRES subscription; all such lines are in it.
    ConfigurationError
        There is none.

    Examples
    --------
    >>> text = "# all jobs\n[class,=,job-status]"
    >>> [subscription.name for subscription in padres_program(text).subscriptions]
    ['s2']
    """
    found, problems = [], []
    for number, line in _lines(text):
        try:
            found.append(subscription_from_padres(line, name=f"s{number}"))
        except LanguageError as error:
            problems.append(
                LanguageError(error.what, error.source, number, error.column, error.hint)
            )
    if problems:
        first, *others = problems
        place = first.source, first.line, first.column
        raise LanguageError(first.what, *place, first.hint, tuple(others))
    if not found:
        msg = "there is no subscription; write one a line, as in [class,=,job-status]"
        raise ConfigurationError(msg)
    return Program(tuple(found))


def padres_events(path: str | os.PathLike[str], progress: Progress | None = None) -> Iterator[Row]:
    """Return the publications of a file as rows; a line that is none is a dead letter."""
    name = os.fspath(path)
    with open_source(name) as source:
        rows = guarded(name, _publications(source.stream))
        yield from reported(rows, progress, source.done, source.total)


def _publications(stream: IO[bytes]) -> Iterator[Row]:
    row = 0
    for number, raw in enumerate(stream, start=1):
        line = raw.decode("utf-8", "backslashreplace").strip()
        if line and not line.startswith("#"):
            yield row, _publication(row, number, line)
            row += 1


def _publication(row: int, number: int, line: str) -> dict[str, object] | DeadLetter:
    try:
        return dict(publication_from_padres(line))
    except LanguageError as error:
        reason = f"line {number}: {error.what} (column {error.column})"
        return DeadLetter(row, reason, line, "not_an_object")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line
