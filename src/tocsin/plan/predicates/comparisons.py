"""From one comparison of an attribute with constants to a literal, where it is that simple."""

from __future__ import annotations

from typing import Final

from tocsin.language.tree import (
    Attribute,
    Between,
    Comparison,
    Expression,
    InCidr,
    InList,
    Literal,
    Presence,
    TextMatch,
)
from tocsin.model.values import Value, is_missing, join_key
from tocsin.plan.predicates.literals import (
    Choice,
    Computed,
    Family,
    Filter,
    Interval,
    Present,
    SimpleLiteral,
    Text,
)
from tocsin.plan.predicates.programs import compile_condition
from tocsin.plan.predicates.text_tests import TextTest

TRUE: Final[Filter] = ((),)
FALSE: Final[Filter] = ()
_TURNED: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def family_of(value: Value) -> Family:
    """Return the family of a present value: what it compares with."""
    return join_key(value)[0]  # type: ignore[return-value]


def literals_of(condition: Expression) -> Filter:
    """Return a condition that is no AND, OR or NOT as a filter of simple literals."""
    match condition:
        case Literal(value):
            return TRUE if value is True else FALSE
        case Attribute(name):
            return _one(Interval(name, "boolean", True, True))
        case Comparison(operator, Attribute(name), Literal(value)):
            return _compared(name, operator, value)
        case Comparison(operator, Literal(value), Attribute(name)):
            return _compared(name, _TURNED[operator], value)
        case Between(Attribute(name), Literal(low), Literal(high), negated):
            return _between(name, low, high, negated)
        case InList(Attribute(name), choices, negated) if _are_constants(choices):
            return _in_list(name, [c.value for c in choices if isinstance(c, Literal)], negated)
        case Presence(Attribute(name), present):
            return _one(Present(name, negated=not present))
        case TextMatch(operator, Attribute(name), Literal(pattern), negated):
            return _tested(name, operator, pattern, negated)
        case InCidr(Attribute(name), Literal(network), negated):
            return _tested(name, "CIDR", network, negated)
        case _:
            return _one(Computed(compile_condition(condition)))


def _one(*literals: SimpleLiteral) -> Filter:
    return (literals,)


def _are_constants(choices: tuple[Expression, ...]) -> bool:
    return all(isinstance(choice, Literal) for choice in choices)


def _compared(name: str, operator: str, value: Value) -> Filter:
    if is_missing(value):
        return FALSE
    family = family_of(value)
    if operator in {"=", "!="}:
        return _one(Interval(name, family, value, value, outside=operator == "!="))
    if family == "boolean":
        return FALSE
    if isinstance(value, str):
        return _one(Text(name, TextTest(operator, (value,))))
    is_open = operator in {"<", ">"}
    if operator in {"<", "<="}:
        return _one(Interval(name, family, high=value, high_open=is_open))
    return _one(Interval(name, family, low=value, low_open=is_open))


def _between(name: str, low: Value, high: Value, negated: bool) -> Filter:
    if is_missing(low) or is_missing(high):
        return FALSE
    family = family_of(low)
    if family != family_of(high) or family == "boolean":
        return FALSE
    if isinstance(low, str) and isinstance(high, str):
        return _one(Text(name, TextTest("BETWEEN", (low, high), negated)))
    return _one(Interval(name, family, low, high, outside=negated))


def _in_list(name: str, values: list[Value], negated: bool) -> Filter:
    if not values:
        return TRUE if negated else FALSE
    if negated and any(is_missing(value) for value in values):
        return FALSE
    choices = frozenset(join_key(value) for value in values if not is_missing(value))
    if not choices or (negated and len({family for family, _ in choices}) > 1):
        return FALSE
    if len(choices) == 1:
        return _compared(name, "!=" if negated else "=", next(iter(choices))[1])
    return _one(Choice(name, choices, outside=negated))


def _tested(name: str, operator: str, pattern: Value, negated: bool) -> Filter:
    if not isinstance(pattern, str):
        return FALSE
    if operator == "LIKE":
        operator, pattern = _plain_like(pattern)
    if operator == "=":
        return _compared(name, "!=" if negated else "=", pattern)
    return _one(Text(name, TextTest(operator, (pattern,), negated)))


def _plain_like(pattern: str) -> tuple[str, str]:
    """Return a LIKE without wildcards inside as the simpler operator that it is."""
    inner = pattern.strip("%")
    if "%" in inner or "_" in inner:
        return "LIKE", pattern
    starts, ends = pattern.endswith("%"), pattern.startswith("%")
    if starts and ends:
        return "CONTAINS", inner
    return ("STARTS WITH" if starts else "ENDS WITH" if ends else "="), inner
