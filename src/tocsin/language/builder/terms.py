"""What expressions begin with: attributes, variables, parameters, constants."""

from __future__ import annotations

from typing import Final

from tocsin.language.builder.base import refuse
from tocsin.language.builder.expressions import BuiltExpression
from tocsin.language.builder.values import (
    Operand,
    duration_of,
    expression_of,
    moment_of,
    name_of,
    variable_name_of,
)
from tocsin.language.parser import parse_expression
from tocsin.language.tree import And, Attribute, Expression, Literal, Not, Or, Parameter, Variable


class Attributes:
    """The attributes of the current event: `attr.price`, `attr["job-name"]`.

    Where a condition stands, this is also how a DEFINE is used by its name.
    """

    __iter__ = None

    def __getattr__(self, name: str) -> BuiltExpression:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> BuiltExpression:
        return BuiltExpression(Attribute(name_of(name, "an attribute")))


attr: Final = Attributes()


def var(name: str) -> BuiltExpression:
    """Return the variable `$name`.

    Examples
    --------
    >>> attr.ip == var("x")
    BuiltExpression(ip = $x)
    """
    return BuiltExpression(Variable(variable_name_of(name)))


def param(name: str) -> BuiltExpression:
    """Return the parameter `{name}`, which a table fills.

    Examples
    --------
    >>> attr.price > param("limit")
    BuiltExpression(price > {limit})
    """
    return BuiltExpression(Parameter(name_of(name, "a parameter")))


def literal(value: Operand) -> BuiltExpression:
    """Return a constant, to begin an expression with."""
    return BuiltExpression(expression_of(value))


def interval(length: str) -> BuiltExpression:
    """Return a duration, where nothing beside it says that text is one.

    Examples
    --------
    >>> attr.waited > interval("5 min")
    BuiltExpression(waited > 5 min)
    """
    return BuiltExpression(Literal(duration_of(length)))


def moment(time: object) -> BuiltExpression:
    """Return a timestamp from ISO text, a `datetime` or an integer in milliseconds.

    Examples
    --------
    >>> attr.seen > moment("2007-02-14T12:38:10Z")
    BuiltExpression(seen > TIMESTAMP '2007-02-14T12:38:10Z')
    """
    return BuiltExpression(Literal(moment_of(time)))


def expression(text: str) -> BuiltExpression:
    """Return the expression that a text says.

    Examples
    --------
    >>> expression("price > 10") & (attr.symbol == "ACME")
    BuiltExpression(price > 10 AND symbol = 'ACME')
    """
    return BuiltExpression(parse_expression(name_of(text, "the text of an expression")))


def all_of(*conditions: Operand) -> BuiltExpression:
    """Return `x AND y AND …`; unlike `&`, a part that is itself an AND keeps its parentheses."""
    return BuiltExpression(And(_parts(conditions, "all_of")))


def any_of(*conditions: Operand) -> BuiltExpression:
    """Return `x OR y OR …`; unlike `|`, a part that is itself an OR keeps its parentheses."""
    return BuiltExpression(Or(_parts(conditions, "any_of")))


def not_(condition: Operand) -> BuiltExpression:
    """Return `NOT x`, as `~x` does."""
    return BuiltExpression(Not(expression_of(condition)))


def _parts(conditions: tuple[Operand, ...], function: str) -> tuple[Expression, ...]:
    if len(conditions) < 2:
        refuse(conditions, "two conditions or more", f"give {function} each as its own argument")
    return tuple(map(expression_of, conditions))
