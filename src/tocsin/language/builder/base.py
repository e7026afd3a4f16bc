"""What everything built has in common: a frozen wrapper around a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar

from tocsin.errors import ConfigurationError
from tocsin.language.printer import Node, to_text

NodeT_co = TypeVar("NodeT_co", bound=Node, covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class Built(Generic[NodeT_co]):
    """A part of a program that Python code made; `tree` is the part itself.

    Examples
    --------
    >>> from tocsin.language.tree import Limit
    >>> Built(Limit("events", 20))
    Built(20 EVENTS)
    """

    tree: NodeT_co

    def to_text(self) -> str:
        """Return the part as text."""
        return to_text(self.tree)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.to_text()})"


def refuse_truth(text: str) -> NoReturn:
    """Refuse `and`, `or`, `not`, `if` and chained comparisons, which Python decides at once."""
    msg = (
        f"{text} holds or not only when an event is there, so it has no truth in Python; write "
        f"& for and, | for or, ~ for not, and (a < b) & (b < c) for a < b < c"
    )
    raise ConfigurationError(msg)


def refuse(value: object, wanted: str, instead: str) -> NoReturn:
    """Refuse an argument: what it is, what was wanted, and what to write instead."""
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    msg = f"{shown} is not {wanted}; {instead}"
    raise ConfigurationError(msg)
