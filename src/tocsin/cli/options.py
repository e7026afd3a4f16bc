"""Messages of the library in the words of the command line."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = (
    (re.compile(r"say delimiter='\\t'"), "say --delimiter tab"),
    (re.compile(r"say delimiter='(.)'"), r"say --delimiter '\1'"),
    (re.compile(r"say format= one of "), "say --events-format and one of "),
    (re.compile(r"^clock: "), "--clock: "),
    (re.compile(r"; pass a table that fills them"), "; say --table FILE to fill them"),
    (re.compile(r"^a table was given, but"), "--table was given, but"),
    (re.compile(r"typed=True needs"), "--typed needs"),
)


def as_options(message: str) -> str:
    """Return a message that speaks of options where the library speaks of keywords.

    Examples
    --------
    >>> as_options("it has one column; if ';' separates, say delimiter=';'")
    "it has one column; if ';' separates, say --delimiter ';'"
    """
    for theirs, ours in _WORDS:
        message = theirs.sub(ours, message)
    return message
