"""Text operators, regular expressions and networks."""

from __future__ import annotations

import ipaddress
import re
import warnings

from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.kinds import BOOLEAN, STRING, UNKNOWN
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import shown, word_for
from tocsin.language.tokens import quote_string
from tocsin.language.tree import Expression, InCidr, Literal, Parameter, TextMatch
from tocsin.model.values import Kind


def text_match(node: TextMatch, scope: Scope) -> Kind:
    """Check CONTAINS, STARTS WITH, ENDS WITH, LIKE and MATCHES."""
    _need_string(node.operand, node.operator, scope)
    if node.operator in {"LIKE", "MATCHES"} and not isinstance(node.pattern, Literal | Parameter):
        HANDLERS[type(node.pattern)](node.pattern, scope)
        what = f"the pattern of {node.operator} is a string in quotes, not {shown(node.pattern)}"
        example = "'a%'" if node.operator == "LIKE" else "'^a.*z$'"
        hint = f"Write a string, as in {node.operator} {example}, or use CONTAINS."
        scope.problems.error(node.pattern.at, what, hint)
        return BOOLEAN
    _need_string(node.pattern, node.operator, scope)
    if node.operator == "MATCHES" and isinstance(node.pattern, Literal):
        _check_expression(node.pattern, scope)
    return BOOLEAN


def _need_string(node: Expression, operator: str, scope: Scope) -> None:
    kind = HANDLERS[type(node)](node, scope)
    if kind is STRING or kind is UNKNOWN:
        return
    what = f"{operator} works on strings, and {shown(node)} is {word_for(kind)}"
    hint = "Use =, <, > or BETWEEN for other values."
    if operator == "IN CIDR":
        hint = "Name an attribute that holds addresses as strings."
    elif isinstance(node, Literal):
        hint = f"Put it in single quotes: {quote_string(shown(node))}."
    scope.problems.error(node.at, what, hint)


def _check_expression(node: Literal, scope: Scope) -> None:
    if not isinstance(node.value, str):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(node.value)
    except re.error as error:
        what = f"this is not a regular expression: {error}"
        hint = "It follows Python's re module; a backslash before a sign takes its meaning away."
        scope.problems.error(node.at, what, hint)
    except (RecursionError, OverflowError, MemoryError):
        scope.problems.error(node.at, "this regular expression is too complex", "Shorten it.")


def in_cidr(node: InCidr, scope: Scope) -> Kind:
    """Check `ip IN CIDR '10.0.0.0/8'`."""
    _need_string(node.operand, "IN CIDR", scope)
    network = node.network
    if isinstance(network, Parameter):
        HANDLERS[Parameter](network, scope)
    elif not isinstance(network, Literal) or not isinstance(network.value, str):
        what = f"the network of IN CIDR is a string in quotes, not {shown(network)}"
        scope.problems.error(network.at, what, "Write it as a string: IN CIDR '10.0.0.0/8'.")
    else:
        _check_network(network.value, network.at, scope)
    return BOOLEAN


def _check_network(text: str, at: int, scope: Scope) -> None:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        what = f"{shown(Literal(text))} is not a network"
        scope.problems.error(at, what, _hint_for_network(text))


def _hint_for_network(text: str) -> str:
    try:
        meant = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return "Write an address and a number of bits, such as '10.0.0.0/8' or 'fd00::/8'."
    return f"The bits behind the prefix must be 0. Did you mean '{meant}'?"
