"""Reading programs for commands: text, name and problems kept together."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import typer

from tocsin.cli.consoles import complain
from tocsin.cli.exits import NOT_RIGHT
from tocsin.errors import LanguageError, describe_place
from tocsin.language.checker import LanguageWarning
from tocsin.model.read.text import read_text

STDIN: Final = Path("-")

Placed: TypeAlias = LanguageError | LanguageWarning
"""A problem of a program, with its place."""


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a program and where it came from."""

    name: str
    text: str


def read_source(path: Path) -> Source:
    """Read a program from a file, or from standard input for `-`.

    Raises
    ------
    ConfigurationError
        The file cannot be read.
    """
    if path == STDIN:
        return Source("<stdin>", sys.stdin.read())
    inside = f"name the files in it, as in {path}/*.tocsin"
    return Source(str(path), read_text(path, if_directory=inside))


def report_problems(name: str, problems: Iterable[Placed], *, title: str = "error") -> None:
    """Write problems with file, line, column, the line itself, a caret and a hint."""
    for problem in problems:
        place = f"{name}:{problem.line}:{problem.column}"
        described = describe_place(
            problem.what, problem.source, problem.line, problem.column, problem.hint
        )
        short = described.replace(f" (line {problem.line}, column {problem.column})", "", 1)
        complain(f"{short}\n", title=f"{place}: {title}")


@contextmanager
def reported(source: Source) -> Iterator[None]:
    """End the command with the problems of a program, where it turns out to be wrong."""
    try:
        yield
    except LanguageError as error:
        report_problems(source.name, error.problems)
        raise typer.Exit(NOT_RIGHT) from None
