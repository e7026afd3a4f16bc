"""`tocsin fmt`: programs in their standard form."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Final

import typer

from tocsin.cli.consoles import output, say
from tocsin.cli.exits import FINE, NOT_RIGHT
from tocsin.cli.outputs import write_text
from tocsin.cli.programs import STDIN, Source, read_source, report_problems
from tocsin.errors import LanguageError
from tocsin.language.printer import format_text
from tocsin.model.counting import counted

EXAMPLES: Final = (
    "tocsin fmt rules.tocsin",
    "tocsin fmt --check --diff rules.tocsin",
    "tocsin fmt - < rules.tocsin",
)


def fmt(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Programs; - reads one from standard input."),
    ],
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 1 if a file would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Change nothing; show what would change.")
    ] = False,
) -> None:
    """Put programs into their standard form, in place; comments stay."""
    refused, changed = 0, 0
    for path in files:
        source = read_source(path)
        try:
            formatted = format_text(source.text)
        except LanguageError as error:
            report_problems(source.name, error.problems)
            refused += 1
            continue
        changed += _treat(path, source, formatted, check=check, diff=diff)
    if check or diff or changed or refused:
        say(_summary(len(files), changed, refused, would=check or diff))
    raise typer.Exit(NOT_RIGHT if refused or (check and changed) else FINE)


def _treat(path: Path, source: Source, formatted: str, *, check: bool, diff: bool) -> bool:
    """Write, show or only compare; return whether the text changes."""
    changes = source.text != formatted
    if diff and changes:
        _show_difference(source, formatted)
    elif check and changes:
        say(f"{source.name} would change")
    if check or diff:
        return changes
    if path == STDIN:
        typer.echo(formatted, nl=False)
        return False
    if changes:
        write_text(formatted, path)
    return changes


def _show_difference(source: Source, formatted: str) -> None:
    lines = difflib.unified_diff(
        source.text.splitlines(),
        formatted.splitlines(),
        fromfile=source.name,
        tofile=f"{source.name} (formatted)",
        lineterm="",
    )
    styles = {"+": "green", "-": "red", "@": "cyan"}
    console = output()
    for line in lines:
        console.print(line, style=styles.get(line[:1], ""), soft_wrap=True)


def _summary(files: int, changed: int, refused: int, *, would: bool) -> str:
    verb = "would change" if would else "changed"
    kept = files - changed - refused
    said = f"{counted(changed, 'file')} {verb}, {kept} as {'it is' if kept == 1 else 'they are'}"
    return f"{said}, {refused} cannot be read" if refused else said
