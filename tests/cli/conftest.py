"""A runner with a fixed width and no colours, and a project to run commands in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tocsin.cli.main import app
from tocsin.cli.new import write_project
from tocsin.engine import cold_start

PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


@pytest.fixture
def tocsin() -> Callable:
    """Run a command: tocsin("check", "rules.tocsin")."""
    cold_start._say()  # so that no command does: only the first run of an installation would

    def run(*arguments: object, stdin: str | bytes | None = None):
        return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin, env=PLAIN)

    return run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh project, which is also the current directory."""
    directory = tmp_path / "project"
    write_project(directory)
    monkeypatch.chdir(directory)
    return directory
