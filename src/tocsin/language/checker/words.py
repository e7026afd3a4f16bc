"""Words that messages share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tocsin.language.printer import to_text
from tocsin.language.tree import Expression, Pattern
from tocsin.model.values import Kind

_SHOWN_NAMES: Final = 12
_SHOWN_TEXT: Final = 48

# Indexed by the kind's value: hashing an enum's member is slow.
_WORD_OF_KIND: Final[dict[str, str]] = {
    "BOOLEAN": "a Boolean",
    "INTEGER": "a number",
    "FLOAT": "a number",
    "STRING": "a string",
    "TIMESTAMP": "a timestamp",
    "DURATION": "a duration",
    "UNKNOWN": "of unknown type",
}


def word_for(kind: Kind) -> str:
    """Return a kind as people say it.

    Examples
    --------
    >>> word_for(Kind.FLOAT)
    'a number'
    """
    return _WORD_OF_KIND[kind.value]


def listed(names: Iterable[str]) -> str:
    """Return names in one line, the first few where there are many.

    Examples
    --------
    >>> listed(["ts", "ip"])
    'ts, ip'
    """
    known = list(names)
    shown = ", ".join(shortened(name) for name in known[:_SHOWN_NAMES])
    more = len(known) - _SHOWN_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def shortened(text: str) -> str:
    """Return a text that fits into a message."""
    return text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 1] + "…"


def quoted(name: str) -> str:
    """Return a name as it stands in messages."""
    return f"'{shortened(name)}'"


def shown(node: Expression | Pattern) -> str:
    """Return a part of the program as text, cut where it is long."""
    return shortened(to_text(node))


def sentence(*parts: str) -> str:
    """Join the parts of a hint that are there."""
    return " ".join(part for part in parts if part)
