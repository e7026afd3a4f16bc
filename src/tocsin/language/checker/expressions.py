"""Expressions: the table of handlers, and the simple ones."""

from __future__ import annotations

from tocsin.language.checker.comparisons import between, comparison, in_list
from tocsin.language.checker.conditions import condition
from tocsin.language.checker.contradictions import warn_of_contradiction
from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.events import aggregate, match_duration, of_event, time_of
from tocsin.language.checker.functions import call
from tocsin.language.checker.kinds import (
    BOOLEAN,
    DURATION,
    TIMESTAMP,
    UNKNOWN,
    arithmetic_kind,
    counts,
)
from tocsin.language.checker.missing_attribute import (
    hyphenated_name,
    report_no_event,
    report_unknown_attribute,
)
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.texts import in_cidr, text_match
from tocsin.language.checker.vague import vague
from tocsin.language.checker.variables import variable
from tocsin.language.checker.words import quoted, shown, word_for
from tocsin.language.tokens import quote_name
from tocsin.language.tree import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
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
    TimeOf,
    Vague,
    Variable,
)
from tocsin.model.values import Kind, kind_of


def _literal(node: Literal, _: Scope) -> Kind:
    return kind_of(node.value)


def _parameter(node: Parameter, scope: Scope) -> Kind:
    scope.parameters.add(node.name)
    return UNKNOWN


def _attribute(node: Attribute, scope: Scope) -> Kind:
    current = scope.current
    if current is None:
        report_no_event(node.name, node.at, scope)
        return UNKNOWN
    kind = current.kinds.get(node.name)
    if kind is not None:
        return kind
    if not current.is_open:
        report_unknown_attribute(node.name, node.at, current, scope)
    return UNKNOWN


def _logic(node: And | Or, scope: Scope) -> Kind:
    for part in node.parts:
        condition(part, scope)
    if type(node) is And:
        warn_of_contradiction(node, scope)
    return BOOLEAN


def _not(node: Not, scope: Scope) -> Kind:
    condition(node.operand, scope)
    return BOOLEAN


def _presence(node: Presence, scope: Scope) -> Kind:
    HANDLERS[type(node.operand)](node.operand, scope)
    return BOOLEAN


def _negative(node: Negative, scope: Scope) -> Kind:
    kind = HANDLERS[type(node.operand)](node.operand, scope)
    if kind is UNKNOWN or kind is DURATION or kind.is_number:
        return kind
    what = f"'-' works on numbers and durations, and {shown(node.operand)} is {word_for(kind)}"
    hint = "Write NOT to deny a condition." if kind is BOOLEAN else "Leave out the '-'."
    scope.problems.error(node.at, what, hint)
    return UNKNOWN


def _arithmetic(node: Arithmetic, scope: Scope) -> Kind:
    if node.operator == "-" and _is_hyphenated(node, scope):
        return UNKNOWN
    left = HANDLERS[type(node.left)](node.left, scope)
    right = HANDLERS[type(node.right)](node.right, scope)
    kind = arithmetic_kind(node.operator, left, right)
    if kind is not None:
        _warn_of_zero(node, scope)
        return kind
    _report_arithmetic(node, left, right, scope)
    return UNKNOWN


def _is_hyphenated(node: Arithmetic, scope: Scope) -> bool:
    """`job-name` reads as a difference; say so where the stream has such an attribute."""
    name = hyphenated_name(node)
    if name is None or scope.current is None:
        return False
    left, right = node.left, node.right
    known = scope.current
    if isinstance(left, OfEvent):
        bound = scope.aliases.get(left.event.alias)
        known = bound.attributes if bound is not None else known
    if name not in known.kinds or (_is_known(left, known) and _is_known(right, known)):
        return False
    text = quote_name(name)
    what = f"{quoted(name)} without quotes reads as a difference"
    prefix = f"{left.event.alias}." if isinstance(left, OfEvent) else ""
    scope.problems.error(left.at, what, f"Put the name in double quotes: {prefix}{text}.")
    return True


def _is_known(node: Expression, known: object) -> bool:
    names = getattr(known, "kinds", {})
    if isinstance(node, Attribute):
        return node.name in names
    return isinstance(node, OfEvent) and node.attribute in names


def _warn_of_zero(node: Arithmetic, scope: Scope) -> None:
    right = node.right
    if type(right) is Literal and node.operator in {"/", "%"} and right.value == 0:
        what = "a division by zero has no value, so no comparison with it is true"
        scope.problems.warn(right.at, what, "Divide by something else.")


def _report_arithmetic(node: Arithmetic, left: Kind, right: Kind, scope: Scope) -> None:
    for side, kind in ((node.left, left), (node.right, right)):
        if not counts(kind):
            subject = f"{shown(side)} is {word_for(kind)}"
            what = f"'{node.operator}' works on numbers and times, and {subject}"
            hint = "Strings are compared with = or tested with CONTAINS, STARTS WITH and the like."
            if kind is BOOLEAN:
                hint = "Join conditions with AND and OR."
            scope.problems.error(side.at, what, hint)
            return
    what = (
        f"'{node.operator}' does not work on {shown(node.left)} ({word_for(left)}) "
        f"and {shown(node.right)} ({word_for(right)})"
    )
    scope.problems.error(node.at, what, _hint_for_times(node, left, right))


def _hint_for_times(node: Arithmetic, left: Kind, right: Kind) -> str:
    if left.is_number or right.is_number:
        number = node.left if left.is_number else node.right
        if node.operator in {"+", "-"}:
            example = number.value if isinstance(number, Literal) else 5
            return f"Give the number a unit, as in {example} s or {example} min."
    if left is TIMESTAMP and right is TIMESTAMP:
        return "Of two moments only the difference has a meaning: t(b) - t(a)."
    return (
        "Times allow: moment - moment, moment ± duration, duration ± duration, "
        "duration * number, duration / number."
    )


def fill_handlers() -> None:
    """Fill the table that all handlers look one another up in."""
    HANDLERS.update(
        {
            Aggregate: aggregate,
            And: _logic,
            Arithmetic: _arithmetic,
            Attribute: _attribute,
            Between: between,
            Call: call,
            Comparison: comparison,
            InCidr: in_cidr,
            InList: in_list,
            Literal: _literal,
            MatchDuration: match_duration,
            Negative: _negative,
            Not: _not,
            OfEvent: of_event,
            Or: _logic,
            Parameter: _parameter,
            Presence: _presence,
            TextMatch: text_match,
            TimeOf: time_of,
            Vague: vague,
            Variable: variable,
        }
    )
