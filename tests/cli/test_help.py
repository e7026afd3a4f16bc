"""The examples in help texts run, in a project that `tocsin new` wrote."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tocsin.cli import backtest, bench, check, demo, exits, explain, fmt, new, run, test

MODULES = (backtest, bench, check, demo, explain, fmt, new, run, test)
EXAMPLES = [example for module in MODULES for example in module.EXAMPLES]
COMMANDS = ("backtest", "check", "fmt", "run", "explain", "test", "new", "demo")


def long_ones_apart(example: str) -> object:
    """Leave to `make test-all` what runs for a minute; the tests of these benchmarks are in CI."""
    is_long = any(f"bench {name}" in example for name in ("cayuga", "padres", "ptopss"))
    return pytest.param(example, marks=pytest.mark.slow) if is_long else example


@pytest.mark.parametrize("example", [long_ones_apart(one) for one in EXAMPLES])
def test_an_example_runs(
    example: str, tocsin: Callable, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "SIZES", (5,))
    command, _, redirected = example.partition(" < ")
    stdin = (project / redirected).read_text(encoding="utf-8") if redirected else None
    result = tocsin(*shlex.split(command)[1:], stdin=stdin)
    assert result.exit_code == exits.FINE, result.output


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_fits_into_a_line_of_a_small_terminal(example: str) -> None:
    assert len(example) <= 78


@pytest.mark.parametrize("command", [*COMMANDS, "bench", "pipeline"])
def test_the_help_shows_no_types_of_python(command: str, tocsin: Callable) -> None:
    shown = tocsin(command, "--help").stdout
    assert not re.search(r"<[\w\[\]| ]+>", shown), shown
    assert "......" not in shown
    assert "...}..." not in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_shows_its_examples(command: str, tocsin: Callable) -> None:
    shown = " ".join(tocsin(command, "--help").stdout.replace("│", " ").split())
    module = next(module for module in MODULES if module.__name__.endswith(f".{command}"))
    assert all(" ".join(example.split()) in shown for example in module.EXAMPLES)


def test_the_help_lists_all_commands_and_the_exit_codes(tocsin: Callable) -> None:
    shown = " ".join(tocsin("--help").stdout.replace("│", " ").split())
    assert all(f" {command} " in shown for command in (*COMMANDS, "bench", "pipeline"))
    assert exits.HELP in shown


def test_the_exit_codes_are_those_that_are_told() -> None:
    assert (exits.FINE, exits.NOT_RIGHT, exits.WRONG_USAGE, exits.DEAD_LETTERS) == (0, 1, 2, 3)
    assert all(f" {code} " in f" {exits.HELP}" for code in range(4))
