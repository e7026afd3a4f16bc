"""`tocsin check`: everything that is wrong with a program, and what to do about it."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from tocsin.cli.check_costs import all_warnings
from tocsin.cli.consoles import output, say
from tocsin.cli.exits import FINE, NOT_RIGHT
from tocsin.cli.padres import Padres, parse_source
from tocsin.cli.programs import Placed, Source, read_source, report_problems
from tocsin.errors import LanguageError
from tocsin.language import checker
from tocsin.model.counting import counted

EXAMPLES: Final = (
    "tocsin check rules.tocsin",
    "tocsin check --strict --format json rules.tocsin",
)


class ReportFormat(enum.StrEnum):
    """How problems are shown."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one program."""

    name: str
    subscriptions: int
    errors: tuple[Placed, ...]
    warnings: tuple[Placed, ...]


def check(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Programs; - reads one from standard input."),
    ],
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="A warning is a failure, like an error.")
    ] = False,
    padres: Padres = False,
    format: Annotated[  # noqa: A002 - the name of the option
        ReportFormat,
        typer.Option("--format", metavar="FORMAT", help="How problems are shown: text or json."),
    ] = ReportFormat.TEXT,
) -> None:
    """Look for mistakes in programs: where they are and what to write instead."""
    reports = [check_source(read_source(path), padres=padres) for path in files]
    if format is ReportFormat.JSON:
        problems = [problem for report in reports for problem in _as_dicts(report)]
        output().print(json.dumps(problems, indent=2, ensure_ascii=False), soft_wrap=True)
    else:
        for report in reports:
            _show(report)
    errors = sum(len(report.errors) for report in reports)
    warnings = sum(len(report.warnings) for report in reports)
    said = f"{counted(len(reports), 'file')} checked"
    say(f"{said}: {counted(errors, 'error')}, {counted(warnings, 'warning')}")
    raise typer.Exit(NOT_RIGHT if errors or (strict and warnings) else FINE)


def check_source(source: Source, *, padres: bool = False) -> Report:
    """Parse and check one program."""
    try:
        program = parse_source(source, padres=padres)
        checked = checker.check(program)
    except LanguageError as error:
        return Report(source.name, 0, error.problems, ())
    return Report(source.name, len(program.subscriptions), (), all_warnings(checked))


def _show(report: Report) -> None:
    report_problems(report.name, report.errors)
    report_problems(report.name, report.warnings, title="warning")
    if not report.errors:
        said = counted(len(report.warnings), "warning") if report.warnings else "fine"
        output().print(
            f"{report.name}: {counted(report.subscriptions, 'subscription')}, {said}",
            soft_wrap=True,
        )


def _as_dicts(report: Report) -> Iterable[dict[str, object]]:
    for severity, problems in (("error", report.errors), ("warning", report.warnings)):
        for problem in problems:
            yield {
                "file": report.name,
                "severity": severity,
                "line": problem.line,
                "column": problem.column,
                "message": problem.what,
                "hint": problem.hint,
                "source": problem.source,
            }
