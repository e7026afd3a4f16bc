"""From text to tokens, held as parallel lists because the parser reads them by the million."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# A token's key is what the parser decides by: the upper-case word for a word, the sign itself for
# a sign, and one of these for the rest. No word or sign can be spelt like them.
NAME: Final = "<name>"
STRING: Final = "<string>"
NUMBER: Final = "<number>"
DURATION: Final = "<duration>"
VARIABLE: Final = "<variable>"
BAD: Final = "<bad>"
END: Final = "<end>"

_SPACE: Final = r"\s+|--[^\n]*"
_TOKENS: Final = r"""
      ([^\W\d]\w*)
    | (->|<=|>=|!=|<>|==|[()\[\]{},;:.=<>+\-*/%@&|!?])
    | (\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))
    | ('(?:[^']|'')*')
    | (\$[^\W\d]\w*)
    | ((?:\d+(?:\.\d+)?[^\W\d_]+)+)
    | ("(?:[^"]|"")*")
    | (.)
"""
_WORD, _SIGN = 1, 2
_KEY_OF_GROUP: Final = ("", "", "", NUMBER, STRING, VARIABLE, DURATION, NAME, BAD)
# The space before a token belongs to its match, which halves the number of matches.
_TOKEN: Final = re.compile(rf"(?:{_SPACE})*+(?:{_TOKENS}|\Z)", re.VERBOSE | re.DOTALL)
_COMMENT: Final = re.compile(f"(?P<space>{_SPACE})|{_TOKENS}", re.VERBOSE | re.DOTALL)

STARTERS: Final = frozenset({"STREAM", "DEFINE", "FUZZY", "SUBSCRIBE"})
CLAUSES: Final = frozenset(
    {
        "FROM", "MATCH", "WHERE", "WITHIN", "DUPLICATES", "PAIRS", "LIMIT", "ACCEPT", "COMBINE",
        "EMIT", "PREDICT", "SINCE",
    }
)  # fmt: skip
_EXPRESSION_WORDS: Final = frozenset(
    {
        "AND", "OR", "NOT", "IN", "CIDR", "IS", "PRESENT", "MISSING", "BETWEEN", "LIKE", "MATCHES",
        "CONTAINS", "STARTS", "ENDS", "WITH", "TRUE", "FALSE", "NULL", "TIMESTAMP", "POSSIBLY",
        "NECESSARILY", "VERY", "SOMEWHAT",
    }
)  # fmt: skip
_PATTERN_WORDS: Final = frozenset(
    {
        "BY", "UNTIL", "FOR", "EVERY", "NTH", "REPEAT", "AS", "INTO", "ON", "TIME", "PER", "EVENTS",
        "EVENT", "ABOVE", "BEGINNING", "ONLY", "NEW",
    }
)  # fmt: skip
RESERVED: Final = STARTERS | CLAUSES | _EXPRESSION_WORDS
"""Words that are printed in quotes when they are names, so that no context can misread them."""

KEYWORDS: Final = RESERVED | _PATTERN_WORDS
"""All words that mean something somewhere."""

_PLAIN_NAME: Final = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text: key, spelling and offset of each, an end token last."""

    source: str
    keys: list[str]
    texts: list[str]
    starts: list[int]


def tokenize(source: str) -> Tokens:
    """Split a text into tokens; a character that belongs to none becomes a `BAD` token.

    Examples
    --------
    >>> tokenize("a:[x > 5] -- comment").keys
    ['A', ':', '[', 'X', '>', '<number>', ']', '<end>']
    """
    keys: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    for found in _TOKEN.finditer(source):
        group = found.lastindex
        if group is None:  # the space and the comments behind the last token
            break
        text = found[group]
        if group == _WORD:
            keys.append(text.upper())
        elif group == _SIGN:
            keys.append(text)
        else:
            keys.append(_KEY_OF_GROUP[group])
        texts.append(text)
        starts.append(found.end() - len(text))
    keys.append(END)
    texts.append("")
    starts.append(len(source))
    return Tokens(source, keys, texts, starts)


def comments_of(source: str) -> list[tuple[int, str]]:
    """Return the offset and text of every comment, its `--` included."""
    return [
        (found.start(), found[0].rstrip())
        for found in _COMMENT.finditer(source)
        if found.lastgroup == "space" and found[0].startswith("--")
    ]


def quote_name(name: str) -> str:
    """Return a name as it stands in a text: in double quotes where a plain word would not do.

    Examples
    --------
    >>> quote_name("price"), quote_name("job-name"), quote_name("match")
    ('price', '"job-name"', '"match"')
    """
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def quote_string(text: str) -> str:
    """Return a string literal.

    Examples
    --------
    >>> quote_string("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def is_word(key: str) -> bool:
    """Say whether a token's key is that of a word."""
    return key[0].isalnum() or key[0] == "_"


def place_of(source: str, offset: int) -> tuple[int, int, str]:
    """Return line and column, both from 1 on, and the text of the line at an offset."""
    begin = source.rfind("\n", 0, offset) + 1
    end = source.find("\n", offset)
    line = source[begin : end if end >= 0 else len(source)].rstrip("\r")
    return source.count("\n", 0, offset) + 1, offset - begin + 1, line
