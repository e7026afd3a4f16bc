"""What a subscription may cost, said of one operator of its text."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tocsin.language.checker import LanguageWarning
from tocsin.language.checker.locator import BOUNDS, Locator
from tocsin.language.tokens import place_of


class CostClass(enum.StrEnum):
    """How bad it can get."""

    UNBOUNDED = "unbounded"
    """State grows with the stream, and nothing ever takes it away."""

    EXPLOSIVE = "explosive"
    """Matches multiply within their window."""

    PER_KEY = "per key"
    """A little is remembered for ever for each value of the variables."""


REFUSED: Final = frozenset({CostClass.UNBOUNDED, CostClass.EXPLOSIVE})
"""What `tocsin check` warns of and `--strict` refuses."""

_SIGNS: Final = {"&": frozenset({"&"}), "{}": BOUNDS}


@dataclass(frozen=True, slots=True)
class CostWarning:
    """What an operator costs.

    Attributes
    ----------
    kind, what, hint
        How bad it is, what grows and why, and what to write instead.
    growth
        How fast it grows, in words.
    operator
        The operator at fault; `{}` stands for any sign of an iteration.
    at
        Where it stands in the text, or where the part begins that holds it.
    """

    kind: CostClass
    what: str
    growth: str
    operator: str
    at: int
    hint: str

    def __str__(self) -> str:
        return f"{self.what}: {self.growth}"


def placed(warnings: Iterable[CostWarning], source: str) -> tuple[LanguageWarning, ...]:
    """Return warnings with line, column and source line, in the order of the text."""
    found = sorted(warnings, key=lambda one: one.at)
    locator = Locator(source) if found else None
    return tuple(_placed(one, source, locator) for one in found if locator is not None)


def _placed(warning: CostWarning, source: str, locator: Locator) -> LanguageWarning:
    keys = _SIGNS.get(warning.operator)
    at = max(warning.at, 0) if keys is None else locator.key(warning.at, keys)
    line, column, text = place_of(source, at)
    return LanguageWarning(str(warning), text, line, column, warning.hint)
