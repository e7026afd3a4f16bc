"""Steps: sentences that may have sentences below them, numbered when they are laid out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A sentence, and the sentences that tell its parts."""

    text: str
    parts: tuple[Step, ...] = ()


def numbered(steps: Iterable[Step], prefix: str = "") -> Iterator[tuple[str, Step]]:
    """Give each step its number, `1.` and below it `1.1`, the parts right after their step.

    Examples
    --------
    >>> [number for number, _ in numbered([Step("a"), Step("b", (Step("c"),))])]
    ['1.', '2.', '2.1']
    """
    for place, step in enumerate(steps, start=1):
        number = f"{prefix}.{place}" if prefix else str(place)
        yield (number if prefix else f"{number}."), step
        yield from numbered(step.parts, number)


def lay_out(steps: Iterable[Step], *, width: int) -> list[str]:
    """Return numbered lines no wider than asked, each level further to the right.

    Examples
    --------
    >>> for line in lay_out([Step("both of these", (Step("a"), Step("b")))], width=40):
    ...     print(line)
    1. both of these
       1.1 a
       1.2 b
    """
    lines = []
    for number, step in numbered(steps):
        head = "   " * number.strip(".").count(".") + number + " "
        lines += textwrap.wrap(
            step.text,
            width=max(width, len(head) + 20),
            initial_indent=head,
            subsequent_indent=" " * len(head),
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines
