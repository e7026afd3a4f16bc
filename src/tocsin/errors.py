"""Every error tocsin raises on purpose; all descend from `TocsinError`.

The `args` of each error equal the parameters it was made with, so that it survives pickling on its
way back from another process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_SHOWN_WIDTH: Final = 160


class TocsinError(Exception):
    """The parent of every error that tocsin raises on purpose."""


class DurationError(TocsinError, ValueError):
    """A text is not a duration such as `5 min`."""


class TimeError(TocsinError, ValueError):
    """A value is not a time: an ISO string or an integer in milliseconds."""


class EventError(TocsinError, ValueError):
    """A row is not an event; it goes to the dead letters with this reason."""


class ConfigurationError(TocsinError, ValueError):
    """An option or an argument is wrong; raised before anything runs."""


class UnsupportedError(TocsinError, NotImplementedError):
    """The construct is part of the language, but this engine does not run it."""


class LanguageError(TocsinError, ValueError):
    """The text of a program is wrong, at one place or at several.

    Attributes
    ----------
    what, source, line, column, hint
        The first problem: what is wrong, the line of source, where, and what to do about it.
    others
        Further problems found in the same run, each a `LanguageError` of its own.

    Examples
    --------
    >>> print(LanguageError("expected a name", "DEFINE AS x = 1", 1, 8, "Give it a name."))
    expected a name (line 1, column 8)
      DEFINE AS x = 1
             ^
    Give it a name.
    """

    def __init__(  # noqa: PLR0913 - each is one visible part of the message
        self,
        what: str,
        source: str,
        line: int,
        column: int,
        hint: str = "",
        others: tuple[LanguageError, ...] = (),
    ) -> None:
        super().__init__(what, source, line, column, hint, others)
        self.what, self.source = what, source
        self.line, self.column = line, column
        self.hint, self.others = hint, others

    @property
    def problems(self) -> tuple[LanguageError, ...]:
        """All problems, this one first."""
        return (self, *self.others)

    def __str__(self) -> str:
        return "\n\n".join(problem.message() for problem in self.problems)

    def message(self) -> str:
        """Return this problem alone, without the others."""
        return describe_place(self.what, self.source, self.line, self.column, self.hint)


def together(problems: Sequence[LanguageError]) -> LanguageError:
    """Return one error that holds several, the first of them in front."""
    first = problems[0]
    place = (first.source, first.line, first.column)
    return LanguageError(first.what, *place, first.hint, tuple(problems[1:]))


def describe_place(what: str, source: str, line: int, column: int, hint: str) -> str:
    """Return a message with the source line and a caret under the place."""
    shown, caret = _excerpt(source, column)
    text = f"{what} (line {line}, column {column})\n  {shown}\n  {' ' * caret}^"
    return f"{text}\n{hint}" if hint else text


def _excerpt(source: str, column: int) -> tuple[str, int]:
    """Cut a long line around the column; tabs become spaces so that the caret stays in place."""
    text = source.replace("\t", " ")
    if len(text) <= _SHOWN_WIDTH:
        return text, column - 1
    start = max(0, column - 1 - _SHOWN_WIDTH // 2)
    cut = text[start : start + _SHOWN_WIDTH]
    prefix = "…" if start else ""
    suffix = "…" if start + _SHOWN_WIDTH < len(text) else ""
    return prefix + cut + suffix, column - 1 - start + len(prefix)
