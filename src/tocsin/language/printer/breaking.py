"""Which lists are broken because comments stand in them.

A list with comments inside stands one part a line, so that each comment stays beside its own part.
Where a comment stands beside the first or the last part, next to a bracket, the whole list stands
on lines of its own between the brackets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from tocsin.language.printer.layout import Chain, Doc, Joined, is_broken
from tocsin.language.tokens import tokenize

# What stands before a list that can have lines of its own: a bracket, or `nth(3,`.
_OPENING: Final = ("(", "[", "{", ",")


@dataclass(slots=True)
class Marks:
    """The tokens of a printed statement that have comments.

    Attributes
    ----------
    above
        Tokens with a comment on a line of its own before them.
    behind
        Tokens with a comment behind them in their line.
    moved
        Separators, before which no line begins: the token behind each takes the comment above it.
    """

    above: set[int] = field(default_factory=set)
    behind: set[int] = field(default_factory=set)
    moved: dict[int, int] = field(default_factory=dict)


def broken(docs: list[Doc], marks: Marks) -> list[Doc]:
    """Return the lines of a statement, broken where comments stand; fill in `marks.moved`.

    Examples
    --------
    >>> from tocsin.language.printer.layout import listed, render
    >>> print(render(*broken([listed(("a", "b", "c"))], Marks(behind={1}))))
    a,
    b,
    c
    """
    walk = _Walk(marks)
    return [walk.visit(doc).doc for doc in docs]


def apart_from_end(docs: list[Doc]) -> list[Doc]:
    """Return the lines of a statement with the `;` on a line of its own."""
    *before, last = docs
    if isinstance(last, str):
        return [*before, last.removesuffix(";"), ";"]
    assert isinstance(last, Chain), "a list alone is no statement"
    *parts, end = last.parts
    assert isinstance(end, str), "a statement ends with ';'"
    return [*before, replace(last, parts=(*parts, end.removesuffix(";"))), ";"]


@dataclass(slots=True)
class _Part:
    """A part that was visited.

    Attributes
    ----------
    head
        Whether a comment on a line of its own wants to stand above its first line.
    tail
        Whether a comment wants to stand behind its last line.
    """

    doc: Doc
    head: bool
    tail: bool


class _Walk:
    """Goes through a doc in the order of its text, and counts tokens."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self.token = 0

    def visit(self, doc: Doc) -> _Part:
        if isinstance(doc, str):
            return self.text(doc)
        return self.joined(doc)[1] if isinstance(doc, Joined) else _ChainWalk(self, doc).visit()

    def text(self, text: str) -> _Part:
        tokens = self.take(text)
        marks = self.marks
        head, tail = not marks.above.isdisjoint(tokens), not marks.behind.isdisjoint(tokens)
        return _Part(text, head, tail)

    def take(self, text: str) -> range:
        """Return the tokens of a text, and go behind them."""
        begin = self.token
        self.token += len(tokenize(text).keys) - 1
        return range(begin, self.token)

    def joined(self, doc: Joined) -> tuple[Joined, _Part]:
        """Break a list with comments between its first and its last part.

        A comment above a separator stands above the next part; one behind it, behind the last.
        """
        parts: list[_Part] = []
        is_parted = carried = False
        for place, part in enumerate(doc.parts):
            found = self.visit(part)
            found.head |= carried
            parts.append(found)
            is_parted |= place > 0 and found.head
            if place < len(doc.separators):
                begin = self.token
                separator = self.text(doc.separators[place])
                carried = separator.head
                self.marks.moved.update(dict.fromkeys(range(begin, self.token), self.token))
                is_parted |= found.tail or separator.tail
        is_split = is_parted or any(is_broken(part.doc) for part in parts)
        docs = tuple(part.doc for part in parts)
        filled = doc.filled and not is_split
        changed = replace(doc, parts=docs, filled=filled, broken=is_split)
        return changed, _Part(changed, parts[0].head, parts[-1].tail)


class _ChainWalk:
    """Goes through texts and lists that follow one another."""

    def __init__(self, walk: _Walk, doc: Chain) -> None:
        self.walk = walk
        self.doc = doc
        self.parts: list[str | Joined] = []
        self.head = self.tail = False

    def visit(self) -> _Part:
        for place, part in enumerate(self.doc.parts):
            if isinstance(part, str):
                self._text(part)
            else:
                self._list(part, can_hang=self._can_hang(place))
        is_split = any(map(is_broken, self.parts))
        changed = replace(self.doc, parts=tuple(self.parts), broken=is_split)
        return _Part(changed, self.head, self.tail)

    def _can_hang(self, place: int) -> bool:
        """Say whether a part stands between brackets."""
        before = self.doc.parts[place - 1] if place else ""
        is_closed = place + 1 < len(self.doc.parts)
        return is_closed and isinstance(before, str) and before.rstrip().endswith(_OPENING)

    def _text(self, text: str) -> None:
        found = self.walk.text(text)
        if found.head:
            self._comment_above_text()
        self.parts.append(text)
        self.tail |= found.tail

    def _comment_above_text(self) -> None:
        """Let the text begin a line if it closes a list; else the comment goes up with its line."""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Joined) and self._can_hang(len(self.parts) - 1):
            self.parts[-1] = replace(last, hung=True, broken=True)
            self.tail = False
        elif not any(map(is_broken, self.parts)):
            self.head = True

    def _list(self, part: Joined, *, can_hang: bool) -> None:
        doc, found = self.walk.joined(part)
        if can_hang:
            if found.head or found.tail:
                doc = replace(doc, hung=True, broken=True)
            elif self.tail:  # else its comment would stand behind the first part
                doc = replace(doc, hung=True)
        elif found.head and not any(map(is_broken, self.parts)):
            self.head = True
        hangs = doc.hung and doc.broken
        self.tail = (found.tail and not hangs) or (self.tail and not is_broken(doc))
        self.parts.append(doc)
