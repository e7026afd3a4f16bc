"""Where commands write: results to standard output, everything else to standard error."""

from __future__ import annotations

import unicodedata
from typing import Final

from rich.console import Console
from rich.text import Text

_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INVISIBLE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They change the direction of what follows, so that it reads otherwise than it is."""
_LAST_BYTE: Final = 0xFF


def output() -> Console:
    """Return the console for results; made anew, so that a redirected stream is seen."""
    return Console(highlight=False, markup=False, emoji=False)


def messages() -> Console:
    """Return the console for messages."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(text: str, *, style: str = "") -> None:
    """Write a message, its lines as they are."""
    messages().print(Text(_lines(text), style=style), soft_wrap=True)


def say_note(text: str) -> None:
    """Say what somebody may want to know, and what is no mistake."""
    say(f"note: {visible(text)}", style="yellow")


def complain(text: str, *, title: str = "error") -> None:
    """Write what is wrong."""
    style = "bold red" if title.endswith("error") else "bold yellow"
    message = Text.assemble((f"{_lines(title)}: ", style), _lines(text))
    messages().print(message, soft_wrap=True)


def write(text: str, *, style: str = "") -> None:
    """Write a part of the result, its lines as they are."""
    output().print(Text(_lines(text), style=style), soft_wrap=True)


def _lines(text: str) -> str:
    """Escape what would steer a terminal, and keep the ends of lines."""
    return "\n".join(visible(line) for line in text.split("\n"))


def visible(text: str) -> str:
    r"""Return text in one line without characters that steer a terminal.

    Examples
    --------
    >>> print(visible("red: \x1b[31m\n"))
    red: \x1b[31m\n
    """
    if text.isprintable():
        return text
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char not in _TURNING and unicodedata.category(char) not in _INVISIBLE:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code <= _LAST_BYTE else f"\\u{code:04x}"
