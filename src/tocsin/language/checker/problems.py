"""Problems on their way from the checker to the reader: collected first, placed at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tocsin.errors import LanguageError, describe_place
from tocsin.language.checker.locator import Locator
from tocsin.language.tokens import place_of

MAX_PROBLEMS: Final = 20


@dataclass(frozen=True, slots=True)
class LanguageWarning:
    """Something in a program that is allowed, but probably not meant.

    Examples
    --------
    >>> print(LanguageWarning("never true", "DEFINE a AS x BETWEEN 9 AND 1", 1, 15, "Swap them."))
    warning: never true (line 1, column 15)
      DEFINE a AS x BETWEEN 9 AND 1
                    ^
    Swap them.
    """

    what: str
    source: str
    line: int
    column: int
    hint: str = ""

    def __str__(self) -> str:
        place = describe_place(self.what, self.source, self.line, self.column, self.hint)
        return f"warning: {place}"


class TooManyProblems(Exception):
    """Enough problems are known; further ones would hide them."""


class Problems:
    """Collects errors and warnings by their offset; one place says one thing once."""

    __slots__ = ("_hint_of_error", "_hint_of_warning", "_locator", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._hint_of_error: dict[tuple[int, str], str] = {}
        self._hint_of_warning: dict[tuple[int, str], str] = {}
        self._locator: Locator | None = None

    @property
    def locator(self) -> Locator:
        """Finds the exact place; made for the first problem, so that correct text pays nothing."""
        if self._locator is None:
            self._locator = Locator(self.source)
        return self._locator

    @property
    def found(self) -> bool:
        """Whether anything is to be reported."""
        return bool(self._hint_of_error or self._hint_of_warning)

    def error(self, at: int, what: str, hint: str = "") -> None:
        """Note an error; after `MAX_PROBLEMS` of them the check ends."""
        self._hint_of_error.setdefault((at, what), hint)
        if len(self._hint_of_error) >= MAX_PROBLEMS:
            raise TooManyProblems

    def warn(self, at: int, what: str, hint: str = "") -> None:
        """Note a warning."""
        if len(self._hint_of_warning) < MAX_PROBLEMS:
            self._hint_of_warning.setdefault((at, what), hint)

    def raise_errors(self) -> None:
        """Raise the errors, if there are any, as one that holds the others."""
        located = [
            LanguageError(what, *self._place(at), hint)
            for (at, what), hint in sorted(self._hint_of_error.items())
        ]
        if located:
            first, *others = located
            place = first.source, first.line, first.column
            raise LanguageError(first.what, *place, first.hint, tuple(others))

    def warnings(self) -> tuple[LanguageWarning, ...]:
        """Return the warnings in the order of the text."""
        return tuple(
            LanguageWarning(what, *self._place(at), hint)
            for (at, what), hint in sorted(self._hint_of_warning.items())
        )

    def line_of(self, at: int) -> int:
        """Return the line of an offset, for hints that point elsewhere."""
        return place_of(self.source, max(at, 0))[0]

    def _place(self, at: int) -> tuple[str, int, int]:
        line, column, text = place_of(self.source, max(at, 0))
        return text, line, column
