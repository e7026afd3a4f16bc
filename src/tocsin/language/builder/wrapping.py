"""From a tree to what the builder would have made."""

from __future__ import annotations

from typing import Any, get_args, overload

from tocsin.language.builder.base import Built, refuse
from tocsin.language.builder.expressions import BuiltExpression
from tocsin.language.builder.patterns import BuiltPattern
from tocsin.language.builder.references import BuiltEvent
from tocsin.language.builder.statements import BuiltProgram, BuiltStatement
from tocsin.language.printer import Node
from tocsin.language.tree import EventReference, Expression, Pattern, Program, Statement


@overload
def wrap(tree: Expression) -> BuiltExpression: ...
@overload
def wrap(tree: Pattern) -> BuiltPattern: ...
@overload
def wrap(tree: Statement) -> BuiltStatement: ...
@overload
def wrap(tree: Program) -> BuiltProgram: ...
@overload
def wrap(tree: EventReference) -> BuiltEvent: ...
@overload
def wrap(tree: Node) -> Built[Any]: ...
def wrap(tree: Node) -> Built[Any]:
    """Return a tree in the wrapper that has its methods and operators.

    Examples
    --------
    >>> from tocsin.language.parser import parse_pattern
    >>> wrap(parse_pattern("a:[x = 1]")).one_or_more()
    BuiltPattern(a:[x = 1]+)
    """
    for kinds, wrapper in _WRAPPERS:
        if isinstance(tree, kinds):
            return wrapper(tree)
    if not isinstance(tree, get_args(Node)):
        refuse(tree, "a tree", "give a part of what `parse` returned")
    return Built(tree)


_WRAPPERS: tuple[tuple[Any, type[Built[Any]]], ...] = (
    (get_args(Expression), BuiltExpression),
    (get_args(Pattern), BuiltPattern),
    (get_args(Statement), BuiltStatement),
    (Program, BuiltProgram),
    (EventReference, BuiltEvent),
)
