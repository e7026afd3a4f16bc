"""No text and no tree makes the parser or the checker raise anything but a LanguageError."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tocsin.errors import LanguageError
from tocsin.language.checker import check
from tocsin.language.parser import parse
from tocsin.language.printer import to_text
from tocsin.language.tokens import CLAUSES, KEYWORDS, STARTERS, tokenize
from tocsin.testing.runnable import runnable_programs
from tocsin.testing.strategies import programs

HERE = Path(__file__).parent
TEXTS = [
    path.read_text(encoding="utf-8")
    for folder in (HERE / "errors", HERE / "warnings", HERE.parent.parent / "examples")
    for path in sorted(folder.rglob("*.tocsin"))
]
SIGNS = [*"()[]{},;:.=<>+-*/%@&|!?'\"$#", "->", "<=", ">=", "!=", "==", "--", "\n", "$x", "{p}"]
VALUES = ["a", "b", "x", "1", "0", "2.5", "1e400", "5 min", "'text'", "'10.0.0.0/8'", '"job-name"']
FUNCTIONS = ["t(a)", "prev(a.x)", "count(a)", "sum(a.x)", "min(x, 1)", "duration()", "abs(x)"]
ATOMS = ["a:[x = 1]", "[x = $x]", "b:[x > a.x]", "a:s[x = 1]", "nth(2, a)", "repeat(a, 2, x, 1)"]
VOCABULARY = [*sorted(KEYWORDS), *SIGNS, *VALUES, *FUNCTIONS, *ATOMS]
MANY = 100_000


def problems_of(text: str) -> tuple[LanguageError, ...]:
    """Parse and check; the messages must be complete, and their places in the text."""
    found = error_of(text)
    if found is None:
        return ()
    lines = text.split("\n")
    for problem in found.problems:
        assert problem.what
        assert problem.hint, problem
        assert lines[problem.line - 1].rstrip("\r") == problem.source
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
    assert str(found)
    return found.problems


def error_of(text: str) -> LanguageError | None:
    try:
        check(parse(text))
    except LanguageError as error:
        return error
    return None


@given(st.text())
@example("\ud800")
@example("\x00")
@example("SUBSCRIBE s MATCH [x = ²]{²}")
@example("SUBSCRIBE s MATCH [x = ٣] WITHIN ٣ min")
def test_any_text_is_a_program_or_a_language_error(text):
    problems_of(text)


@given(st.lists(st.sampled_from(VOCABULARY), max_size=40).map(" ".join))
@example("SUBSCRIBE s MATCH ! ( ! a ) FOR 5 min")
def test_any_words_are_a_program_or_a_language_error(text):
    problems_of(text)


@given(st.sampled_from(ATOMS), st.lists(st.sampled_from(VOCABULARY), max_size=25).map(" ".join))
def test_any_words_after_match_are_a_pattern_or_a_language_error(atom, words):
    problems_of(f"SUBSCRIBE s MATCH {atom} {words}")


@given(st.lists(st.sampled_from(VOCABULARY), max_size=25).map(" ".join))
def test_any_words_in_a_filter_are_a_condition_or_a_language_error(words):
    problems_of(f"STREAM s (x INTEGER, y STRING); SUBSCRIBE s MATCH a:[x = 1 AND {words}]")


def mutated(text: str, chance: random.Random) -> str:
    """Delete, double, swap or replace some tokens of a text."""
    words = tokenize(text).texts[:-1]
    for _ in range(chance.randint(1, 4)):
        if not words:
            break
        at, other = chance.randrange(len(words)), chance.randrange(len(words))
        action = chance.randrange(8)
        if action == 0:
            del words[at]
        elif action == 1:
            words.insert(at, words[at])
        elif action == 2:
            words[at], words[other] = words[other], words[at]
        elif action == 3:
            words[at] = chance.choice(VOCABULARY)
        else:  # more often like with like, which the parser lets through to the checker
            alike = [word for word in (*words, *VOCABULARY) if is_alike(word, words[at])]
            words[at] = chance.choice(alike)
    return chance.choice((" ", "\n", "\r\n", "\t")).join(words)


def is_alike(left: str, right: str) -> bool:
    """Say whether two tokens are both names, both keywords, both operators and so on."""
    if left.upper() in KEYWORDS or right.upper() in KEYWORDS:
        return left.upper() in KEYWORDS and right.upper() in KEYWORDS
    groups = ("=<>!-+*/%", "0123456789", "'", "$", "([{", ")]}", ",;&|")
    return all((left[0] in group) == (right[0] in group) for group in groups)


@given(st.sampled_from(TEXTS), st.integers(0, 2**32))
def test_a_changed_program_is_a_program_or_a_language_error(text, seed):
    chance = random.Random(seed)
    for _ in range(10):
        problems_of(mutated(text, chance))


@given(runnable_programs(), st.integers(0, 2**32))
def test_a_changed_runnable_program_is_a_program_or_a_language_error(text, seed):
    assert problems_of(text) == ()
    problems_of(mutated(text, random.Random(seed)))


@given(programs())
def test_any_tree_is_a_program_or_a_language_error(program):
    """A tree without a text is printed for its messages, and judged like its text."""
    expected = error_of(to_text(program))
    if expected is None:
        checked = check(program)
        assert checked.program is program
        assert checked.warnings == check(parse(to_text(program))).warnings
    else:
        with pytest.raises(LanguageError) as caught:
            check(program)
        assert str(caught.value) == str(expected)


def pattern(text: str) -> str:
    return f"SUBSCRIBE s MATCH {text}"


def nested(opening: str, inner: str, closing: str, count: int = MANY) -> str:
    return opening * count + inner + closing * count


DEEP = {
    "parentheses": pattern(nested("(", "[x = 1]", ")")),
    "open parentheses": pattern("(" * MANY),
    "parentheses in a filter": pattern(f"[{nested('(', 'x = 1', ')')}]"),
    "brackets": pattern("[" * MANY),
    "braces": pattern(f"[x = {'{' * MANY}]"),
    "NOT": pattern(f"[{'NOT ' * MANY} x = 1]"),
    "minus": pattern(f"[{'- ' * MANY} x = 1]"),
    "iterations": pattern("[x = 1]" + "{2}" * MANY),
    "plus signs": pattern("[x = 1]" + "+" * MANY),
    "exclamation marks": pattern("!" * MANY + "[x = 1]"),
    "absences": pattern(nested("!(", "[x = 1]", ")")),
    "conditions": pattern("[x = 1]" + " @ (TRUE)" * MANY),
    "functions": pattern(f"[{nested('abs(', 'x', ')')} = 1]"),
    "nth": pattern(nested("nth(1, ", "[x = 1]", ")")),
    "hedges": pattern(f"[x IS {'very ' * MANY} cheap]"),
    "sums": pattern(f"[{'x + ' * MANY} 1 = 1]"),
    "dots": pattern(f"[{'a.' * MANY}x = 1]"),
    "indexes": pattern(f"[a{'[1]' * MANY}.x = 1]"),
    "all conditions at all depths": pattern("(" * 60 + "[x = 1]" + (" @ (TRUE)" * 50 + ")") * 60),
    "everything at all depths": pattern(
        "(" * 60 + "[x = 1]" + " ; [x=1] , [x=1] -> [x=1]+ & [x=1] | [x=1] ; ![x=1])" * 60
    ),
    "definitions": "DEFINE d0 AS x = 1;"
    + ";".join(f"DEFINE d{i} AS d{i - 1} AND d{i - 1}" for i in range(1, 2_000))
    + ";SUBSCRIBE s MATCH d1999",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_nesting_is_a_language_error(text):
    assert problems_of(text)


LONG = {
    "a conjunction": pattern(f"[{'x = 1 AND ' * 50_000} x = 1]"),
    "a disjunction": pattern(f"[{'x = 1 OR ' * 50_000} x = 1]"),
    "a sequence": pattern(" ; ".join(["[x = 1]"] * 50_000)),
    "alternatives": pattern(" | ".join(f"a{i}:[x = 1]" for i in range(10_000))),
    "a conjunction of patterns": pattern(" & ".join(f"a{i}:[x = $x]" for i in range(10_000))),
    "references": pattern("a0:[x=1]" + "".join(f";a{i}:[x>a{i - 1}.x]" for i in range(1, 10_000))),
    "references to the right": pattern(
        "("
        + ";".join(f"a{i}:[x > prev(a{i + 1}.x)]" for i in range(10_000))
        + ";a10000:[x = 1]){2}"
    ),
    "a list": pattern(f"[x IN ({', '.join(map(str, range(50_000)))})]"),
    "a string": pattern(f"[x = '{'a' * 1_000_000}']"),
    "a name": pattern(f"[{'a' * 1_000_000} = 1]"),
    "a fraction": pattern(f"[x = 1.{'9' * 1_000_000}]"),
    "a duration": pattern(f"[x = 1] WITHIN {'1s' * 50_000}"),
    "a comment": "--" + "-" * 1_000_000,
    "blank lines": "\n" * 1_000_000,
    "subscriptions": ";".join(f"SUBSCRIBE s{i} MATCH [x = {i}]" for i in range(5_000)),
    "definitions": ";".join(f"DEFINE d{i} AS x = {i}" for i in range(5_000)),
    "streams": f"SUBSCRIBE s FROM {', '.join(f't{i}' for i in range(10_000))} MATCH [x = 1]",
    "derived streams": ";".join(
        f"SUBSCRIBE s{i} FROM t{i + 1} MATCH a:[x = 1] EMIT a.x INTO t{i}" for i in range(1_000)
    ),
    "definitions that double": "DEFINE d0 AS x = $x;"
    + ";".join(f"DEFINE d{i} AS d{i - 1} AND d{i - 1}" for i in range(1, 29))
    + ";SUBSCRIBE s MATCH d28",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_programs_are_fine(text):
    assert problems_of(text) == ()


WRONG = {
    "a number": pattern(f"[x = {'9' * 1_000_000}]"),
    "an unknown name": f"STREAM s ({'b' * 90_000} INTEGER); " + pattern(f"[{'a' * 900_000} = 1]"),
    "a string that is none": "STREAM s (x INTEGER); " + pattern(f"[x = '{'a' * 1_000_000}']"),
    "open strings": "'a " * MANY + "'",
    "single quotes": "'" * (MANY + 1),
    "double quotes": '"' * MANY,
    "beginnings": "SUBSCRIBE " * MANY,
    "lines of beginnings": "SUBSCRIBE\n" * MANY,
    "semicolons": ";" * MANY,
    "characters": "\x00" * MANY,
    "unknown aliases": pattern(";".join(f"a{i}:[x > b{i}.x]" for i in range(10_000))),
    "unbound variables": pattern(";".join(f"a{i}:[x > $x{i}]" for i in range(10_000))),
    "wrong subscriptions": "STREAM s (x INTEGER);"
    + ";".join(f"SUBSCRIBE s{i} MATCH [y = {i}]" for i in range(5_000)),
    "a circle of definitions": ";".join(f"DEFINE d{i} AS d{(i + 1) % 2_000}" for i in range(2_000)),
    "a circle of streams": ";".join(
        f"SUBSCRIBE s{i} FROM t{i} MATCH a:[x = 1] EMIT a.x INTO t{(i + 1) % 1_000}"
        for i in range(1_000)
    ),
    "a regular expression": pattern(f"[x MATCHES '{nested('(', 'a', ')', 5_000)}']"),
    "a network": pattern(f"[x IN CIDR '{'1.' * MANY}/8']"),
    "a shape": f"FUZZY a ON x AS trapezoid({', '.join(['1'] * MANY)})",
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_long_wrong_programs_are_short_language_errors(text):
    found = problems_of(text)
    assert 1 <= len(found) <= 20
    assert all(len(problem.message()) < 2_000 for problem in found)


def test_a_nearly_full_stack_is_a_language_error_too():
    text = pattern(nested("(", "[x = 1]", ")", 60))

    def dive(depth: int) -> tuple[LanguageError, ...]:
        return problems_of(text) if depth == 0 else dive(depth - 1)

    assert dive(0) == ()
    assert dive(500)


def test_the_vocabulary_holds_every_keyword():
    assert set(STARTERS | CLAUSES) <= set(VOCABULARY)
