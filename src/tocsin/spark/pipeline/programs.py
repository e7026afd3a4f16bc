"""The subscriptions of a pipeline: several files as one program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tocsin.errors import ConfigurationError, LanguageError, UnsupportedError, describe_place
from tocsin.language.checker import check
from tocsin.language.parser import parse
from tocsin.language.supported import refuse_unsupported
from tocsin.language.tree import Program
from tocsin.model.read.text import read_text


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of subscriptions: what it is called in messages, and its text."""

    name: str
    text: str


def read_source_file(name: str, path: Path) -> SourceFile | str:
    """Return a file, or why it cannot be read."""
    try:
        return SourceFile(name, read_text(path))
    except ConfigurationError as error:
        return str(error)


def joined_program(
    files: Sequence[SourceFile], *, with_table: bool
) -> tuple[Program | None, list[str]]:
    """Return the program of several files; or what is wrong with it, each with its place.

    Definitions of one file hold in all of them.
    """
    try:
        for file in files:
            parse(file.text)  # apart, so that no file ends in the middle of another
    except LanguageError as error:
        return None, [_told(file.name, problem, problem.line) for problem in error.problems]
    whole = "\n".join(_ended(file.text) for file in files)
    try:
        program = parse(whole)
        check(program)
        refuse_unsupported(program, with_table=with_table)
    except LanguageError as error:
        return None, [_placed(files, problem) for problem in error.problems]
    except UnsupportedError as error:
        fix = "; add [subscriptions.table], which fills them"
        return None, [str(error).replace("; pass a table that fills them", fix)]
    return program, []


def _ended(text: str) -> str:
    """Return the text of a file with the `;` that may be left out at its end."""
    try:
        parse(f"{text}\n;")
    except LanguageError:
        return f"{text}\n"
    return f"{text}\n;"


def _placed(files: Sequence[SourceFile], problem: LanguageError) -> str:
    line = problem.line
    for file in files[:-1]:
        lines = len(_ended(file.text).split("\n"))
        if line <= lines:
            return _told(file.name, problem, line)
        line -= lines
    return _told(files[-1].name, problem, line)


def _told(name: str, problem: LanguageError, line: int) -> str:
    column = problem.column
    described = describe_place(problem.what, problem.source, line, column, problem.hint)
    short = described.replace(f" (line {line}, column {column})", "", 1)
    return f"{name}:{line}:{column}: {short}"
