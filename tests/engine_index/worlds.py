"""Random filters and events for the predicate index, and what the reference says of them."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tocsin.language.parser import parse_expression
from tocsin.language.tree import (
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    Expression,
    InCidr,
    InList,
    Literal,
    Negative,
    Not,
    Or,
    Presence,
    TextMatch,
)
from tocsin.model.event import Event
from tocsin.model.values import Duration, Timestamp, Value
from tocsin.reference.context import Context
from tocsin.reference.evaluate import View, holds

Draw = Callable[[st.SearchStrategy[Any]], Any]
NAMES = ("a", "b", "c", "d")

_EDGES = (0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63))
integers = st.integers(-3, 5) | st.sampled_from(_EDGES)
floats = st.sampled_from(
    (0.0, -0.0, 0.5, 1.0, 1.5, 2.0, 2.5, -2.5, 2.0**53, 2.0**53 + 2, 2.0**63, -(2.0**63), 1e300,
     -1e300, 5e-324, float("inf"), float("-inf"))
)  # fmt: skip
texts = st.sampled_from(
    ("", "a", "ab", "abc", "B", "Ab", "ß", "10.0.0.1", "10.1.0.1", "::1", "\ud800", "zz%_")
)
times = st.builds(Timestamp, st.integers(-2, 4) | st.sampled_from(_EDGES))
spans = st.builds(Duration, st.integers(-2, 4) | st.sampled_from(_EDGES))
values: st.SearchStrategy[Value] = (
    integers | integers | floats | texts | st.booleans() | times | spans
)
seen_values = values | st.just(float("nan")) | st.none()


@st.composite
def events(draw: Draw) -> Event:
    present = draw(st.dictionaries(st.sampled_from(NAMES), seen_values, max_size=len(NAMES)))
    begin = draw(st.integers(0, 3))
    end = Timestamp(begin + draw(st.integers(0, 2)))
    return Event(draw(st.sampled_from(("s", "t"))), 0, Timestamp(begin), end, present)


constants = st.builds(Literal, values)
attributes = st.builds(Attribute, st.sampled_from(NAMES))
_OPERATORS = st.sampled_from(("=", "=", "=", "!=", "<", "<=", ">", ">="))
_TEXT_OPERATORS = st.sampled_from(("CONTAINS", "STARTS WITH", "ENDS WITH", "LIKE", "MATCHES"))
patterns = st.sampled_from(("", "a", "b", "ab", "%b", "a%", "%a%", "_b", "a_", "zz", "10."))
_regexes = st.sampled_from(("a", "^a", "b$", "a|1", "[0-9]+"))
networks = st.sampled_from(("10.0.0.0/8", "10.0.0.0/16", "::/0", "10.0.0.1", "0.0.0.0/0"))


@st.composite
def arithmetics(draw: Draw) -> Expression:
    leaf = attributes | attributes | constants
    match draw(st.integers(0, 5)):
        case 0:
            return Negative(draw(attributes))
        case 1:
            function = draw(st.sampled_from(("min", "max")))
            return Call(function, (draw(leaf), draw(leaf), draw(leaf)))
        case 2:
            return Call(draw(st.sampled_from(("abs", "lower", "upper", "length"))), (draw(leaf),))
        case _:
            operator = draw(st.sampled_from(("+", "-", "*", "/", "%")))
            left = draw(leaf if draw(st.booleans()) else arithmetics())
            return Arithmetic(operator, left, draw(leaf))


@st.composite
def text_conditions(draw: Draw) -> Expression:
    operand = draw(attributes | attributes | arithmetics())
    negated = draw(st.booleans())
    if draw(st.integers(0, 3)) == 0:
        network = draw(st.builds(Literal, networks) | attributes)
        return InCidr(operand, network, negated)
    operator = draw(_TEXT_OPERATORS)
    if operator == "MATCHES":
        return TextMatch(operator, operand, Literal(draw(_regexes)), negated)
    pattern = draw(st.builds(Literal, patterns) | attributes)
    return TextMatch(operator, operand, pattern, negated)


@st.composite
def simple_conditions(draw: Draw) -> Expression:
    leaf = attributes | attributes | attributes | constants | arithmetics()
    match draw(st.integers(0, 9)):
        case 0:
            return draw(attributes)
        case 1:
            return Presence(draw(leaf), draw(st.booleans()))
        case 2:
            return Between(draw(leaf), draw(constants), draw(constants), draw(st.booleans()))
        case 3:
            choices = tuple(draw(st.lists(constants, min_size=1, max_size=4)))
            return InList(draw(leaf), choices, draw(st.booleans()))
        case 4:
            return draw(text_conditions())
        case 5:
            return Comparison(draw(_OPERATORS), draw(leaf), draw(leaf))
        case _:
            sides = [draw(attributes), draw(constants)]
            return Comparison(draw(_OPERATORS), *draw(st.permutations(sides)))


def _combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.builds(And, several) | st.builds(Or, several) | st.builds(Not, inner)


conditions: st.SearchStrategy[Any] = st.recursive(simple_conditions(), _combined, max_leaves=6)


def reference_holds(condition: Expression, event: Event) -> bool:
    return holds(condition, View(Context(), event))


def condition(text: str) -> Expression:
    return parse_expression(text)


def event(**values: Value) -> Event:
    return Event("s", 0, Timestamp(0), Timestamp(0), values)
