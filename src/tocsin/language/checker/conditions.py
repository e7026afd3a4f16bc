"""Conditions: expressions that are true or false, DEFINE names among them."""

from __future__ import annotations

from tocsin.language.checker.contradictions import warn_of_contradiction
from tocsin.language.checker.definitions import (
    MAX_NESTED,
    Meaning,
    distinct,
    report_circle,
    report_too_deep,
)
from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.kinds import BOOLEAN, UNKNOWN, comparable
from tocsin.language.checker.missing_attribute import report_no_event
from tocsin.language.checker.scope import Names, Scope
from tocsin.language.checker.variables import (
    bind,
    bind_by_comparison,
    report_two_kinds,
    use_variable,
)
from tocsin.language.checker.words import quoted, shown, word_for
from tocsin.language.tokens import quote_name
from tocsin.language.tree import (
    And,
    Attribute,
    Comparison,
    Expression,
    Literal,
)
from tocsin.model.values import Kind


def condition(node: Expression, scope: Scope) -> None:
    """Check an expression that must be true or false."""
    if type(node) is Attribute and node.name in scope.names.definitions:
        use_definition(node.name, node.at, scope, binding=False)
        return
    kind = HANDLERS[type(node)](node, scope)
    if kind is not BOOLEAN and kind is not UNKNOWN:
        _report_no_condition(node, kind, scope)


def filter_condition(node: Expression, scope: Scope) -> None:
    """Check a filter: like a condition, but its top-level equations bind variables."""
    if type(node) is And:
        for part in node.parts:
            filter_condition(part, scope)
        warn_of_contradiction(node, scope)
    elif type(node) is Comparison:
        if node.operator != "=" or not bind_by_comparison(node, scope):
            HANDLERS[Comparison](node, scope)
    elif type(node) is Attribute and node.name in scope.names.definitions:
        use_definition(node.name, node.at, scope, binding=True)
    else:
        condition(node, scope)


def use_definition(name: str, at: int, scope: Scope, *, binding: bool) -> None:
    """Check a DEFINE name that stands for its condition."""
    current = scope.current
    if current is None:
        report_no_event(name, at, scope)
        return
    if current.kinds.get(name) is BOOLEAN:
        what = f"{quoted(name)} is both a DEFINE and an attribute of {current.where()}"
        hint = f"Rename the DEFINE, or write {quote_name(name)} = TRUE for the attribute."
        scope.problems.error(at, what, hint)
        return
    meaning = meaning_of(name, at, scope)
    if meaning is None:
        return
    if meaning.parameters:
        scope.parameters |= meaning.parameters
    for effect in meaning.effects:
        if effect.binds and binding:
            bind(effect.name, effect.kind, at, scope, definition=name)
            continue
        known = use_variable(effect.name, at, effect.kind, scope, definition=name)
        if not comparable(known, effect.kind):
            report_two_kinds(effect.name, effect.kind, known, at, scope, definition=name)


def meaning_of(name: str, at: int, scope: Scope) -> Meaning | None:
    """Return what the DEFINE does on the current event, or None where it has no meaning."""
    assert scope.current is not None
    names = scope.names
    key = (name, id(scope.current))
    if key in names.meanings:
        known = names.meanings[key]
        if known is None and name in scope.chain:
            report_circle((*scope.chain, name), at, names)
        return known
    if len(scope.chain) >= MAX_NESTED:
        report_too_deep(name, at, names)
        return None
    names.meanings[key] = None
    meaning = _read_definition(name, at, scope, names)
    names.meanings[key] = meaning
    return meaning


def _read_definition(name: str, at: int, scope: Scope, names: Names) -> Meaning:
    assert scope.current is not None
    inner = Scope(names, scope.current, None)
    inner.current = scope.current
    inner.effects = []
    inner.definition = name
    inner.used_at = scope.used_at if scope.definition is not None else at
    inner.chain = (*scope.chain, name)
    filter_condition(names.definitions[name].condition, inner)
    return Meaning(scope.current, distinct(inner.effects), frozenset(inner.parameters))


def _report_no_condition(node: Expression, kind: Kind, scope: Scope) -> None:
    what = f"{shown(node)} is {word_for(kind)}, not a condition"
    scope.problems.error(node.at, what, _hint_for_condition(node, kind))


def _hint_for_condition(node: Expression, kind: Kind) -> str:
    if kind is Kind.TIMESTAMP:
        return "Compare it, as in t(b) - t(a) < 5 min."
    if isinstance(node, Literal):
        return "Write TRUE or FALSE, or compare it with something."
    example = "'…'" if kind is Kind.STRING else "5 min" if kind is Kind.DURATION else "0"
    operator = "=" if kind is Kind.STRING else ">"
    return f"Compare it, as in {shown(node)} {operator} {example}."
