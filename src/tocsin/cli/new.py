"""`tocsin new`: a small project that works."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import typer

from tocsin.cli.consoles import output, say
from tocsin.errors import ConfigurationError

EXAMPLES: Final = ("tocsin new my-project",)


def new(
    directory: Annotated[Path, typer.Argument(help="Where to; it must be empty or not there yet.")],
) -> None:
    """Write a small project that works: subscriptions, events, a scenario, a script."""
    _check_empty(directory)
    try:
        names = write_project(directory)
    except OSError as error:
        msg = f"{error.filename or directory} cannot be written: {error.strerror}"
        raise ConfigurationError(msg) from error
    for name in names:
        output().print(f"  {directory / name}", soft_wrap=True)
    say(f"Now try: cd {directory} && tocsin test && tocsin run rules.tocsin -e events.jsonl")


def write_project(directory: Path) -> list[str]:
    """Write the files of a new project and return their names."""
    directory.mkdir(parents=True, exist_ok=True)
    names = []
    for template in sorted(resources.files("tocsin.cli").joinpath("project").iterdir(), key=str):
        # A script ends in .txt here, so that nobody takes it for a part of the package.
        name = template.name.removesuffix(".txt")
        text = template.read_text(encoding="utf-8")
        if name == "README.md":
            text = text.replace("{name}", directory.resolve().name)
        (directory / name).write_text(text, encoding="utf-8", newline="\n")
        names.append(name)
    return names


def _check_empty(directory: Path) -> None:
    if directory.exists() and not directory.is_dir():
        msg = f"{directory} is a file; choose a name that is not taken"
        raise ConfigurationError(msg)
    if directory.is_dir() and any(directory.iterdir()):
        msg = f"{directory} is not empty; choose a new directory, so that nothing is overwritten"
        raise ConfigurationError(msg)
