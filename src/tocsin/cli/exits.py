"""What the exit code of a command says."""

from __future__ import annotations

from typing import Final

from tocsin.errors import LanguageError, TocsinError

FINE: Final = 0
"""Everything is right."""

NOT_RIGHT: Final = 1
"""What was looked at is not right: a program is refused, a scenario failed, a file would change."""

WRONG_USAGE: Final = 2
"""The command was given something it cannot use: an option, a file, a table."""

DEAD_LETTERS: Final = 3
"""It ran, but some rows became dead letters, and --strict was given."""

INTERRUPTED: Final = 130
"""Somebody pressed Ctrl-C, as shells say it."""

TERMINATED: Final = 143
"""A pipeline was told to end with SIGTERM, as shells say it."""

HELP: Final = """Exit codes: 0 fine; 1 a program, a scenario or the form of a file is not right; \
2 an option or a file cannot be used; 3 it ran with --strict and some rows became dead letters; \
130 it was interrupted; 143 a pipeline was told to end."""


def exit_code_of(error: TocsinError) -> int:
    """Return the exit code an error ends a command with.

    Examples
    --------
    >>> exit_code_of(LanguageError("expected a name", "DEFINE AS", 1, 8))
    1
    """
    return NOT_RIGHT if isinstance(error, LanguageError) else WRONG_USAGE
