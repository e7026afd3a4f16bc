"""What is printed reads back as what it was, with and without comments."""

from __future__ import annotations

import random
from bisect import bisect_left

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tocsin.language.parser import parse, parse_expression, parse_pattern
from tocsin.language.printer import format_text, to_text
from tocsin.language.printer.statements import clause_text, clauses_of, head_text, statement_text
from tocsin.language.tokens import comments_of, tokenize
from tocsin.language.tree import (
    Atom,
    Attribute,
    Iteration,
    Link,
    Literal,
    Negative,
    Program,
    Repeat,
    Subscription,
)
from tocsin.testing.strategies import expressions, patterns, programs

OPERATORS = {",", ";", "->", "&", "|", "AND", "OR"}

# Drawn as a seed: a random source that Hypothesis records would be asked for every token.
chances = st.integers(0, 10**6).map(random.Random)


@given(expressions())
@example(Negative(Literal(3)))
@example(Negative(Literal(-3)))
@example(Attribute("²x"))  # a word that begins with neither letter nor underscore
def test_an_expression_reads_back_as_itself(expression):
    assert parse_expression(to_text(expression)) == expression


@given(patterns())
@example(Iteration(Repeat(Atom(name="a"), 2, "x", 1, Link("->")), 2, 2))  # ->{2} is no condition
def test_a_pattern_reads_back_as_itself(pattern):
    assert parse_pattern(to_text(pattern)) == pattern


@given(programs())
def test_a_program_reads_back_as_itself(program):
    assert parse(to_text(program)) == program


@given(programs())
def test_printing_twice_changes_nothing(program):
    text = to_text(program)
    assert to_text(parse(text)) == text


@given(programs())
def test_formatting_a_text_without_comments_is_printing_it(program):
    text = to_text(program)
    assert format_text(text) == (f"{text}\n" if text else "")


@given(programs(), chances)
def test_no_comment_is_ever_lost(program, chance):
    source, comments = _with_comments(program, chance)
    found = "".join(text for _, text in comments_of(format_text(source)))
    assert sorted(map(str.strip, found.split("--")[1:])) == sorted(c[2:].strip() for c in comments)


@given(programs(), chances)
def test_formatting_keeps_the_program_and_is_done_at_once(program, chance):
    source, _ = _with_comments(program, chance)
    once = format_text(source)
    assert parse(once) == program
    assert format_text(once) == once


@given(programs(), chances)
def test_a_comment_stays_with_the_code_it_stood_by(program, chance):
    source, _ = _with_comments(program, chance, shuffled=False)
    text = format_text(source)
    code, lines = tokenize(source), _lines_of_tokens(text)
    for at, comment in comments_of(source):
        following = bisect_left(code.starts, at)
        line = _logical_line(text, text.index(comment))
        if source[source.rfind("\n", 0, at) + 1 : at].strip():
            assert lines[following - 1] == line
        else:
            following += _passed(code.texts[following:], lines[following:], line)
            assert line < lines[following]
            assert not any(line <= other < lines[following] for other in lines)


@given(programs(), chances)
def test_comments_change_no_line_of_code(program, chance):
    source, _ = _with_comments(program, chance)
    kept = "".join(_without_comments(format_text(source)).split())
    assert kept == "".join(to_text(program).split())


@pytest.mark.parametrize("seed", range(3))
def test_a_long_list_with_a_comment_is_formatted_soon(seed):
    numbers = random.Random(seed).sample(range(10**6), 5_000)
    choices = ",".join(map(str, numbers))
    source = f"DEFINE known AS (x) IN ({choices}) -- all of them"
    assert format_text(source).endswith("; -- all of them\n")


def _passed(texts: list[str], lines: list[int], line: int) -> int:
    """Return how many tokens a comment went behind: those of an operator before the next part."""
    passed = [text for text, other in zip(texts, lines, strict=True) if other < line]
    is_operator = not passed or passed[0].upper() in OPERATORS or passed[-1] == "}"
    return len(passed) if is_operator else 0


def _with_comments(
    program: Program, chance: random.Random, *, shuffled: bool = True
) -> tuple[str, list[str]]:
    """Return the program in another layout, with comments, and the comments."""
    print_one = _shuffled if shuffled else lambda statement, _: statement_text(statement)
    texts = [print_one(statement, chance) for statement in program.statements]
    comments: list[str] = []
    pieces = [_gap(chance, comments)]
    for text in texts:
        tokens = tokenize(text)
        for token, start, following in zip(
            tokens.texts, tokens.starts, [*tokens.starts[1:]], strict=False
        ):
            pieces.append(token)
            # The pieces of a name such as alert_{user} stay together.
            tight = start + len(token) == following and {token, text[following : following + 1]} & {
                "{", "}",
            }  # fmt: skip
            pieces.append("" if tight else _gap(chance, comments))
        pieces.append(_gap(chance, comments))
    return "".join(pieces), comments


def _shuffled(statement: object, chance: random.Random) -> str:
    """Return a statement, the clauses of a subscription in any order."""
    if not isinstance(statement, Subscription):
        return statement_text(statement)
    clauses = [clause_text(keyword, doc) for keyword, doc in clauses_of(statement)]
    head, source, streams = head_text(statement).partition(" FROM ")
    if source and "\n" not in head and '"' not in head:
        clauses.append(f"FROM {streams}")
    else:
        head = head + source + streams
    chance.shuffle(clauses)
    doubled = not clauses[-1].startswith("MATCH")  # where the second could be part of a pattern
    return "\n".join([head, *clauses]) + ";" * (1 + (doubled and chance.random() < 0.2))


def _gap(chance: random.Random, comments: list[str]) -> str:
    gap = chance.choice([" ", " ", " ", "\n", "\n\n", "\n   "])
    if chance.random() < 0.15:
        text = f"-- c{len(comments)}. {chance.choice(['', 'it', '«x»', 'a = 1;'])}".rstrip()
        comments.append(text)
        return f"{gap}{text}{chance.choice(['', ' '])}\n{chance.choice(['', chr(10), '  '])}"
    return gap


def _without_comments(text: str) -> str:
    for at, comment in reversed(comments_of(text)):
        text = text[:at] + text[at + len(comment) :]
    return text


def _logical_line(text: str, offset: int) -> int:
    """Return how many line ends come before an offset, without those inside strings and names."""
    tokens = tokenize(text)
    inside = sum(
        token.count("\n")
        for token, start in zip(tokens.texts, tokens.starts, strict=True)
        if start < offset
    )
    return text.count("\n", 0, offset) - inside


def _lines_of_tokens(text: str) -> list[int]:
    return [_logical_line(text, start) for start in tokenize(text).starts]
