"""Commands whose help and errors speak of files and numbers rather than of Python types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from tocsin.cli.consoles import complain
from tocsin.cli.exits import exit_code_of
from tocsin.cli.options import as_options
from tocsin.errors import TocsinError

_WORDS: Final = (
    ("Value error, ", ""),
    ("Input should be a valid integer, unable to parse string as an integer", "it is no number"),
    ("Input should be a valid integer", "it is no whole number"),
    ("Input should be greater than or equal to", "it must be at least"),
)


class PlainCommand(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its options and arguments."""
        return _without_types(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands; an error of tocsin's own is told in a sentence, without a traceback."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its options."""
        return _without_types(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with _in_plain_words():
            return super().invoke(ctx)


def _without_types(params: list[Any]) -> list[Any]:
    """Let flags show no type, and arguments only their names."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
        if param.param_type_name == "argument":
            vars(param)["display_type_rich"] = _no_type
    return params


def _no_type(ctx: Any) -> None:
    """Say nothing about the type of an argument."""


@contextmanager
def _in_plain_words() -> Iterator[None]:
    try:
        yield
    except typer.BadParameter as error:
        for theirs, ours in _WORDS:
            error.message = error.message.replace(theirs, ours)
        raise
    except TocsinError as error:
        complain(as_options(str(error)))
        raise typer.Exit(exit_code_of(error)) from None
