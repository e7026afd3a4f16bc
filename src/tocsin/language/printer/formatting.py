"""The layout of the printer for a text that has comments: what `tocsin fmt` does."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Final

from tocsin.language.parser import parse
from tocsin.language.printer.alignment import align, spellings
from tocsin.language.printer.breaking import Marks, apart_from_end, broken
from tocsin.language.printer.comments import Comment, append_comments, comments_in
from tocsin.language.printer.layout import Doc, render
from tocsin.language.printer.statements import apart, statement_docs
from tocsin.language.tokens import Tokens, tokenize
from tocsin.language.tree import Program, Statement

# A comment above one of these belongs to what they close.
_CLOSING: Final = (")", "]", "}", ";")
_INDENT: Final = 4


def format_text(source: str) -> str:
    """Return a program in the layout of the printer, with every comment it had.

    A list with comments inside stands one part a line. A comment on its own line stays before the
    part it stood before; one behind code stays at the end of the line that holds this code. The
    result ends with a line end.

    Raises
    ------
    LanguageError
        The text is no program.

    Examples
    --------
    >>> print(format_text("define hot as x>30 -- in the shade"), end="")
    DEFINE hot AS x > 30; -- in the shade
    """
    program = parse(source)
    blocks, below = _blocks(program, source)
    lines: list[str] = []
    for place, block in enumerate(blocks):
        gap = place > 0 and apart(program.statements[place - 1], program.statements[place])
        append_comments(lines, block.above, gap=gap)
        if gap and not block.above:
            lines.append("")
        lines += block.lines()
    append_comments(lines, below, gap=False)
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text else ""


@dataclass(slots=True)
class _Block:
    """A statement and its comments: above it, above its printed tokens, and behind them."""

    docs: list[Doc]
    above: list[Comment] = field(default_factory=list)
    above_token: dict[int, list[Comment]] = field(default_factory=lambda: defaultdict(list))
    behind_token: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def text(self) -> str:
        """Return the statement without its comments."""
        return "\n".join(map(render, self.docs))

    def make_room(self) -> None:
        """Break the lists in which comments stand; what belongs above the first line goes there."""
        if not self.above_token and not self.behind_token:
            return
        last = len(tokenize(self.text()).keys) - 2
        if last in self.above_token:  # the `;` gets a line of its own
            self.docs = apart_from_end(self.docs)
        marks = Marks(set(self.above_token), set(self.behind_token))
        self.docs = broken(self.docs, marks)
        first, *_ = _logical_lines(self.text())
        for token in sorted(self.above_token):
            comments = self.above_token.pop(token)
            target = marks.moved.get(token, token)
            if target < first[1]:  # there the blank lines inside the statement meant nothing
                self.above += [replace(c, blank_before=False, blank_after=False) for c in comments]
            else:
                self.above_token[target] += comments

    def lines(self) -> list[str]:
        """Return the lines of code and comments."""
        if not self.above_token and not self.behind_token:
            return [self.text()]
        found: list[str] = []
        begin = 0
        for line, count in _logical_lines(self.text()):
            tokens = range(begin, begin + count)
            begin += count
            code = line.lstrip(" ")
            indent = " " * (len(line) - len(code) + _INDENT * code.startswith(_CLOSING))
            above = [c.text for token in tokens for c in self.above_token.get(token, [])]
            behind = [text for token in tokens for text in self.behind_token.get(token, [])]
            found += [indent + text for text in above]
            found.append(" ".join([line, *behind]))
        return found


def _logical_lines(text: str) -> list[tuple[str, int]]:
    """Return the lines of a printed statement and how many tokens each has.

    A line end inside a string or a quoted name does not end a line here.
    """
    tokens = tokenize(text)
    lines, line_begin, count = [], 0, 0
    for token, start, following in zip(
        tokens.texts, tokens.starts, tokens.starts[1:], strict=False
    ):
        end = start + len(token)
        count += 1
        line_end = text.find("\n", end, following)
        if line_end >= 0:
            lines.append((text[line_begin:line_end], count))
            line_begin, count = line_end + 1, 0
    return [*lines, (text[line_begin:], count)]


def _blocks(program: Program, source: str) -> tuple[list[_Block], list[Comment]]:
    """Return the statements with their comments, and the comments below the last one."""
    blocks = [_Block(statement_docs(statement)) for statement in program.statements]
    comments = comments_in(source)
    if not comments:
        return blocks, []
    tokens = tokenize(source)
    places = _Places(tokens, program.statements, blocks)
    below: list[Comment] = []
    for comment in comments:
        following = bisect_left(tokens.starts, comment.at)
        if not comment.own_line:
            place, token = places.at_or_before(following - 1)
            blocks[place].behind_token[token].append(comment.text)
            continue
        found = places.at_or_after(following)
        if found is None:
            below.append(comment)
        elif places.begins_statement(following):
            blocks[found[0]].above.append(comment)
        else:
            place, token = found
            blocks[place].above_token[token].append(comment)
    for block in blocks:
        block.make_room()
    return blocks, below


class _Places:
    """Where the tokens of the source went: statement and token, found statement by statement."""

    def __init__(
        self, tokens: Tokens, statements: tuple[Statement, ...], blocks: list[_Block]
    ) -> None:
        self._spellings = spellings(tokens)
        self._blocks = blocks
        begins = [bisect_left(tokens.starts, statement.at) for statement in statements]
        self._begins = [*begins, len(self._spellings)]
        self._first_tokens = frozenset(begins)
        self._printed: dict[int, list[int | None]] = {}

    def begins_statement(self, token: int) -> bool:
        """Say whether a token is the first of its statement."""
        return token in self._first_tokens

    def at_or_before(self, token: int) -> tuple[int, int]:
        """Return statement and place of a token, or of the nearest one before it in print."""
        statement = bisect_right(self._begins, token) - 1
        printed = self._printed_of(statement)
        inside = token - self._begins[statement]
        return statement, next(place for place in printed[inside::-1] if place is not None)

    def at_or_after(self, token: int) -> tuple[int, int] | None:
        """Return statement and place of a token, or of the nearest one after it in print."""
        if token >= len(self._spellings):
            return None
        statement = bisect_right(self._begins, token) - 1
        printed = self._printed_of(statement)
        inside = token - self._begins[statement]
        found = next((place for place in printed[inside:] if place is not None), None)
        if found is not None:
            return statement, found
        return (statement + 1, 0) if statement + 1 < len(self._blocks) else None

    def _printed_of(self, statement: int) -> list[int | None]:
        """Return the place in print of each token; the first token is always printed."""
        if statement not in self._printed:
            source = self._spellings[self._begins[statement] : self._begins[statement + 1]]
            printed = spellings(tokenize(self._blocks[statement].text()))
            self._printed[statement] = align(source, printed)
        return self._printed[statement]
