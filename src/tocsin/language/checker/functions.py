"""Functions of values: abs, min, max, lower, upper, length."""

from __future__ import annotations

from typing import Final

from tocsin.language.checker.attributes import either_kind
from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.kinds import BOOLEAN, DURATION, INTEGER, STRING, UNKNOWN, comparable
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.words import shown, word_for
from tocsin.language.tree import Call, Expression
from tocsin.model.values import Kind

_OF_STRINGS: Final = frozenset({"lower", "upper", "length"})
_OF_SEVERAL: Final = frozenset({"min", "max"})


def call(node: Call, scope: Scope) -> Kind:
    """Check a function and return the kind of its result."""
    kinds = [HANDLERS[type(argument)](argument, scope) for argument in node.arguments]
    if node.function in _OF_SEVERAL:
        return _of_several(node, kinds, scope)
    if len(kinds) != 1:
        _report_count(node, "one value", scope)
        return UNKNOWN
    if node.function in _OF_STRINGS:
        return _of_string(node, kinds[0], scope)
    return _absolute(node, kinds[0], scope)


def _report_count(node: Call, wanted: str, scope: Scope) -> None:
    what = f"{node.function} takes {wanted}, not {len(node.arguments)}"
    example = "min(x, y)" if node.function in _OF_SEVERAL else f"{node.function}(x)"
    scope.problems.error(node.at, what, f"Write it as {example}.")


def _of_several(node: Call, kinds: list[Kind], scope: Scope) -> Kind:
    if len(kinds) < 2:
        _report_count(node, "two or more values", scope)
        return UNKNOWN
    result, named = kinds[0], node.arguments[0]
    for argument, kind in zip(node.arguments, kinds, strict=True):
        if kind is BOOLEAN:
            _report_kind(node, argument, kind, "numbers, strings or times", scope)
            return UNKNOWN
        if not comparable(result, kind):
            what = (
                f"{node.function} of different types: {shown(named)} is {word_for(result)}, "
                f"{shown(argument)} is {word_for(kind)}"
            )
            scope.problems.error(argument.at, what, "All values need the same type.")
            return UNKNOWN
        result = either_kind(result, kind)
    return result


def _of_string(node: Call, kind: Kind, scope: Scope) -> Kind:
    if kind is not STRING and kind is not UNKNOWN:
        _report_kind(node, node.arguments[0], kind, "strings", scope)
    return INTEGER if node.function == "length" else STRING


def _absolute(node: Call, kind: Kind, scope: Scope) -> Kind:
    if kind is UNKNOWN or kind is DURATION or kind.is_number:
        return kind
    _report_kind(node, node.arguments[0], kind, "numbers and durations", scope)
    return UNKNOWN


def _report_kind(node: Call, argument: Expression, kind: Kind, wanted: str, scope: Scope) -> None:
    what = f"{node.function} works on {wanted}, and {shown(argument)} is {word_for(kind)}"
    scope.problems.error(argument.at, what, f"Give it {_ONE_OF[wanted]}.")


_ONE_OF: Final = {
    "strings": "a string",
    "numbers and durations": "a number or a duration",
    "numbers, strings or times": "a number, a string or a time",
}
