"""What is printed before it has lines: texts, and lists in one line or with one part a line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

WIDTH: Final = 90
"""Where a line would grow longer than this many columns, it is broken."""

_INDENT: Final = 4


@dataclass(frozen=True, slots=True)
class Chain:
    """Parts that follow one another without a break of their own; none of them is a chain.

    `broken` says that one of them is; `base` is how far from its begin the chain counts as
    indented, where the keyword of a clause belongs to it.
    """

    parts: tuple[str | Joined, ...]
    broken: bool = False
    base: int = 0


@dataclass(frozen=True, slots=True)
class Joined:
    """Parts that stand in one line or one a line, or, where `filled`, as many a line as fit.

    `separators[i]` stands behind `parts[i]`: a line is broken after an operator. `broken` parts
    never stand in one line; where they do not, `hung` ones have lines of their own between the
    brackets around them.
    """

    parts: tuple[Doc, ...]
    separators: tuple[str, ...]
    filled: bool = False
    hung: bool = False
    broken: bool = False


Doc: TypeAlias = str | Chain | Joined


def chain(*parts: Doc) -> Doc:
    """Return parts one after the other.

    Examples
    --------
    >>> chain("!", chain("(", listed(("a", "b"), " ;"), ")"), " FOR 5 min").parts[0]
    '!('
    """
    found: list[str | Joined] = []
    for part in parts:
        for one in part.parts if isinstance(part, Chain) else (part,):
            if isinstance(one, str) and found and isinstance(found[-1], str):
                found[-1] += one
            else:
                found.append(one)
    return found[0] if len(found) == 1 else Chain(tuple(found))


def is_broken(doc: Doc) -> bool:
    """Say whether a doc has several lines whatever the width is."""
    return not isinstance(doc, str) and doc.broken


def listed(parts: tuple[Doc, ...], separator: str = ",", *, filled: bool = False) -> Doc:
    """Return parts with the same separator between each two."""
    return parts[0] if len(parts) == 1 else Joined(parts, (separator,) * (len(parts) - 1), filled)


def flat(doc: Doc) -> str:
    """Return everything in one line.

    Examples
    --------
    >>> flat(chain("x IN (", listed(("1", "2")), ")"))
    'x IN (1, 2)'
    """
    if isinstance(doc, str):
        return doc
    if isinstance(doc, Chain):
        return "".join(map(flat, doc.parts))
    texts = [flat(part) for part in doc.parts]
    ended = [text + sign for text, sign in zip(texts, doc.separators, strict=False)]
    return " ".join([*ended, texts[-1]])


def render(doc: Doc, *, column: int = 0, behind: int = 0, width: int = WIDTH) -> str:
    """Return the lines of a doc that begins at a column.

    Parameters
    ----------
    behind
        How many columns will follow in the last line.

    Examples
    --------
    >>> print("EMIT " + render(listed(("first", "second", "third")), column=5, width=20))
    EMIT first,
         second,
         third
    """
    if isinstance(doc, str):
        return doc
    if not doc.broken:
        line = flat(doc)
        if column + len(line) + behind <= width:
            return line
    if isinstance(doc, Joined):
        return (_filled if doc.filled else _broken)(doc, column, behind, width)
    return _chained(doc, column, behind, width)


def _broken(doc: Joined, column: int, behind: int, width: int) -> str:
    signs = (*doc.separators, "")
    rooms = [*map(len, doc.separators), behind]
    lines = [
        render(part, column=column, behind=room, width=width) + sign
        for part, sign, room in zip(doc.parts, signs, rooms, strict=True)
    ]
    return ("\n" + " " * column).join(lines)


def _filled(doc: Joined, column: int, behind: int, width: int) -> str:
    texts = [flat(part) for part in doc.parts]
    signs, room = (*doc.separators, " " * behind), width - column
    lines = [[texts[0]]]
    used = len(texts[0]) + len(signs[0])
    for place in range(1, len(texts)):
        size = len(texts[place]) + len(signs[place])
        lines[-1][-1] += signs[place - 1]
        if used + 1 + size <= room:
            lines[-1].append(texts[place])
            used += 1 + size
        else:
            lines.append([texts[place]])
            used = size
    return ("\n" + " " * column).join(map(" ".join, lines))


def _chained(doc: Chain, column: int, behind: int, width: int) -> str:
    text, begin, base = "", column, column + doc.base
    for place, part in enumerate(doc.parts):
        room = _until_break(doc.parts[place + 1 :], behind)
        shown = render(part, column=begin, behind=room, width=width)
        if isinstance(part, Joined) and part.hung and (part.broken or "\n" in shown):
            text = text.rstrip(" ") + _hung(part, base, width)
            begin = base
            continue
        text += shown.lstrip(" ") if text.endswith("\n" + " " * base) else shown
        begin = column + len(text) if "\n" not in text else len(text) - text.rindex("\n") - 1
    return text


def _hung(doc: Joined, column: int, width: int) -> str:
    """Return a list on lines of its own; what comes behind it begins a line."""
    inner = column + _INDENT
    lines = render(replace(doc, broken=not doc.filled), column=inner, width=width)
    return "\n" + " " * inner + lines + "\n" + " " * column


def _until_break(parts: tuple[str | Joined, ...], behind: int) -> int:
    """Return how many columns follow before the next place that can be broken."""
    columns = 0
    for part in parts:
        if not isinstance(part, str):
            return columns
        columns += len(part)
    return columns + behind
