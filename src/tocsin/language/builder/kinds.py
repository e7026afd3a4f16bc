"""Which expressions are moments and which are lengths of time, as far as their form says."""

from __future__ import annotations

from tocsin.language.tree import (
    Arithmetic,
    Call,
    Expression,
    Literal,
    MatchDuration,
    Negative,
    TimeOf,
)
from tocsin.model.values import Duration, Kind, Timestamp


def time_kind(expression: Expression | None) -> Kind | None:
    """Return `TIMESTAMP` or `DURATION` where the form of an expression says so, else None.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> [time_kind(parse_expression(text)) for text in ("t(b)", "t(b) - t(a)", "price - 1")]
    [<Kind.TIMESTAMP: 'TIMESTAMP'>, <Kind.DURATION: 'DURATION'>, None]
    """
    if isinstance(expression, TimeOf):
        return Kind.TIMESTAMP
    if isinstance(expression, MatchDuration):
        return Kind.DURATION
    if isinstance(expression, Literal):
        return _kind_of_literal(expression)
    if isinstance(expression, Negative):
        return time_kind(expression.operand)
    if isinstance(expression, Call) and expression.function in {"abs", "min", "max"}:
        return next(filter(None, map(time_kind, expression.arguments)), None)
    if isinstance(expression, Arithmetic):
        return _kind_of_arithmetic(expression)
    return None


def _kind_of_literal(literal: Literal) -> Kind | None:
    if isinstance(literal.value, Timestamp):
        return Kind.TIMESTAMP
    return Kind.DURATION if isinstance(literal.value, Duration) else None


def _kind_of_arithmetic(node: Arithmetic) -> Kind | None:
    kinds = time_kind(node.left), time_kind(node.right)
    if node.operator == "-" and kinds == (Kind.TIMESTAMP, Kind.TIMESTAMP):
        return Kind.DURATION
    if node.operator in {"+", "-"}:
        return Kind.TIMESTAMP if Kind.TIMESTAMP in kinds else kinds[0] or kinds[1]
    if node.operator == "/" and kinds == (Kind.DURATION, Kind.DURATION):
        return None
    return Kind.DURATION if Kind.DURATION in kinds else None
