"""Statements and whole programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

from tocsin.errors import LanguageError, TimeError, together
from tocsin.language.parser.cursor import Problem
from tocsin.language.parser.expressions import TIME_HINT
from tocsin.language.parser.patterns import PatternParser
from tocsin.language.suggest import did_you_mean, nearest
from tocsin.language.tokens import (
    CLAUSES,
    DURATION,
    END,
    NAME,
    NUMBER,
    STARTERS,
    STRING,
    VARIABLE,
    is_word,
    tokenize,
)
from tocsin.language.tree import (
    AttributeDeclaration,
    Combine,
    Definition,
    EmitItem,
    Expression,
    FuzzySet,
    MatchLimit,
    Pattern,
    Predict,
    Program,
    Since,
    Statement,
    StreamDeclaration,
    Subscription,
)
from tocsin.model.times import parse_time
from tocsin.model.values import INTEGER_MAX, Kind, Timestamp

MAX_PROBLEMS: Final = 20
_TYPES: Final = {
    kind.value: kind
    for kind in (Kind.STRING, Kind.INTEGER, Kind.FLOAT, Kind.BOOLEAN, Kind.TIMESTAMP)
}
# What other languages call our types.
_OTHER_TYPES: Final = {
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR", "STR"), "STRING"),
    **dict.fromkeys(("INT", "BIGINT", "LONG", "SMALLINT"), "INTEGER"),
    **dict.fromkeys(("DOUBLE", "REAL", "DECIMAL", "NUMERIC", "NUMBER"), "FLOAT"),
    **dict.fromkeys(("DATE", "DATETIME", "TIME"), "TIMESTAMP"),
    "BOOL": "BOOLEAN",
}
_METHODS: Final = frozenset({"MIN", "PRODUCT", "LUKASIEWICZ", "AVERAGE", "WEIGHTED"})
_LAST_ISO_MS: Final = 253_402_300_799_999
_T = TypeVar("_T")


class StatementParser(PatternParser):
    """Reads statements."""

    clause = ""

    def program(self) -> Program:
        """Read all statements; go on after a wrong one, to find more problems."""
        statements: list[Statement] = []
        problems: list[LanguageError] = []
        while self.keys[self.index] != END and len(problems) < MAX_PROBLEMS:
            try:
                statements.append(self._statement())
                self._end_of_statement()
            except Problem as problem:
                found = self._early_semicolon() or problem
                problems.append(found.located(self.source))
                self._recover()
        if problems:
            raise together(problems)
        return Program(tuple(statements), self.source)

    def _early_semicolon(self) -> Problem | None:
        """Return the problem of a `;` before a clause, which made a part of the pattern of it."""
        begin = max(self.index - 2, 1)
        for index in range(begin, self.index + 1):
            key = self.keys[index]
            if self.clause == "MATCH" and key in CLAUSES and self.keys[index - 1] == ";":
                return self._semicolon_before(index)
        return None

    def _semicolon_before(self, index: int) -> Problem:
        key = self.keys[index]
        what = f"this ';' stands before the clause {key}, which belongs to the subscription"
        return Problem(what, self.starts[index - 1], f"Remove the ';' before {key}.")

    def _recover(self) -> None:
        """Go to what looks like the next statement."""
        self.depth = 0
        self.index += self.keys[self.index] != END
        while self.keys[self.index] != END and not self._looks_like_statement():
            self.index += 1

    def _looks_like_statement(self) -> bool:
        if self.keys[self.index] not in STARTERS:
            return False
        if self.keys[self.index - 1] == ";":
            return True
        # Only the gap to the token before is looked at: a line can be as long as the text.
        before = self.starts[self.index - 1] + len(self.texts[self.index - 1])
        return "\n" in self.source[before : self.starts[self.index]]

    def _end_of_statement(self) -> None:
        if self.keys[self.index] == END or self.accept(";"):
            while self.accept(";"):
                pass
            return
        hint = self._hint_for_other_language()
        if hint:
            self.fail_here("a clause or ';'", hint)
        text = self.texts[self.index]
        known = nearest(text, CLAUSES)
        if known is not None and known != self.keys[self.index]:
            self.fail_here("a clause or ';'", f"Did you mean {known}?")
        self.fail_here("';' or the end of the statement", self._hint_for_end())

    def _hint_for_other_language(self) -> str:
        """Return what to write for what other languages have here, or nothing."""
        key = self.keys[self.index]
        if key in {"GROUP", "PARTITION"} and self.keys[self.index + 1] == "BY":
            name = self.texts[self.index + 2] if is_word(self.keys[self.index + 2]) else "card"
            return f"Join events by a variable: {name} = ${name[0].lower()} in each filter."
        if key == "HAVING":
            return "Write WHERE for a condition on the whole match."
        hint = self.hint_behind_part() if self.clause == "MATCH" else ""
        if not hint:
            self.refuse_hyphen()
        return hint

    def _hint_for_end(self) -> str:
        key = self.keys[self.index]
        if key in {"AND", "OR"}:
            return "In a pattern, & means both and | means either; AND and OR join conditions."
        if key in STARTERS:
            return "End the statement before it with ';'."
        if key == "=" and self.keys[self.index + 1] == ">":
            return "Write -> for 'the first later event'."
        if key in {")", "]", "}"}:
            return "No bracket that it would close was opened before it."
        if self.clause == "EMIT":
            return "The items of EMIT are separated by commas and named as in a.price AS price."
        if self.clause == "MATCH":
            return "Two parts of a pattern are joined by one of , -> ; & |."
        return "End the statement with ';', or go on with a clause."

    def _statement(self) -> Statement:
        begin, key = self.at(), self.keys[self.index]
        self.clause = ""
        if key == "SUBSCRIBE":
            self.index += 1
            return self._subscription(begin)
        if key == "STREAM":
            self.index += 1
            return self._stream(begin)
        if key == "DEFINE":
            self.index += 1
            return self._definition(begin)
        if key == "FUZZY":
            self.index += 1
            return self._fuzzy_set(begin)
        return self.fail_here("STREAM, DEFINE, FUZZY or SUBSCRIBE", self._hint_for_statement(key))

    def _hint_for_statement(self, key: str) -> str:
        if key == "/":
            return "A comment begins with --."
        if key in CLAUSES and self.index and self.keys[self.index - 1] == ";":
            raise self._semicolon_before(self.index)
        near = nearest(self.texts[self.index], sorted(STARTERS)) if is_word(key) else None
        return f"Did you mean {near}?" if near else "Write SUBSCRIBE name MATCH [price > 10];"

    def _stream(self, begin: int) -> StreamDeclaration:
        name = self.name("the name of a stream")
        self.refuse_hyphen()
        self.expect("(", "Write STREAM name (attribute TYPE, …) TIME attribute;")
        attributes = self._listed(self._attribute)
        self.expect(")", "Attributes are separated by commas.")
        time = self.name("the name of the time attribute") if self.accept("TIME") else None
        return StreamDeclaration(name, attributes, time, begin)

    def _listed(self, read: Callable[[], _T]) -> tuple[_T, ...]:
        found = [read()]
        while self.accept(","):
            found.append(read())
        return tuple(found)

    def _attribute(self) -> AttributeDeclaration:
        begin = self.at()
        name = self.name("the name of an attribute")
        kind = _TYPES.get(self.keys[self.index])
        if kind is None:
            self.fail_here(f"a type ({', '.join(_TYPES)})", self._hint_for_type())
        self.index += 1
        return AttributeDeclaration(name, kind, begin)

    def _hint_for_type(self) -> str:
        key = self.keys[self.index]
        near = _OTHER_TYPES.get(key) or (nearest(key, _TYPES) if is_word(key) else None)
        return f"Did you mean {near}?" if near else "Every attribute needs its type: price FLOAT."

    def _definition(self, begin: int) -> Definition:
        name = self.name("a name")
        self.refuse_hyphen()
        self.expect("AS", "Write DEFINE name AS condition;")
        return Definition(name, self.condition(), begin)

    def _fuzzy_set(self, begin: int) -> FuzzySet:
        name = self.name("a name")
        self.expect("ON", "Write FUZZY name ON attribute AS shape(…);")
        attribute = self.name("the name of an attribute")
        self.expect("AS", "Write FUZZY name ON attribute AS shape(…);")
        shape = self.name("a shape such as trapezoid")
        self.expect("(", f"Write {shape}(…) with its numbers.")
        parameters = self._listed(lambda: self.real("a number"))
        self.expect(")", "The numbers are separated by commas.")
        return FuzzySet(name, attribute, shape.lower(), parameters, begin)

    def _subscription(self, begin: int) -> Subscription:
        named_at = self.at()
        name = self._subscription_name()
        clauses: dict[str, object] = {}
        while self.keys[self.index] in _READERS:
            key = self.keys[self.index]
            if key in clauses:
                self.fail(f"{key} stands here twice", self.at(), "Keep one of them.")
            self.index += 1
            self.clause = key
            clauses[key] = _READERS[key](self)
        if "MATCH" not in clauses:
            self._fail_without_match(name, named_at)
        fields = {_FIELDS[key]: value for key, value in clauses.items() if key != "EMIT"}
        fields["emit"], fields["into"] = clauses.get("EMIT", ((), None))  # type: ignore[misc]
        return Subscription(name, **fields, at=begin)  # type: ignore[arg-type]

    def _fail_without_match(self, name: str, named_at: int) -> NoReturn:
        hint = "A subscription needs a pattern: SUBSCRIBE name MATCH […];"
        if name.upper() in CLAUSES:
            what = f"expected the name of the subscription, found '{name}'"
            self.fail(what, named_at, hint)
        if self.keys[self.index] == ";" and self.key_ahead(1) in CLAUSES:
            raise self._semicolon_before(self.index + 1)
        text = self.texts[self.index]
        hint = self._hint_for_other_language() or hint
        self.fail_here("MATCH", "Did you mean MATCH?" if nearest(text, ["MATCH"]) else hint)

    def _subscription_name(self) -> str:
        """Read a name whose parts may be parameters: `alert_{user}`."""
        if self.keys[self.index] == NAME:
            return self.name("a name")
        pieces: list[str] = []
        end = self.at()
        while self.at() == end:
            if self.keys[self.index] == "{":
                pieces.append("{" + self.parameter().name + "}")
            elif is_word(self.keys[self.index]) or (
                pieces and self.keys[self.index] in {NUMBER, DURATION}
            ):
                pieces.append(self.texts[self.index])
                self.index += 1
            else:
                break
            end = self.starts[self.index - 1] + len(self.texts[self.index - 1])
        if not pieces:
            hint = "Write SUBSCRIBE name MATCH […];"
            self.fail_here("the name of the subscription", hint)
        return "".join(pieces)

    def read_from(self) -> tuple[str, ...]:
        """Read the streams after FROM."""
        return self._listed(lambda: self.name("the name of a stream"))

    def read_duplicates(self) -> str:
        """Read the policy after DUPLICATES."""
        return self._choice("DUPLICATES", ("ALL", "FIRST", "LAST"))

    def read_pairs(self) -> str:
        """Read the policy after PAIRS."""
        return self._choice("PAIRS", ("ALL", "UNIQUE", "SEPARATE"))

    def _choice(self, clause: str, choices: tuple[str, ...]) -> str:
        key = self.keys[self.index]
        if key not in choices:
            hint = did_you_mean(self.texts[self.index], choices) or f"Write {clause} {choices[1]}."
            self.fail_here(f"{', '.join(choices[:-1])} or {choices[-1]} after {clause}", hint)
        self.index += 1
        return key

    def read_limit(self) -> MatchLimit:
        """Read `3 PER $x`."""
        begin = self.at()
        at_parameter = self.keys[self.index] == "{"
        count = self.parameter() if at_parameter else self.integer("a number of matches")
        per = None
        if self.accept("PER"):
            if self.keys[self.index] != VARIABLE:
                self.fail_here("a variable such as $x", "Write it as in LIMIT 3 PER $x.")
            per = self.texts[self.index][1:]
            self.index += 1
        return MatchLimit(count, per, begin)

    def read_emit(self) -> tuple[tuple[EmitItem, ...], str | None]:
        """Read the items after EMIT and the stream they go INTO."""
        items = self._listed(self._emit_item)
        into = self.name("the name of a stream") if self.accept("INTO") else None
        return items, into

    def _emit_item(self) -> EmitItem:
        begin = self.at()
        expression = self.condition()
        name = self.name("a name") if self.accept("AS") else None
        return EmitItem(expression, name, begin)

    def read_accept(self) -> object:
        """Read the thresholds after ACCEPT."""
        found = self.thresholds()
        if found is None:
            self.fail_here("POSSIBLY or NECESSARILY", "Write it as in ACCEPT POSSIBLY 0.5.")
        return found

    def read_combine(self) -> Combine:
        """Read the method after COMBINE."""
        begin = self.at()
        self.expect("WITH", "Write COMBINE WITH min.")
        key = self.keys[self.index]
        if key not in _METHODS:
            known = sorted(method.lower() for method in _METHODS)
            hint = did_you_mean(self.texts[self.index], known) or "Write COMBINE WITH min."
            self.fail_here("min, product, lukasiewicz, average or weighted(…)", hint)
        self.index += 1
        weights: tuple[float, ...] = ()
        if key == "WEIGHTED":
            self.expect("(", "Write weighted(0.3, 0.7).")
            weights = self._listed(lambda: self.real("a weight"))
            self.expect(")", "The numbers are separated by commas.")
        return Combine(key.lower(), weights, begin)  # type: ignore[arg-type]

    def read_predict(self) -> Predict:
        """Read the horizon and the threshold after PREDICT."""
        begin, hint = self.at(), "Write PREDICT WITHIN 20 EVENTS ABOVE 0.8."
        self.expect("WITHIN", hint)
        horizon = self.limit()
        self.expect("ABOVE", hint)
        return Predict(horizon, self.real("a probability"), begin)

    def read_since(self) -> Since:
        """Read the moment after SINCE."""
        begin = self.at()
        moment = None if self.accept("BEGINNING") else self._moment()
        only_new = self.accept("ONLY")
        if only_new:
            self.expect("NEW", "Write SINCE BEGINNING ONLY NEW.")
        return Since(moment, only_new, begin)

    def _moment(self) -> Timestamp:
        self.accept("TIMESTAMP")
        begin, key = self.at(), self.keys[self.index]
        if key == NUMBER:
            moment = self.integer("a time in milliseconds")
            if moment > min(INTEGER_MAX // 1000, _LAST_ISO_MS):
                hint = "Write milliseconds since 1970, or a time as TIMESTAMP '…'."
                self.fail("this time is after the year 9999", begin, hint)
            return parse_time(moment)
        if key != STRING:
            self.fail_here("BEGINNING or a time", "Write it as TIMESTAMP '2026-01-31T12:00:00Z'.")
        self.index += 1
        try:
            return parse_time(self._unquoted(self.index - 1))
        except TimeError as error:
            return self.fail(str(error), begin, TIME_HINT)


_READERS: Final[dict[str, Callable[[StatementParser], object]]] = {
    "FROM": StatementParser.read_from,
    "MATCH": StatementParser.pattern,
    "WHERE": StatementParser.condition,
    "WITHIN": StatementParser.limit,
    "DUPLICATES": StatementParser.read_duplicates,
    "PAIRS": StatementParser.read_pairs,
    "LIMIT": StatementParser.read_limit,
    "ACCEPT": StatementParser.read_accept,
    "COMBINE": StatementParser.read_combine,
    "EMIT": StatementParser.read_emit,
    "PREDICT": StatementParser.read_predict,
    "SINCE": StatementParser.read_since,
}
_FIELDS: Final = {
    "FROM": "sources",
    "MATCH": "pattern",
    **{key: key.lower() for key in _READERS if key not in {"FROM", "MATCH", "EMIT"}},
}


def parse(text: str) -> Program:
    """Return the syntax tree of a program.

    Raises
    ------
    LanguageError
        The text is wrong; all syntax errors that could be found are in it.

    Examples
    --------
    >>> parse("SUBSCRIBE hot MATCH [temperature > 30]").subscriptions[0].name
    'hot'
    """
    parser = StatementParser(tokenize(text))
    try:
        return parser.program()
    except RecursionError:  # the caller's own stack left too little room
        hint = "Split it, or name parts of it with DEFINE."
        problem = Problem("nested too deeply to be read here", parser.at(), hint)
        raise problem.located(text) from None


def parse_pattern(text: str) -> Pattern:
    """Return the tree of a pattern alone.

    Examples
    --------
    >>> len(parse_pattern("a:[x = 1] ; b:[x = 2]").parts)
    2
    """
    return _whole(text, StatementParser.pattern)


def parse_expression(text: str) -> Expression:
    """Return the tree of an expression alone.

    Examples
    --------
    >>> parse_expression("price > 10").operator
    '>'
    """
    return _whole(text, StatementParser.condition)


def _whole(text: str, read: Callable[[StatementParser], _T]) -> _T:
    parser = StatementParser(tokenize(text))
    try:
        found = read(parser)
        if parser.keys[parser.index] != END:
            parser.fail_here("the end of the text")
    except Problem as problem:
        raise problem.located(text) from None
    return found
