"""Patterns: a doc for each kind of node, in parentheses only where the meaning needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tocsin.language.printer.expressions import expression_doc, expression_text
from tocsin.language.printer.layout import Doc, Joined, chain, listed
from tocsin.language.printer.literals import duration_text, limit_text, literal_text
from tocsin.language.tokens import quote_name
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Iteration,
    Link,
    Nth,
    Pattern,
    Repeat,
    Sequence,
    Span,
)

# How tightly a form holds together (the table of design, 2), loosest first.
_OR, _BOTH, _LATER, _FIRST, _NEXT, _ABSENT, _GUARDED, _ITERATED, _PART = range(9)

_TIGHTNESS: Final[dict[type, int]] = {
    Disjunction: _OR,
    Conjunction: _BOTH,
    Absence: _ABSENT,
    Condition: _GUARDED,
    Iteration: _ITERATED,
}
_TIGHTNESS_OF_LINK: Final = {";": _LATER, "->": _FIRST, ",": _NEXT}
_SIGN_OF_BOUNDS: Final = {(1, None): "+", (0, None): "*", (0, 1): "?"}


def pattern_doc(pattern: Pattern) -> Doc:
    """Return the doc of a pattern."""
    return _FORMS[type(pattern)](pattern)


def link_text(link: Link) -> str:
    """Return `,`, `->`, `->{condition}` or `;`."""
    if link.condition is None:
        return link.kind
    return link.kind + "{" + expression_text(link.condition) + "}"


def _tightness(pattern: Pattern) -> int:
    if isinstance(pattern, Sequence):
        return _TIGHTNESS_OF_LINK[pattern.links[0].kind]
    return _TIGHTNESS.get(type(pattern), _PART)


def _within(pattern: Pattern, place: int) -> Doc:
    """Return a part for a place that takes only forms of at least that tightness."""
    doc = pattern_doc(pattern)
    return doc if _tightness(pattern) >= place else chain("(", doc, ")")


def _atom(node: Atom) -> Doc:
    alias = "" if node.alias is None else f"{quote_name(node.alias)}:"
    if node.condition is None:
        return alias + quote_name(node.name or "")
    stream = "" if node.stream is None else quote_name(node.stream)
    return chain(f"{alias}{stream}[", expression_doc(node.condition), "]")


def _iteration(node: Iteration) -> Doc:
    bounds = _bounds(node.low, node.high)
    repeated = node.pattern
    # The brace of {2} would be read as that of ->{condition}.
    swallows = isinstance(repeated, Repeat) and repeated.by == Link("->") and bounds[0] == "{"
    part = _within(repeated, _PART)
    parts = [chain("(", part, ")") if swallows else part, bounds]
    if node.by != Link("->"):
        parts.append(f" BY {link_text(node.by)}")
    if node.until is not None:
        parts += [" UNTIL (", expression_doc(node.until), ")"]
    return chain(*parts)


def _bounds(low: int, high: int | None) -> str:
    sign = _SIGN_OF_BOUNDS.get((low, high))
    if sign is not None:
        return sign
    if high is None:
        return f"{{{low},}}"
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def _condition(node: Condition) -> Doc:
    return chain(_within(node.pattern, _GUARDED), " @ (", expression_doc(node.condition), ")")


def _span(node: Span) -> Doc:
    return chain("(", pattern_doc(node.pattern), f" WITHIN {limit_text(node.limit)})")


def _absence(node: Absence) -> Doc:
    behind = "" if node.duration is None else f" FOR {duration_text(node.duration)}"
    if node.every is not None:
        behind += f" EVERY {duration_text(node.every)}"
    return chain("!", _within(node.pattern, _GUARDED), behind)


def _sequence(node: Sequence) -> Doc:
    place = _tightness(node) + 1
    parts = tuple(_within(part, place) for part in node.parts)
    return Joined(parts, tuple(f" {link_text(link)}" for link in node.links))


def _nth(node: Nth) -> Doc:
    return chain(f"nth({node.index}, ", pattern_doc(node.pattern), ")")


def _repeat(node: Repeat) -> Doc:
    step = literal_text(node.step)
    behind = f", {node.times}, {quote_name(node.attribute)}, {step})"
    if node.by is None:
        behind += " BY &"
    elif node.by != Link(";"):
        behind += f" BY {link_text(node.by)}"
    return chain("repeat(", _within(node.pattern, _PART), behind)


_FORMS: Final[dict[type, Callable[[Any], Doc]]] = {
    Atom: _atom,
    Iteration: _iteration,
    Condition: _condition,
    Span: _span,
    Absence: _absence,
    Sequence: _sequence,
    Nth: _nth,
    Repeat: _repeat,
    Conjunction: lambda node: listed(tuple(_within(part, _BOTH + 1) for part in node.parts), " &"),
    Disjunction: lambda node: listed(tuple(_within(part, _OR + 1) for part in node.parts), " |"),
}
