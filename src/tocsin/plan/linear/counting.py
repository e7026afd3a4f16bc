"""What is known of `count(a)` at one place of an iteration, and what follows from it."""

from __future__ import annotations

from typing import Any, Final

from tocsin.language.rewrite import rewrite
from tocsin.language.tree import Aggregate, And, Comparison, Expression, Literal, Not, Or

_TRUE: Final = Literal(True)
_FALSE: Final = Literal(False)
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def with_known_count(condition: Expression, alias: str, low: int, high: float) -> Expression:
    """Return a condition where so many repetitions at least and at most have been taken.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> from tocsin.language.printer import to_text
    >>> rises = parse_expression("count(b) = 0 OR price > prev(b.price)")
    >>> to_text(with_known_count(rises, "b", 0, 0)), to_text(with_known_count(rises, "b", 1, 9))
    ('TRUE', 'price > prev(b.price)')
    """

    def change(node: Any) -> Any:
        match node:
            case Comparison(sign, Aggregate("count", own, None), Literal(int(value))):
                return _decided(sign, value, low, high) if own == alias else None
            case Comparison(sign, Literal(int(value)), Aggregate("count", own, None)):
                mirrored = _MIRRORED.get(sign, sign)
                return _decided(mirrored, value, low, high) if own == alias else None
        return None

    return _simple(rewrite(condition, change))


def _decided(sign: str, value: int, low: int, high: float) -> Literal | None:
    """Return whether a count compares so with a value; None where that depends on the count."""
    match sign:
        case "<":
            return _whether(high < value, low >= value)
        case "<=":
            return _whether(high <= value, low > value)
        case ">":
            return _whether(low > value, high <= value)
        case ">=":
            return _whether(low >= value, high < value)
    is_other = value < low or value > high
    is_equal = low == high == value
    return _whether(is_equal, is_other) if sign == "=" else _whether(is_other, is_equal)


def _whether(holds: bool, fails: bool) -> Literal | None:
    return _TRUE if holds else _FALSE if fails else None


def _simple(node: Expression) -> Expression:
    """Return a condition without constants that decide nothing."""
    match node:
        case Not(operand):
            inner = _simple(operand)
            return _FALSE if inner == _TRUE else _TRUE if inner == _FALSE else Not(inner)
        case And(parts):
            return _joined(parts, And, neutral=_TRUE, decides=_FALSE)
        case Or(parts):
            return _joined(parts, Or, neutral=_FALSE, decides=_TRUE)
    return node


def _joined(
    parts: tuple[Expression, ...],
    join: type[And] | type[Or],
    *,
    neutral: Literal,
    decides: Literal,
) -> Expression:
    simple = [_simple(part) for part in parts]
    if decides in simple:
        return decides
    kept = tuple(part for part in simple if part != neutral)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else join(kept)
