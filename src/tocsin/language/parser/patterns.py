"""Patterns: from `|`, the loosest, to atoms."""

from __future__ import annotations

from typing import Final

from tocsin.language.parser.cursor import Problem
from tocsin.language.parser.expressions import COMPARISONS, ExpressionParser
from tocsin.language.tokens import CLAUSES, DURATION, END, NAME, NUMBER, STARTERS, is_word
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Expression,
    Iteration,
    Limit,
    Link,
    Nth,
    Parameter,
    Pattern,
    Repeat,
    Sequence,
    Span,
)
from tocsin.model.values import Duration

_BOUNDS_OF_SIGN: Final[dict[str, tuple[int, int | None]]] = {
    "+": (1, None),
    "*": (0, None),
    "?": (0, 1),
}
_LINKS: Final = frozenset({",", "->", ";"})
MAX_CONDITIONS: Final = 50
# What other languages write between the parts of a sequence.
_WORDS_FOR_SEQUENCES: Final = frozenset({"THEN", "FOLLOWED", "NEXT"})
# Behind a name, these show that a condition stands where an atom should.
_CONDITION_GOES_ON: Final = COMPARISONS | {
    "IS", "IN", "BETWEEN", "LIKE", "CONTAINS", "STARTS", "ENDS", "MATCHES",
}  # fmt: skip
_SHOWN_CONDITION: Final = 48


class PatternParser(ExpressionParser):
    """Reads patterns."""

    def pattern(self) -> Pattern:
        """Read a whole pattern: alternatives joined by `|`."""
        begin = self.at()
        first = self._both()
        if self.keys[self.index] != "|":
            return first
        parts = [first]
        while self.accept("|"):
            self._refuse_doubled("|")
            parts.append(self._both())
        return Disjunction(tuple(parts), begin)

    def _both(self) -> Pattern:
        begin = self.at()
        first = self._any_later()
        if self.keys[self.index] != "&":
            return first
        parts = [first]
        while self.accept("&"):
            self._refuse_doubled("&")
            parts.append(self._any_later())
        return Conjunction(tuple(parts), begin)

    def _refuse_doubled(self, sign: str) -> None:
        if self.keys[self.index] == sign:
            self.fail(f"'{sign}{sign}' is not an operator", self.at(), f"Write {sign} once.")

    def _any_later(self) -> Pattern:
        begin = self.at()
        first = self._first_later()
        if self.keys[self.index] != ";" or self.at_statement_end():
            return first
        parts, links = [first], []
        while self.keys[self.index] == ";" and not self.at_statement_end():
            links.append(Link(";", None, self.at()))
            self.index += 1
            parts.append(self._first_later())
        return Sequence(tuple(parts), tuple(links), begin)

    def at_statement_end(self) -> bool:
        """Say whether the `;` here ends the statement rather than joining two parts."""
        following = self.keys[self.index + 1]
        if following == END:
            return True
        if following not in STARTERS:
            return False
        after = self.keys[self.index + 2]
        return after in {NAME, "{"} or (is_word(after) and after not in CLAUSES)

    def _first_later(self) -> Pattern:
        begin = self.at()
        first = self._next()
        if self.keys[self.index] != "->":
            return first
        parts, links = [first], []
        while self.keys[self.index] == "->":
            links.append(self.link())
            parts.append(self._next())
        return Sequence(tuple(parts), tuple(links), begin)

    def link(self) -> Link:
        """Read `,`, `->`, `->{condition}` or `;`."""
        begin, key = self.at(), self.keys[self.index]
        if key not in _LINKS:
            self.fail_here("',', '->' or ';'", "Repetitions are joined by BY , or BY -> or BY ;.")
        self.index += 1
        if key != "->" or not self.accept("{"):
            return Link(key, None, begin)  # type: ignore[arg-type]
        condition = self.condition()
        self.expect("}", "The condition of -> stands in braces.")
        return Link("->", condition, begin)

    def _next(self) -> Pattern:
        begin = self.at()
        first = self._element()
        if self.keys[self.index] != ",":
            return first
        parts, links = [first], []
        while self.keys[self.index] == ",":
            links.append(Link(",", None, self.at()))
            self.index += 1
            parts.append(self._element())
        return Sequence(tuple(parts), tuple(links), begin)

    def _element(self) -> Pattern:
        """Read a part of a sequence, or the absence of one."""
        if self.keys[self.index] != "!":
            return self._guarded()
        begin = self.at()
        self.index += 1
        if self.keys[self.index] == "!":
            self.fail("an absence cannot be denied", self.at(), "Leave out both '!'.")
        absent = self._guarded()
        duration = every = None
        if self.accept("FOR"):
            duration = self._duration_or_parameter()
            if self.accept("EVERY"):
                every = self._duration_or_parameter()
        return Absence(absent, duration, every, begin)

    def _duration_or_parameter(self) -> Duration | Parameter:
        return self.parameter() if self.keys[self.index] == "{" else self.duration()

    def _guarded(self) -> Pattern:
        found = self._iterated()
        count = 0
        while self.keys[self.index] == "@":
            begin = self.at()
            self.index += 1
            count += 1
            if count > MAX_CONDITIONS:
                self.fail(f"more than {MAX_CONDITIONS} '@' in a row", begin, "Join them with AND.")
            found = Condition(found, self._condition_in_parentheses("@"), begin)
        return found

    def _condition_in_parentheses(self, keyword: str) -> Expression:
        begin = self.at()
        self.expect("(", f"The condition after {keyword} stands in parentheses.")
        condition = self.condition()
        self.close_parenthesis(begin)
        return condition

    def _iterated(self) -> Pattern:
        begin = self.at()
        part = self._part()
        bounds = self._bounds()
        if bounds is None:
            return part
        by, until = Link("->"), None
        if self.accept("BY"):
            self._refuse_any_order()
            by = self.link()
        if self.accept("UNTIL"):
            until = self._condition_in_parentheses("UNTIL")
        if self.keys[self.index] in _BOUNDS_OF_SIGN or self.keys[self.index] == "{":
            hint = "Put the inner one in parentheses, as in (p{2})+."
            self.fail("an iteration directly after an iteration", self.at(), hint)
        return Iteration(part, *bounds, by, until, begin)

    def _refuse_any_order(self) -> None:
        if self.keys[self.index] == "&":
            hint = "Repetitions follow one another: use BY , or BY -> or BY ;."
            self.fail("an iteration cannot go BY &", self.at(), hint)

    def _bounds(self) -> tuple[int, int | None] | None:
        """Read `+ * ? {n} {m,} {m,n}`, if one stands here."""
        key = self.keys[self.index]
        if key in _BOUNDS_OF_SIGN:
            self.index += 1
            return _BOUNDS_OF_SIGN[key]
        if key != "{":
            return None
        self.index += 1
        low = self.integer("a number of repetitions", "Write {3}, {2,5}, {2,} or {0,5}.")
        high: int | None = low
        if self.accept(","):
            high = self.integer("a number of repetitions") if self._at_number() else None
        self.expect("}", "Write the bounds as {3}, {2,5} or {2,}.")
        return low, high

    def _at_number(self) -> bool:
        return self.keys[self.index] == NUMBER

    def _part(self) -> Pattern:
        """Read an atom, a function or something in parentheses."""
        key, begin = self.keys[self.index], self.starts[self.index]
        if key == "[":
            return Atom(None, self._filter(), None, None, begin)
        if key == "(":
            return self._grouped(begin)
        if is_word(key) or key == NAME:
            return self._named_part(key, begin)
        return self.fail_here("an atom such as a:[price > 10]", self._hint_for_part(key))

    def _hint_for_part(self, key: str) -> str:
        if key in _LINKS:
            return "The sequence operators are ',' (the very next), '->' (the first) and ';' (any)."
        if key == ">":
            return "Write -> for 'the first later event'."
        if key in {NUMBER, DURATION}:
            return "A name begins with a letter."
        return "A pattern is made of atoms: a:[filter], [filter] or a defined name."

    def _grouped(self, begin: int) -> Pattern:
        self.index += 1
        self.enter()
        inner = self.pattern()
        if self.accept("WITHIN"):
            inner = Span(inner, self.limit(), begin)
        self.leave()
        if self.keys[self.index] == ")":
            self.index += 1
            return inner
        if self.keys[self.index] in {"AND", "OR"}:
            self.fail_here("')'", "In a pattern, & means both and | means either.")
        hint = self.hint_behind_part()
        if hint:
            self.fail_here("')'", hint)
        self.close_parenthesis(begin)
        return inner

    def hint_behind_part(self) -> str:
        """Return what to write where other languages go on behind a part, or nothing."""
        key = self.keys[self.index]
        if key in _WORDS_FOR_SEQUENCES:
            return "Write -> for the first later event, ; for any, , for the very next."
        if key in _CONDITION_GOES_ON and not (key == "=" and self.keys[self.index + 1] == ">"):
            begin = self.index - 1
            alias = ""
            if self.keys[begin - 1] == ":" and begin > 1:
                alias = self.texts[begin - 2] + ":"
            return self.hint_for_brackets(alias, begin)
        if key == "." and self.key_ahead(2) in _CONDITION_GOES_ON:
            return self.hint_for_brackets(self.texts[self.index - 1] + ":", self.index + 1)
        return ""

    def hint_for_brackets(self, alias: str, begin: int) -> str:
        """Return the hint for a condition without brackets that begins at a token, if it is one."""
        if not (is_word(self.keys[begin]) or self.keys[begin] == NAME):
            return ""
        here, self.index = self.index, begin
        try:
            self.condition()
            last = self.index - 1
            text = self.source[self.starts[begin] : self.starts[last] + len(self.texts[last])]
        except Problem:
            text = "…"
        self.index = here
        shown = " ".join(text.split()) if len(text) <= _SHOWN_CONDITION else "…"
        return f"Put the condition in brackets: {alias}[{shown}]."

    def limit(self) -> Limit:
        """Read `5 min`, `20 EVENTS` or `{window}`."""
        begin = self.at()
        amount: int | Parameter
        if self.keys[self.index] == "{":
            amount = self.parameter()
        elif self._at_number() and self.keys[self.index + 1] in {"EVENTS", "EVENT"}:
            amount = self.integer("a number of events", "Write it as in 20 EVENTS.")
        else:
            return Limit("time", self.duration(), begin)
        if self.accept("EVENTS") or self.accept("EVENT"):
            return Limit("events", amount, begin)
        return Limit("time", amount, begin)

    def _named_part(self, key: str, begin: int) -> Pattern:
        following = self.keys[self.index + 1]
        if following == "(":
            return self._function_part(key, begin)
        if key in {"AND", "OR", "NOT"}:
            hint = "In a pattern, & means both, | means either and ! means absent."
            self.fail_here("an atom such as a:[price > 10]", hint)
        name = self.name("a name")
        if self.accept(":"):
            return self._aliased(name, begin)
        if self.keys[self.index] == "[":
            return Atom(None, self._filter(), None, name, begin)
        return Atom(None, None, name, None, begin)

    def _aliased(self, alias: str, begin: int) -> Atom:
        if self.keys[self.index] == "[":
            return Atom(alias, self._filter(), None, None, begin)
        if self.keys[self.index] == "(":
            hint = f"Put the alias before the atom inside: ({alias}:[…] ; …)."
            if self.key_ahead(2) in _CONDITION_GOES_ON:
                hint = self.hint_for_brackets(f"{alias}:", self.index + 1) or hint
            self.fail("an alias names one atom, not a group", self.at(), hint)
        name = self.name("a filter in brackets or a defined name")
        if self.keys[self.index] == "[":
            return Atom(alias, self._filter(), None, name, begin)
        return Atom(alias, None, name, None, begin)

    def _filter(self) -> Expression:
        self.expect("[")
        condition = self.condition()
        if not self.accept("]"):
            self.fail_here("']'", self._hint_for_filter())
        return condition

    def _hint_for_filter(self) -> str:
        """The usual reasons why a filter does not end where it should."""
        if self.texts[self.index - 1].endswith("\\'"):
            return "A single quote inside a string is doubled: 'it''s'."
        if self.keys[self.index] == "&":
            return "Inside a filter conditions are joined by AND."
        if self.keys[self.index] == "|":
            return "Inside a filter conditions are joined by OR."
        return "Conditions are joined by AND and OR; parts of a pattern by , -> ; & |."

    def _function_part(self, key: str, begin: int) -> Pattern:
        if key == "NTH":
            return self._nth(begin)
        if key == "REPEAT":
            return self._repeat(begin)
        name = self.texts[self.index]
        hint = "The pattern functions are nth(3, p) and repeat(p, n, attribute, step)."
        return self.fail(f"unknown pattern function '{name}'", begin, hint)

    def _nth(self, begin: int) -> Nth:
        self.index += 2
        index = self.integer("a number, from 1 on", "Write nth(3, p).")
        self.expect(",", "Write nth(3, p).")
        self.enter()
        inner = self.pattern()
        self.leave()
        self.expect(")", "Write nth(3, p).")
        return Nth(index, inner, begin)

    def _repeat(self, begin: int) -> Repeat:
        hint = "Write repeat(p, n, attribute, step)."
        self.index += 2
        self.enter()
        inner = self._part()
        self.leave()
        self.expect(",", hint)
        times = self.integer("a number of times", hint)
        self.expect(",", hint)
        attribute = self.name("the name of an attribute")
        self.expect(",", hint)
        step = self._step()
        self.expect(")", hint)
        by: Link | None = Link(";")
        if self.accept("BY"):
            by = None if self.accept("&") else self.link()
        return Repeat(inner, times, attribute, step, by, begin)

    def _step(self) -> int | float | Duration:
        begin = self.at()
        negative = self.accept("-")
        if not (self._at_number() or self.at_duration()):
            self.fail_here("a number or a duration", "Write repeat(p, n, attribute, step).")
        value = self._number(begin, negative=negative).value
        if isinstance(value, int | float):
            return value
        return self.fail_here("a number or a duration")
