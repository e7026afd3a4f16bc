"""Expressions: OR, AND, NOT, comparisons, arithmetic, and what they stand on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, cast

from tocsin.errors import TimeError
from tocsin.language.parser.cursor import Cursor
from tocsin.language.suggest import did_you_mean
from tocsin.language.tokens import DURATION, END, NAME, NUMBER, STRING, VARIABLE, is_word
from tocsin.language.tree import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    EventReference,
    Expression,
    InCidr,
    InList,
    Literal,
    MatchDuration,
    Negative,
    Not,
    OfEvent,
    Or,
    Parameter,
    Presence,
    TextMatch,
    Thresholds,
    TimeOf,
    Vague,
    Variable,
)
from tocsin.model.times import parse_time
from tocsin.model.values import INTEGER_MAX, Duration, Value

TIME_HINT: Final = "Write it as in TIMESTAMP '2026-01-31T12:00:00Z'."
COMPARISONS: Final = frozenset({"=", "!=", "<", "<=", ">", ">=", "<>", "=="})
# Every operator of a chain makes the tree one level higher.
MAX_OPERATORS: Final = 250

_SELECTORS: Final = frozenset({"first", "last", "prev"})
_AGGREGATES: Final = frozenset({"sum", "avg", "min", "max"})
_TIMES: Final = frozenset({"t", "begin", "end"})
_CALLS: Final = frozenset({"abs", "min", "max", "lower", "upper", "length"})
FUNCTIONS: Final = tuple(sorted(_SELECTORS | _AGGREGATES | _TIMES | _CALLS | {"count", "duration"}))
_TEXT_OPERATORS: Final = frozenset({"CONTAINS", "STARTS", "ENDS", "LIKE", "MATCHES"})
_AFTER_NOT: Final = _TEXT_OPERATORS | {"IN", "BETWEEN"}
_HEDGES: Final = frozenset({"VERY", "SOMEWHAT"})
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%"})
_Reader: TypeAlias = Callable[[], Expression]


class ExpressionParser(Cursor):
    """Reads expressions."""

    operators = 0

    def condition(self) -> Expression:
        """Read a whole expression."""
        self.operators = 0
        return self.disjunction()

    def disjunction(self) -> Expression:
        """Read parts joined by OR."""
        begin = self.at()
        first = self.conjunction()
        if self.keys[self.index] != "OR":
            return first
        parts = [first]
        while self.accept("OR"):
            parts.append(self.conjunction())
        return Or(tuple(parts), begin)

    def conjunction(self) -> Expression:
        """Read parts joined by AND."""
        begin = self.at()
        first = self.negation()
        if self.keys[self.index] != "AND":
            return first
        parts = [first]
        while self.accept("AND"):
            parts.append(self.negation())
        return And(tuple(parts), begin)

    def negation(self) -> Expression:
        """Read NOT and what it denies, or a comparison."""
        if self.keys[self.index] != "NOT":
            return self.comparison()
        begin = self.at()
        self.index += 1
        self.enter()
        operand = self.negation()
        self.leave()
        return Not(operand, begin)

    def comparison(self) -> Expression:
        """Read a value and what it is compared with, if anything."""
        left = self.sum()
        key = self.keys[self.index]
        if key in COMPARISONS:
            return self._compared(left, key)
        if key == "IS":
            return self._is(left)
        if key == "NOT" and self.keys[self.index + 1] in _AFTER_NOT:
            self.index += 1
            return self._tested(left, self.keys[self.index], negated=True)
        if key in _AFTER_NOT:
            return self._tested(left, key, negated=False)
        return left

    def _compared(self, left: Expression, key: str) -> Expression:
        begin = self.at()
        if key == "==":
            self.fail("'==' is not an operator", begin, "Write = to compare.")
        self.index += 1
        right = self.sum()
        if self.keys[self.index] in COMPARISONS:
            hint = "Join two comparisons with AND, or use BETWEEN."
            self.fail("comparisons cannot be chained", self.at(), hint)
        operator = "!=" if key == "<>" else key
        return Comparison(operator, left, right, begin)  # type: ignore[arg-type]

    def _tested(self, operand: Expression, key: str, *, negated: bool) -> Expression:
        begin = self.at()
        self.index += 1
        if key == "BETWEEN":
            low = self.sum()
            self.expect("AND", "Write BETWEEN low AND high.")
            return Between(operand, low, self.sum(), negated, begin)
        if key == "IN":
            return self._in(operand, begin, negated=negated)
        operator = key
        if key in {"STARTS", "ENDS"}:
            self.expect("WITH", f"The operator is {key} WITH.")
            operator = f"{key} WITH"
        return TextMatch(operator, operand, self.sum(), negated, begin)  # type: ignore[arg-type]

    def _in(self, operand: Expression, begin: int, *, negated: bool) -> Expression:
        if self.accept("CIDR"):
            return InCidr(operand, self.sum(), negated, begin)
        self.expect("(", "IN takes a list in parentheses, or CIDR '10.0.0.0/8'.")
        choices = [self.sum()]
        while self.accept(","):
            choices.append(self.sum())
        self.expect(")", "The values after IN are separated by commas.")
        return InList(operand, tuple(choices), negated, begin)

    def _is(self, operand: Expression) -> Expression:
        begin = self.at()
        self.index += 1
        negated = self.accept("NOT")
        if self.accept("PRESENT"):
            return Presence(operand, not negated, begin)
        if self.accept("MISSING"):
            return Presence(operand, negated, begin)
        if self.keys[self.index] == "NULL":
            self.fail("there is no NULL", self.at(), "Write IS MISSING or IS PRESENT.")
        hedges = []
        while self._at_hedge():
            hedges.append(self.keys[self.index].lower())
            self.index += 1
        term = self.name("PRESENT, MISSING or a fuzzy term")
        thresholds = self.thresholds()
        return Vague(operand, term, tuple(hedges), negated, thresholds, begin)  # type: ignore[arg-type]

    def _at_hedge(self) -> bool:
        """VERY is a hedge only where a term follows; otherwise it is the term itself."""
        following = self.keys[self.index + 1] if self.keys[self.index] != END else END
        ends = {"AND", "OR", "POSSIBLY", "NECESSARILY"}
        follows = following == NAME or (is_word(following) and following not in ends)
        return self.keys[self.index] in _HEDGES and follows

    def thresholds(self) -> Thresholds | None:
        """Read POSSIBLY and NECESSARILY, each at most once, in any order."""
        begin = self.at()
        found: dict[str, float] = {}
        while self.keys[self.index] in {"POSSIBLY", "NECESSARILY"}:
            key = self.keys[self.index]
            if key in found:
                self.fail(f"{key} stands here twice", self.at(), "Keep one of them.")
            self.index += 1
            found[key] = self.real("a number between 0 and 1")
        if not found:
            return None
        return Thresholds(found.get("POSSIBLY"), found.get("NECESSARILY"), begin)

    def sum(self) -> Expression:
        """Read terms joined by + and -."""
        left = self.signed()
        if self.keys[self.index] not in _ARITHMETIC:  # the usual case
            return left
        left = self.product(left)
        while self.keys[self.index] in {"+", "-"}:
            left = self._arithmetic(left, self.product)
        return left

    def product(self, first: Expression | None = None) -> Expression:
        """Read factors joined by *, / and %; the first may have been read already."""
        left = self.signed() if first is None else first
        while self.keys[self.index] in {"*", "/", "%"}:
            left = self._arithmetic(left, self.signed)
        return left

    def _arithmetic(self, left: Expression, operand: _Reader) -> Expression:
        begin, operator = self.at(), self.keys[self.index]
        self.index += 1
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            what = f"more than {MAX_OPERATORS} arithmetic operators in one expression"
            self.fail(what, begin, "Split it.")
        return Arithmetic(operator, left, operand(), begin)  # type: ignore[arg-type]

    def signed(self) -> Expression:
        """Read a value with an optional minus."""
        if self.keys[self.index] != "-":
            return self.value()
        begin = self.at()
        self.index += 1
        if self.keys[self.index] in {NUMBER, DURATION}:
            return self._number(begin, negative=True)
        self.enter()
        operand = self.signed()
        self.leave()
        return Negative(operand, begin)

    def value(self) -> Expression:
        """Read a constant, a name, a function or something in parentheses."""
        key, begin = self.keys[self.index], self.starts[self.index]
        if is_word(key):
            return self._word(key, begin)
        if key == STRING:
            self.index += 1
            return Literal(self._unquoted(self.index - 1), begin)
        if key in {NUMBER, DURATION}:
            return self._number(begin, negative=False)
        if key == VARIABLE:
            self.index += 1
            return Variable(self.texts[self.index - 1][1:], begin)
        if key == "(":
            return self._in_parentheses()
        if key == NAME:
            return self._named(self.name("a name"), begin)
        if key == "{":
            return self.parameter()
        return self.fail_here("a value", self._hint_for_value(key))

    def _hint_for_value(self, key: str) -> str:
        if self.keys[self.index - 1] == "=" and key in {"<", ">", "!"}:
            hint = f"Write {key}=."
            self.fail(f"'={key}' is not an operator", self.starts[self.index - 1], hint)
        if key in {"&", "|"}:
            return "Inside a filter conditions are joined by AND and OR."
        if key == "!":
            return "Inside a filter write NOT."
        if key == "]" and self.keys[self.index - 1] == "[":
            return "Write [TRUE] for any event."
        return "A value is an attribute, a constant such as 5 or 'text', $x, or a function."

    def _unquoted(self, index: int) -> str:
        return self.texts[index][1:-1].replace("''", "'")

    def _in_parentheses(self) -> Expression:
        begin = self.at()
        self.index += 1
        self.enter()
        inner = self.disjunction()
        self.leave()
        self.close_parenthesis(begin)
        return inner

    def parameter(self) -> Parameter:
        """Read `{name}`."""
        begin = self.at()
        self.expect("{")
        if not (is_word(self.keys[self.index]) or self.keys[self.index] == NAME):
            self.fail_here("the name of a parameter", "Write it as in {limit}.")
        name = self.name("the name of a parameter")
        self.expect("}", "A parameter is one name in braces, as in {limit}.")
        return Parameter(name, begin)

    def _number(self, begin: int, *, negative: bool) -> Literal:
        sign = -1 if negative else 1
        if self.at_duration():
            return Literal(Duration(sign * self.duration()), begin)
        text = self.texts[self.index]
        self.index += 1
        value: Value = sign * (int(text) if text.isdigit() and len(text) < 20 else float(text))
        is_too_long = text.isdigit() and isinstance(value, float)
        is_outside = isinstance(value, int) and not -INTEGER_MAX - 1 <= value <= INTEGER_MAX
        if is_too_long or is_outside:
            hint = f"The largest is {INTEGER_MAX}; with an exponent, as in 1e20, it is a float."
            self.fail("this number is larger than 64 bits can hold", begin, hint)
        if value in {float("inf"), float("-inf")}:
            hint = "The largest is about 1.8e308."
            self.fail("this number is larger than a float can hold", begin, hint)
        return Literal(value, begin)

    def _word(self, key: str, begin: int) -> Expression:
        following = self.keys[self.index + 1]
        if following == "(":
            return self._function(begin)
        if key in {"TRUE", "FALSE"}:
            self.index += 1
            return Literal(key == "TRUE", begin)
        if key == "TIMESTAMP" and following == STRING:
            return self._timestamp(begin)
        if key == "NULL":
            self.fail("there is no NULL", begin, "Write IS MISSING or IS PRESENT.")
        if key in {"AND", "OR"}:
            self.fail_here("a value", f"Something is missing before {key}.")
        self.index += 1
        return self._named(self.texts[self.index - 1], begin)

    def _timestamp(self, begin: int) -> Literal:
        self.index += 2
        try:
            return Literal(parse_time(self._unquoted(self.index - 1)), begin)
        except TimeError as error:
            return self.fail(str(error), self.starts[self.index - 1], TIME_HINT)

    def _named(self, name: str, begin: int) -> Expression:
        """Read what follows a name: nothing, `.attribute`, or `[2].attribute`."""
        key = self.keys[self.index]
        if key == ".":
            self.index += 1
            attribute = self.name(f"an attribute of '{name}'")
            return OfEvent(EventReference(name, None, begin), attribute, begin)
        if key == "[":
            event = self._indexed(name, begin)
            self.expect(".", f"Write {name}[1].attribute.")
            return OfEvent(event, self.name(f"an attribute of '{name}'"), begin)
        return Attribute(name, begin)

    def _indexed(self, alias: str, begin: int) -> EventReference:
        self.expect("[")
        which = self.integer("the number of a repetition, from 1 on", f"Write {alias}[1].")
        self.expect("]", f"Write {alias}[1].")
        return EventReference(alias, which, begin)

    def _function(self, begin: int) -> Expression:
        function = self.texts[self.index].lower()
        self.index += 2
        if function in _SELECTORS or function in _AGGREGATES:
            return self._of_repetitions(function, begin)
        if function in _TIMES:
            event = self._event()
            self.expect(")", f"{function} takes an alias, as in {function}({event.alias}).")
            return TimeOf(function, event, begin)  # type: ignore[arg-type]
        if function == "count":
            hint = "count takes an alias, as in count(a)."
            if not (is_word(self.keys[self.index]) or self.keys[self.index] == NAME):
                self.fail_here("an alias", hint)
            alias = self.name("an alias")
            self.expect(")", hint)
            return Aggregate("count", alias, None, begin)
        if function == "duration":
            self.expect(")", "duration() takes nothing.")
            return MatchDuration(begin)
        if function in _CALLS:
            return self._call(function, self._arguments(), begin)
        hint = did_you_mean(function, FUNCTIONS) or f"The functions are {', '.join(FUNCTIONS)}."
        return self.fail(f"unknown function '{function}'", begin, hint)

    def _arguments(self) -> tuple[Expression, ...]:
        self.enter()
        arguments = []
        if self.keys[self.index] != ")":
            arguments.append(self.sum())
            while self.accept(","):
                arguments.append(self.sum())
        self.leave()
        self.expect(")", "The values of a function are separated by commas.")
        return tuple(arguments)

    def _call(self, function: str, arguments: tuple[Expression, ...], begin: int) -> Expression:
        least, most = (2, None) if function in {"min", "max"} else (1, 1)
        if len(arguments) < least or (most is not None and len(arguments) > most):
            wanted = "one value" if most == 1 else "an iterated attribute or two or more values"
            example = f"{function}(x)" if most == 1 else f"{function}(a.x) or {function}(x, y)"
            hint = f"Write {example}."
            self.fail(f"{function} takes {wanted}, not {len(arguments)}", begin, hint)
        return Call(function, arguments, begin)  # type: ignore[arg-type]

    def _of_repetitions(self, function: str, begin: int) -> Expression:
        """Read `first(a.price)`, `sum(a.price)`, or `min(x, y)` with its several values."""
        arguments = self._arguments()
        if function in {"min", "max"} and len(arguments) != 1:
            return self._call(function, arguments, begin)
        only = arguments[0] if len(arguments) == 1 else None
        if not isinstance(only, OfEvent) or only.event.which is not None:
            name = only.name if isinstance(only, Attribute) else "price"
            hint = f"Write {function}(a.{name}), a being the alias of a repeated atom."
            if function in {"min", "max"}:
                hint += f" Of several values it is {function}(x, y)."
            self.fail(f"{function} takes one attribute of an alias", begin, hint)
        alias = only.event.alias
        if function in _SELECTORS:
            event = EventReference(alias, function, only.event.at)  # type: ignore[arg-type]
            return OfEvent(event, only.attribute, begin)
        return Aggregate(function, alias, only.attribute, begin)  # type: ignore[arg-type]

    def _event(self) -> EventReference:
        """Read an event of the match: `a`, `a[2]`, `first(a)`."""
        begin = self.at()
        name = self.name("an alias")
        if name.lower() in _SELECTORS and self.accept("("):
            alias = self.name("an alias")
            self.expect(")", f"Write t({name.lower()}(a)).")
            return EventReference(alias, cast("None", name.lower()), begin)
        if self.keys[self.index] == "[":
            return self._indexed(name, begin)
        return EventReference(name, None, begin)
