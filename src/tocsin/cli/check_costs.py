"""Costs among the problems of a program: warnings, and a reason to refuse it."""

from __future__ import annotations

import typer

from tocsin.cli.exits import NOT_RIGHT
from tocsin.cli.programs import Source, report_problems
from tocsin.language.checker import Checked, LanguageWarning, check
from tocsin.language.checker.problems import MAX_PROBLEMS
from tocsin.language.tree import Program
from tocsin.plan.cost import cost_warnings


def all_warnings(checked: Checked) -> tuple[LanguageWarning, ...]:
    """Return the checker's warnings and those of costs, in the order of the text.

    What the checker has warned of at a place is not said again in other words.
    """
    told = {(warning.line, warning.column) for warning in checked.warnings}
    costs = (one for one in cost_warnings(checked) if (one.line, one.column) not in told)
    found = sorted((*checked.warnings, *costs), key=lambda one: (one.line, one.column))
    return tuple(found[:MAX_PROBLEMS])


def refuse_costly(source: Source, program: Program) -> None:
    """End the command where the state of a subscription is unbounded or can explode.

    Raises
    ------
    Exit
        There is such a subscription; what it is has been told.
    """
    costs = cost_warnings(check(program))
    if costs:
        report_problems(source.name, costs)
        raise typer.Exit(NOT_RIGHT)
