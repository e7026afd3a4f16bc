"""Every word of the language, every option and every figure has its place in the reference.

The names come from the sources, so that a new one fails here until its page tells of it.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest
import typer

import tocsin
from tocsin import build
from tocsin.cli import exits
from tocsin.cli.main import app
from tocsin.language import tokens, tree
from tocsin.language.checker import definitions, fuzzy_sets, problems
from tocsin.language.parser import cursor, expressions, parse, patterns, statements
from tocsin.model import durations
from tocsin.model.dead_letter import DEAD_LETTER_KINDS, RAW_LIMIT
from tocsin.model.read import FORMATS
from tocsin.model.read.jsonl import LINE_LIMIT
from tocsin.model.rows import CONTROLS, TIME_NAMES
from tocsin.testing import scenario_expect, scenario_file, scenario_times

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = DOCS / "reference"

# Where the reference tells of each kind of node: the page and the words to look for there.
PLACE_OF_PATTERN = {
    tree.Atom: ("patterns", "## Atoms"),
    tree.Iteration: ("patterns", "## Iteration"),
    tree.Condition: ("patterns", "## Conditions"),
    tree.Span: ("patterns", "## Span limits"),
    tree.Absence: ("patterns", "## Absence"),
    tree.Sequence: ("patterns", "## The first later event"),
    tree.Nth: ("patterns", "## The nth match"),
    tree.Repeat: ("patterns", "## Repeat"),
    tree.Conjunction: ("patterns", "## Both"),
    tree.Disjunction: ("patterns", "## Either"),
}
PLACE_OF_EXPRESSION = {
    tree.Literal: ("filters", "## Values"),
    tree.Parameter: ("filters", "## Parameters"),
    tree.Attribute: ("filters", "## Names"),
    tree.Variable: ("filters", "## Variables"),
    tree.OfEvent: ("filters", "## Other events"),
    tree.TimeOf: ("functions", "## Times"),
    tree.MatchDuration: ("functions", "`duration()`"),
    tree.Aggregate: ("functions", "## Repetitions"),
    tree.Call: ("functions", "## Values"),
    tree.Negative: ("filters", "a leading `-`"),
    tree.Arithmetic: ("filters", "## Arithmetic"),
    tree.Comparison: ("filters", "## Comparison"),
    tree.Between: ("filters", "## Ranges and lists"),
    tree.InList: ("filters", "`x IN (a, b, c)`"),
    tree.InCidr: ("filters", "## Networks"),
    tree.Presence: ("filters", "## Presence"),
    tree.TextMatch: ("filters", "## Text"),
    tree.Vague: ("filters", "## Vague predicates"),
    tree.Not: ("filters", "`NOT` tighter than `AND`"),
    tree.And: ("filters", "## Logic"),
    tree.Or: ("filters", "`AND` binds tighter than `OR`"),
}
PLACE_OF_STATEMENT = {
    tree.StreamDeclaration: ("language", "## STREAM"),
    tree.Definition: ("language", "## DEFINE"),
    tree.FuzzySet: ("language", "## FUZZY"),
    tree.Subscription: ("language", "## SUBSCRIBE"),
}
PATTERN_FORMS = (
    "a:[filter]", "[filter]", "name", "a:name", "a:asks[filter]",
    "p{m,n}", "p{n}", "p{m,}", "p+", "p*", "p?", "BY ,", "BY ->", "BY ->{condition}", "BY ;",
    "UNTIL (condition)", "p @ (condition)", "(p WITHIN 5 min)", "(p WITHIN 20 EVENTS)",
    "p , q", "p -> q", "p ->{condition} q", "p ; q", "p & q", "p | q",
    "p ; !q ; r", "p -> !q -> r", "p , !q -> r", "p , !q ; r", "!q ; r",
    "p ; !q FOR 10 min", "p ; !q FOR 10 min ; r", "!q FOR 10 min ; p",
    "!q FOR 10 min", "!q FOR 10 min EVERY 10 min",
    "nth(3, p)", "repeat(p, n, attribute, step)", "BY &",
)  # fmt: skip


def page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf-8")


def spelled(word: str) -> re.Pattern[str]:
    """Return what finds a word in code on a page: `…word…` or a line of a block."""
    return re.compile(rf"(?<![\w$-]){re.escape(word)}(?![\w-])")


def section(text: str, heading: str) -> str:
    """Return what stands below a heading, up to the next one of its level."""
    begin = text.index(f"\n{heading}\n")
    level = heading.partition(" ")[0]
    end = text.find(f"\n{level} ", begin + len(heading))
    return text[begin:] if end < 0 else text[begin:end]


@pytest.mark.parametrize(
    ("union", "places"),
    [
        (tree.Pattern, PLACE_OF_PATTERN),
        (tree.Expression, PLACE_OF_EXPRESSION),
        (tree.Statement, PLACE_OF_STATEMENT),
    ],
    ids=("patterns", "expressions", "statements"),
)
def test_every_node_of_the_tree_has_a_place(union: Any, places: dict[type, Any]) -> None:
    assert set(places) == set(get_args(union))
    for name, words in places.values():
        assert words in page(name), f"{name}.md does not say {words!r}"


@pytest.mark.parametrize("form", PATTERN_FORMS)
def test_every_form_of_a_pattern_is_shown(form: str) -> None:
    assert f"`{form}`" in page("patterns")


@pytest.mark.parametrize("word", sorted(tokens.KEYWORDS))
def test_every_keyword_is_listed_and_used(word: str) -> None:
    pages = [page(name) for name in ("filters", "patterns", "clauses", "policies", "language")]
    assert f"`{word}`" in section(page("language"), "## Reserved words")
    used = sum(len(spelled(word).findall(text.upper())) for text in pages)
    assert used >= 2, f"{word} stands only in the list of reserved words"


def test_every_comparison_is_shown() -> None:
    for sign in expressions.COMPARISONS - {"=="}:
        assert f" {sign} " in section(page("filters"), "## Comparison"), sign


@pytest.mark.parametrize("name", expressions.FUNCTIONS)
def test_every_function_has_an_example(name: str) -> None:
    examples = [line for line in page("functions").splitlines() if line.startswith(">>>")]
    assert f"`{name}(" in page("functions")
    assert any(spelled(f"{name}(").search(line) or f"{name}(" in line for line in examples)


@pytest.mark.parametrize("clause", sorted(tokens.CLAUSES))
def test_every_clause_has_a_heading(clause: str) -> None:
    headings = [line for line in page("clauses").splitlines() if line.startswith("## ")]
    assert any(clause in heading for heading in headings)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("policies", ("DUPLICATES ALL", "DUPLICATES FIRST", "DUPLICATES LAST")),
        ("policies", ("PAIRS ALL", "PAIRS UNIQUE", "PAIRS SEPARATE", "LIMIT n", "LIMIT n PER $x")),
        ("clauses", tuple(method.lower() for method in statements._METHODS)),
        ("language", tuple(fuzzy_sets.SHAPES)),
        ("language", tuple(statements._TYPES)),
        ("events", CONTROLS),
        ("time", TIME_NAMES),
        ("errors", DEAD_LETTER_KINDS),
        ("notifications", tuple(field.name for field in dataclasses.fields(tocsin.Notification))),
        ("scenario-files", scenario_file._FILE_KEYS),
        ("scenario-files", scenario_file._CASE_KEYS),
        ("scenario-files", scenario_file._OPTIONS),
        ("scenario-files", scenario_expect._FIELDS),
        ("scenario-files", (scenario_times.AT, scenario_times.LABEL)),
    ],
)
def test_every_choice_and_key_is_told(name: str, words: tuple[str, ...]) -> None:
    for word in words:
        assert spelled(word).search(page(name)), f"{name}.md does not say {word}"


def test_every_kind_of_dead_letter_has_a_row() -> None:
    for kind in DEAD_LETTER_KINDS:
        assert f"\n| `{kind}` |" in page("errors"), kind


def test_every_format_of_events_has_a_row() -> None:
    names = {"jsonl": "JSON lines", "csv": "CSV", "parquet": "Parquet", "arrow": "Arrow"}
    assert set(names) == set(FORMATS)
    for name in names.values():
        assert f"\n| {name} |" in section(page("events"), "## Files")


def test_every_unit_of_time_is_told() -> None:
    told = section(page("language"), "## Words and signs")
    for _, names in durations._UNITS:
        assert any(f"`{name}`" in told for name in names), names


def commands(group: Any, path: str = "tocsin") -> Iterator[tuple[str, Any]]:
    """Yield every command with its whole name; groups too."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{path} {name}")


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_told(name: str) -> None:
    top = " ".join(name.split()[:2])
    text = page("command-line")
    told = text if top == "tocsin" else section(text, f"## {top}")
    assert spelled(name).search(told)
    for option in (option for parameter in COMMANDS[name].params for option in parameter.opts):
        if option.startswith("-") and option not in ("--help", "-h"):
            assert re.search(rf"`{option}[` ]", told), f"{name} {option}"


def test_every_exit_code_has_a_row() -> None:
    codes = {value for name, value in vars(exits).items() if name.isupper() and type(value) is int}
    told = section(page("command-line"), "## Exit codes")
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", told, re.MULTILINE)} == codes


@pytest.mark.parametrize("name", [name for name in tocsin.__all__ if not name.startswith("_")])
def test_every_public_name_is_on_a_page(name: str) -> None:
    is_module = type(getattr(tocsin, name)) is type(tocsin)
    written = f"tocsin.{name}" if is_module else name
    assert spelled(written).search(page("python")) or f"`{name}`" in page("errors")


def test_the_builder_is_taken_from_its_docstrings() -> None:
    assert "::: tocsin.build" in page("python")
    undocumented = [name for name in build.__all__ if not getattr(build, name).__doc__]
    assert not undocumented


def test_the_limits_are_those_of_the_sources() -> None:
    text = (DOCS / "explanation" / "limits.md").read_text(encoding="utf-8")
    assert f"| {cursor.MAX_DEPTH} levels |" in text
    assert f"| {expressions.MAX_OPERATORS} |" in text
    assert f"| {patterns.MAX_CONDITIONS} |" in text
    assert f"| {definitions.MAX_NESTED} levels |" in text
    assert f"| {problems.MAX_PROBLEMS} errors and {problems.MAX_PROBLEMS} warnings |" in text
    assert f"| {LINE_LIMIT // 2**20} MiB |" in text
    assert f"| {RAW_LIMIT:,} characters |" in text


def test_the_examples_run_the_same_way_on_all_pages() -> None:
    title = '??? note "How the examples on this page run"'
    notes = [
        re.search(rf"^{re.escape(title)}\n(?:\n|    .*\n)+", path.read_text("utf-8"), re.MULTILINE)
        for path in sorted(REFERENCE.glob("*.md"))
    ]
    assert len({note[0] for note in notes if note is not None}) == 1


@pytest.mark.parametrize("path", sorted((DOCS / "decisions").glob("0*.md")), ids=lambda p: p.stem)
def test_every_decision_has_all_its_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == ["Status", "Context", "Decision", "What follows", "Turned down"]
    assert path.name in (DOCS / "decisions" / "index.md").read_text(encoding="utf-8")


class Grammar:
    """The EBNF of the grammar page, and random sentences of it."""

    # What the page says in words instead of rules, and what must stand without spaces.
    TOKENS: ClassVar = {
        "name": ("a", "price", "x1", '"job-name"', '"match"'),
        "string": ("'x'", "'it''s'", "'2026-01-31T12:00:00Z'"),
        "integer": ("1", "3"),
        "number": ("12", "1.5", "1e3"),
        "duration": ("5 min", "1h30m", "1 h 30 min"),
        "variable": ("$x",),
        "template": ("a", "alert_{user}", "{x}_y", '"q"'),
        "moment": ("TIMESTAMP '2026-01-31T12:00:00Z'", "'2026-01-31'", "1000"),
        "literal": ("12", "5 min", "'x'", "TRUE", "TIMESTAMP '2026-01-31T12:00:00Z'"),
    }
    DEPTH = 20

    def __init__(self, text: str) -> None:
        blocks = "\n".join(re.findall(r"```ebnf\n(.*?)```", text, re.DOTALL))
        self.words = re.findall(r'"[^"]*"|\?[^?]*\?|\w+|[\[\]{}()|,;=]', blocks)
        self.at = 0
        self.rules: dict[str, Any] = {}
        while self.at < len(self.words):
            name, equals = self.words[self.at : self.at + 2]
            assert equals == "=", name
            self.at += 2
            self.rules[name] = self.choice()
            assert self.words[self.at] == ";", name
            self.at += 1

    def choice(self) -> Any:
        found = [self.series()]
        while self.words[self.at] == "|":
            self.at += 1
            found.append(self.series())
        return ("choice", found)

    def series(self) -> Any:
        found = [self.term()]
        while self.words[self.at] == ",":
            self.at += 1
            found.append(self.term())
        return ("series", found)

    def term(self) -> Any:
        word = self.words[self.at]
        self.at += 1
        if word in "[{(":
            inner = self.choice()
            self.at += 1
            return (word, inner)
        return ("text", word[1:-1]) if word[0] == '"' else ("rule", word)

    def sentence(self, rnd: random.Random, node: Any, depth: int = 0) -> list[str]:
        kind, inner = node
        is_deep = depth > self.DEPTH
        if kind == "text":
            return [inner]
        if kind == "rule":
            if inner == "subscription":
                return self.subscription(rnd)
            if inner in self.TOKENS:
                return [rnd.choice(self.TOKENS[inner])]
            return self.sentence(rnd, self.rules[inner], depth + 1)
        if kind == "choice":
            return self.sentence(rnd, inner[0] if is_deep else rnd.choice(inner), depth)
        if kind == "series":
            return [word for part in inner for word in self.sentence(rnd, part, depth)]
        if kind == "(" or (kind == "[" and not is_deep and rnd.random() < 0.4):
            return self.sentence(rnd, inner, depth)
        times = 0 if kind == "[" or is_deep else rnd.choice((0, 0, 0, 1, 2))
        return [word for _ in range(times) for word in self.sentence(rnd, inner, depth)]

    def subscription(self, rnd: random.Random) -> list[str]:
        """Each clause at most once, and MATCH among them."""
        clauses = {"MATCH": ["MATCH", *self.sentence(rnd, ("rule", "pattern"), 6)]}
        for _ in range(rnd.randrange(5)):
            clause = self.sentence(rnd, ("rule", "clause"), 6)
            clauses.setdefault(clause[0], clause)
        words = [word for clause in clauses.values() for word in clause]
        return ["SUBSCRIBE", rnd.choice(self.TOKENS["template"]), *words]


def test_the_parser_reads_what_the_grammar_page_allows() -> None:
    grammar = Grammar(page("grammar"))
    rnd = random.Random(1)
    for _ in range(400):
        text = " ".join(grammar.sentence(rnd, ("rule", "statement")))
        # A brace directly behind `->` is always its condition, as the page says.
        if not re.search(r"BY -> \{ \d", text):
            assert parse(text).statements, text


def test_every_rule_of_the_grammar_is_used() -> None:
    grammar = Grammar(page("grammar"))
    used = set(re.findall(r"'rule', '(\w+)'", str(list(grammar.rules.values()))))
    assert used | {"program"} >= set(grammar.rules)
