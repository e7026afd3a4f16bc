"""`tocsin test`: scenario files, and how what came differs from what they expect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Final

import typer

from tocsin.cli.compiling import told_of_compiling
from tocsin.cli.consoles import complain, say, write
from tocsin.cli.exits import FINE, NOT_RIGHT, WRONG_USAGE
from tocsin.errors import ConfigurationError
from tocsin.model.counting import counted
from tocsin.testing import ScenarioError, ScenarioResult, read_scenario, run_case
from tocsin.testing.scenario_file import SUFFIX

EXAMPLES: Final = (
    "tocsin test rules.scenario.toml",
    "tocsin test --quiet",
)
_NOT_SEARCHED: Final = frozenset({"venv", "site-packages", "node_modules", "build", "dist"})


def run_scenarios(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help=f"Scenario files, or directories to search for *{SUFFIX}; by default this one.",
        ),
    ] = None,
    *,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show only what failed, and the summary.")
    ] = False,
) -> None:
    """Run scenarios: events at their times, and the notifications to expect."""
    passed, failed, refused, files = 0, 0, 0, 0
    for path in _scenarios(paths or [Path()]):
        files += 1
        try:
            with nullcontext() if quiet else told_of_compiling():
                for result in _results(path):
                    passed, failed = passed + result.passed, failed + (not result.passed)
                    _show(result, quiet=quiet)
        except ScenarioError as error:
            complain(str(error))
            refused += 1
    said = f"{counted(passed, 'case')} passed, {failed} failed in {counted(files, 'file')}"
    say(f"{said}; {refused} cannot be read" if refused else said)
    raise typer.Exit(WRONG_USAGE if refused else NOT_RIGHT if failed else FINE)


def _scenarios(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
            continue
        if not path.is_dir():
            msg = f"there is no file or directory {path}"
            raise ConfigurationError(msg)
        found = sorted(one for one in path.rglob(f"*{SUFFIX}") if _is_own(one.relative_to(path)))
        if not found:
            msg = f"there is no scenario in {path}; their names end in {SUFFIX}"
            raise ConfigurationError(msg)
        yield from found


def _is_own(path: Path) -> bool:
    """Say whether a file belongs to whoever searches, not to what is installed below."""
    return not any(part.startswith(".") or part in _NOT_SEARCHED for part in path.parts[:-1])


def _results(path: Path) -> Iterator[ScenarioResult]:
    for case in read_scenario(path).cases:
        yield run_case(path, case)


def _show(result: ScenarioResult, *, quiet: bool) -> None:
    if result.passed and quiet:
        return
    write(str(result), style="green" if result.passed else "red")
