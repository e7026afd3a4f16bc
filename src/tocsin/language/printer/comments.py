"""The comments of a text: where each stands, and how it stands there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tocsin.language.tokens import comments_of

_BLANK_LINE_BEFORE: Final = re.compile(r"\n[^\S\n]*\n[^\S\n]*\Z")
_BLANK_LINE_AFTER: Final = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: on a line of its own, perhaps between blank lines, or behind code."""

    at: int
    text: str
    own_line: bool
    blank_before: bool = False
    blank_after: bool = False


def comments_in(source: str) -> list[Comment]:
    """Return the comments of a text in its order.

    Examples
    --------
    >>> [comment.own_line for comment in comments_in("DEFINE hot AS x > 30 -- two")]
    [False]
    """
    return [_comment(source, at, text) for at, text in comments_of(source)]


def _comment(source: str, at: int, text: str) -> Comment:
    line_begin = source.rfind("\n", 0, at) + 1
    if source[line_begin:at].strip():
        return Comment(at, text, own_line=False)
    line_end = source.find("\n", at)
    above = source.rfind("\n", 0, max(line_begin - 1, 0))
    return Comment(
        at,
        text,
        own_line=True,
        blank_before=bool(_BLANK_LINE_BEFORE.search(source[max(above, 0) : at])),
        blank_after=line_end >= 0 and bool(_BLANK_LINE_AFTER.match(source, line_end)),
    )


def append_comments(lines: list[str], comments: list[Comment], *, gap: bool) -> None:
    """Append comments that stand between statements, with the blank lines around them.

    `gap` asks for a blank line before them in any case.
    """
    for comment in comments:
        if lines and lines[-1] and (gap or comment.blank_before):
            lines.append("")
        gap = False
        lines.append(comment.text)
        if comment.blank_after:
            lines.append("")
