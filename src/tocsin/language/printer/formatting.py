"""The layout of the printer for a text that has comments: what `tocsin fmt` does."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field, replace

from tocsin.language.parser import parse
from tocsin.language.printer.alignment import align, spellings
from tocsin.language.printer.comments import Comment, append_comments, comments_in
from tocsin.language.printer.statements import apart, statement_text
from tocsin.language.tokens import Tokens, tokenize
from tocsin.language.tree import Program, Statement


def format_text(source: str) -> str:
    """Return a program in the layout of the printer, with every comment it had.

    A comment on its own line stays before the line of code it stood before; one behind code stays
    at the end of the line that holds this code. The result ends with a line end.

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
    """A printed statement and its comments: above it, above its lines, and behind its lines."""

    text: str
    above: list[Comment] = field(default_factory=list)
    above_line: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    behind_line: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def lines(self) -> list[str]:
        """Return the lines of code and comments."""
        if not self.above_line and not self.behind_line:
            return [self.text]
        found: list[str] = []
        for place, (line, _) in enumerate(_logical_lines(self.text)):
            indent = line[: len(line) - len(line.lstrip(" "))]
            found += [indent + text for text in self.above_line.get(place, [])]
            found.append(" ".join([line, *self.behind_line.get(place, [])]))
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
    blocks = [_Block(statement_text(statement)) for statement in program.statements]
    comments = comments_in(source)
    if not comments:
        return blocks, []
    tokens = tokenize(source)
    places = _Places(tokens, program.statements, blocks)
    below: list[Comment] = []
    for comment in comments:
        following = bisect_left(tokens.starts, comment.at)
        if not comment.own_line:
            place, line = places.at_or_before(following - 1)
            blocks[place].behind_line[line].append(comment.text)
            continue
        found = places.at_or_after(following)
        if found is None:
            below.append(comment)
            continue
        place, line = found
        if line > 0:
            blocks[place].above_line[line].append(comment.text)
        elif places.begins_statement(following):
            blocks[place].above.append(comment)
        else:  # from inside the statement, where its blank lines meant nothing
            inner = replace(comment, blank_before=False, blank_after=False)
            blocks[place].above.append(inner)
    return blocks, below


class _Places:
    """Where the tokens of the source went: statement and line, found statement by statement."""

    def __init__(
        self, tokens: Tokens, statements: tuple[Statement, ...], blocks: list[_Block]
    ) -> None:
        self._spellings = spellings(tokens)
        self._blocks = blocks
        begins = [bisect_left(tokens.starts, statement.at) for statement in statements]
        self._begins = [*begins, len(self._spellings)]
        self._first_tokens = frozenset(begins)
        self._lines: dict[int, list[int | None]] = {}

    def begins_statement(self, token: int) -> bool:
        """Say whether a token is the first of its statement."""
        return token in self._first_tokens

    def at_or_before(self, token: int) -> tuple[int, int]:
        """Return statement and line of a token, or of the nearest one before it that is printed."""
        place = bisect_right(self._begins, token) - 1
        lines = self._lines_of(place)
        inside = token - self._begins[place]
        return place, next(line for line in lines[inside::-1] if line is not None)

    def at_or_after(self, token: int) -> tuple[int, int] | None:
        """Return statement and line of a token, or of the nearest one after it that is printed."""
        if token >= len(self._spellings):
            return None
        place = bisect_right(self._begins, token) - 1
        lines = self._lines_of(place)
        inside = token - self._begins[place]
        found = next((line for line in lines[inside:] if line is not None), None)
        if found is not None:
            return place, found
        return (place + 1, 0) if place + 1 < len(self._blocks) else None

    def _lines_of(self, place: int) -> list[int | None]:
        """Return the line of each token of a statement; the first token is always printed."""
        if place not in self._lines:
            text = self._blocks[place].text
            line_of_token = [
                line for line, (_, count) in enumerate(_logical_lines(text)) for _ in range(count)
            ]
            source = self._spellings[self._begins[place] : self._begins[place + 1]]
            found = align(source, spellings(tokenize(text)))
            self._lines[place] = [None if at is None else line_of_token[at] for at in found]
        return self._lines[place]
