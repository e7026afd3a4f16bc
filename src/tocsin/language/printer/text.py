"""From any node of the tree to its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, get_args

from tocsin.errors import ConfigurationError
from tocsin.language.printer.expressions import event_text, expression_text, thresholds_text
from tocsin.language.printer.layout import flat
from tocsin.language.printer.literals import limit_text
from tocsin.language.printer.patterns import link_text, pattern_doc
from tocsin.language.printer.statements import (
    attribute_text,
    combine_text,
    emit_item_doc,
    match_limit_text,
    predict_text,
    program_text,
    since_text,
    statement_text,
)
from tocsin.language.tree import (
    AttributeDeclaration,
    Combine,
    EmitItem,
    EventReference,
    Expression,
    Limit,
    Link,
    MatchLimit,
    Pattern,
    Predict,
    Program,
    Since,
    Statement,
    Thresholds,
)

Node: TypeAlias = (
    Program
    | Statement
    | Pattern
    | Expression
    | AttributeDeclaration
    | Combine
    | EmitItem
    | EventReference
    | Limit
    | Link
    | MatchLimit
    | Predict
    | Since
    | Thresholds
)
"""Anything of the tree that has a text of its own."""

_PRINTERS: Final[dict[type, Callable[[Any], str]]] = {
    Program: program_text,
    **dict.fromkeys(get_args(Statement), statement_text),
    **dict.fromkeys(get_args(Pattern), lambda node: flat(pattern_doc(node))),
    **dict.fromkeys(get_args(Expression), expression_text),
    AttributeDeclaration: attribute_text,
    Combine: lambda node: f"COMBINE {combine_text(node)}",
    EmitItem: lambda node: flat(emit_item_doc(node)),
    EventReference: event_text,
    Limit: limit_text,
    Link: link_text,
    MatchLimit: lambda node: f"LIMIT {match_limit_text(node)}",
    Predict: lambda node: f"PREDICT {predict_text(node)}",
    Since: lambda node: f"SINCE {since_text(node)}",
    Thresholds: thresholds_text,
}


def to_text(node: Node) -> str:
    """Return the canonical text of a node; reading it again gives an equal node.

    Patterns and expressions stand in one line; statements have the layout of `tocsin fmt` and end
    with `;`. Parentheses stand only where the meaning needs them.

    Raises
    ------
    ConfigurationError
        The argument is no node of the tree.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> source = "subscribe hot match (a:[(x>30)]) ; b:[x > 1h] within 90m emit t(b) as at"
    >>> print(to_text(parse(source)))
    SUBSCRIBE hot
    MATCH   a:[x > 30] ; b:[x > 1 hour]
    WITHIN  90 min
    EMIT    t(b) AS at;
    """
    printer = _PRINTERS.get(type(node))
    if printer is None:
        msg = f"{type(node).__name__} is no node of the syntax tree; give what `parse` returned"
        raise ConfigurationError(msg)
    return printer(node)
