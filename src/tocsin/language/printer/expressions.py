"""Expressions: a doc for each kind of node, in parentheses only where the meaning needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tocsin.language.printer.layout import Doc, chain, flat, listed
from tocsin.language.printer.literals import literal_text, number_text, parameter_text
from tocsin.language.tokens import quote_name
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

# How tightly a form holds together; an operand that is looser than its place stands in parentheses.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGNED, _VALUE = range(8)

_TIGHTNESS: Final[dict[type, int]] = {
    Or: _OR,
    And: _AND,
    Not: _NOT,
    Comparison: _COMPARISON,
    Between: _COMPARISON,
    InList: _COMPARISON,
    InCidr: _COMPARISON,
    Presence: _COMPARISON,
    TextMatch: _COMPARISON,
    Vague: _COMPARISON,
    Negative: _SIGNED,
}


def expression_doc(expression: Expression) -> Doc:
    """Return the doc of an expression."""
    return _FORMS[type(expression)](expression)


def expression_text(expression: Expression) -> str:
    """Return an expression in one line."""
    return flat(expression_doc(expression))


def thresholds_text(thresholds: Thresholds) -> str:
    """Return `POSSIBLY 0.6 NECESSARILY 0.2`, or one of them."""
    words = []
    if thresholds.possibly is not None:
        words.append(f"POSSIBLY {number_text(thresholds.possibly)}")
    if thresholds.necessarily is not None:
        words.append(f"NECESSARILY {number_text(thresholds.necessarily)}")
    return " ".join(words)


def event_text(event: EventReference) -> str:
    """Return `a`, `a[2]` or `first(a)`."""
    alias = quote_name(event.alias)
    if event.which is None:
        return alias
    return f"{alias}[{event.which}]" if isinstance(event.which, int) else f"{event.which}({alias})"


def _tightness(expression: Expression) -> int:
    if isinstance(expression, Arithmetic):
        return _SUM if expression.operator in {"+", "-"} else _PRODUCT
    return _TIGHTNESS.get(type(expression), _VALUE)


def _within(expression: Expression, place: int) -> Doc:
    """Return an operand for a place that takes only forms of at least that tightness."""
    doc = expression_doc(expression)
    return doc if _tightness(expression) >= place else chain("(", doc, ")")


def _text(expression: Expression, place: int = _SUM) -> str:
    return flat(_within(expression, place))


def _of_event(node: OfEvent) -> str:
    attribute = quote_name(node.attribute)
    if isinstance(node.event.which, str):
        return f"{node.event.which}({quote_name(node.event.alias)}.{attribute})"
    return f"{event_text(node.event)}.{attribute}"


def _aggregate(node: Aggregate) -> str:
    alias = quote_name(node.alias)
    of = alias if node.attribute is None else f"{alias}.{quote_name(node.attribute)}"
    return f"{node.function}({of})"


def _call(node: Call) -> Doc:
    return chain(f"{node.function}(", listed(tuple(_within(a, _SUM) for a in node.arguments)), ")")


def _negative(node: Negative) -> str:
    """Keep `-3`, a literal, apart from a minus before 3; and `--` would begin a comment."""
    text = _text(node.operand, _SIGNED)
    if text.startswith("-"):
        return f"- {text}"
    return f"-({text})" if text[0].isdigit() else f"-{text}"


def _arithmetic(node: Arithmetic) -> str:
    place = _tightness(node)
    return f"{_text(node.left, place)} {node.operator} {_text(node.right, place + 1)}"


def _comparison(node: Comparison) -> str:
    return f"{_text(node.left)} {node.operator} {_text(node.right)}"


def _between(node: Between) -> str:
    return f"{_text(node.operand)}{_not(node)} BETWEEN {_text(node.low)} AND {_text(node.high)}"


def _in_list(node: InList) -> Doc:
    choices = listed(tuple(_within(choice, _SUM) for choice in node.choices), filled=True)
    return chain(f"{_text(node.operand)}{_not(node)} IN (", choices, ")")


def _in_cidr(node: InCidr) -> str:
    return f"{_text(node.operand)}{_not(node)} IN CIDR {_text(node.network)}"


def _presence(node: Presence) -> str:
    return f"{_text(node.operand)} IS {'PRESENT' if node.present else 'MISSING'}"


def _text_match(node: TextMatch) -> str:
    return f"{_text(node.operand)}{_not(node)} {node.operator} {_text(node.pattern)}"


def _not(node: Between | InList | InCidr | TextMatch) -> str:
    return " NOT" if node.negated else ""


def _vague(node: Vague) -> str:
    words = [_text(node.operand), "IS", *(["NOT"] if node.negated else []), *node.hedges]
    words.append(quote_name(node.term))
    if node.thresholds is not None:
        words.append(thresholds_text(node.thresholds))
    return " ".join(words)


def _denied(node: Not) -> Doc:
    return chain("NOT ", _within(node.operand, _NOT))


def _all(node: And) -> Doc:
    return listed(tuple(_within(part, _AND + 1) for part in node.parts), " AND")


def _either(node: Or) -> Doc:
    return listed(tuple(_within(part, _OR + 1) for part in node.parts), " OR")


_FORMS: Final[dict[type, Callable[[Any], Doc]]] = {
    Literal: lambda node: literal_text(node.value),
    Parameter: parameter_text,
    Attribute: lambda node: quote_name(node.name),
    Variable: lambda node: f"${node.name}",
    OfEvent: _of_event,
    TimeOf: lambda node: f"{node.function}({event_text(node.event)})",
    MatchDuration: lambda _: "duration()",
    Aggregate: _aggregate,
    Call: _call,
    Negative: _negative,
    Arithmetic: _arithmetic,
    Comparison: _comparison,
    Between: _between,
    InList: _in_list,
    InCidr: _in_cidr,
    Presence: _presence,
    TextMatch: _text_match,
    Vague: _vague,
    Not: _denied,
    And: _all,
    Or: _either,
}
