"""Where commands write: results to standard output, everything else to standard error."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text


def output() -> Console:
    """Return the console for results; made anew, so that a redirected stream is seen."""
    return Console(highlight=False, markup=False, emoji=False)


def messages() -> Console:
    """Return the console for messages."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(text: str, *, style: str = "") -> None:
    """Write a message, its lines as they are."""
    messages().print(Text(text, style=style), soft_wrap=True)


def complain(text: str, *, title: str = "error") -> None:
    """Write what is wrong."""
    style = "bold red" if title.endswith("error") else "bold yellow"
    message = Text.assemble((f"{title}: ", style), text)
    messages().print(message, soft_wrap=True)


def write(text: str, *, style: str = "") -> None:
    """Write a part of the result, its lines as they are."""
    output().print(Text(text, style=style), soft_wrap=True)


def counted(count: int, noun: str, many: str | None = None) -> str:
    """Return `1 event`, `2 events`.

    Examples
    --------
    >>> counted(1, "event"), counted(2, "match", "matches")
    ('1 event', '2 matches')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
