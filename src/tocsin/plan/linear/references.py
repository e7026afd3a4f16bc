"""Aliases and variables become atoms by number, so that equal prefixes are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    Aggregate,
    And,
    Attribute,
    Comparison,
    EventReference,
    Expression,
    OfEvent,
    Presence,
    TextMatch,
    TimeOf,
    Variable,
)
from tocsin.language.variables import walk
from tocsin.plan.linear.nodes import Bound, NotLinearError, Test
from tocsin.plan.predicates.split import conjuncts, split_condition

_TIMES = {"t": "$end", "end": "$end", "begin": "$begin"}


@dataclass(frozen=True, slots=True)
class Names:
    """What aliases and variables stand for at one place of a pattern."""

    leaf_of_alias: Mapping[str, int]
    variables: Mapping[str, Bound]


def test_of_atom(
    condition: Expression, leaf: int, alias: str, names: Names
) -> tuple[Test, dict[str, Bound]]:
    """Return the test of an atom and the variables that are bound after it."""
    variables = dict(names.variables)
    parts: list[Expression] = []
    for conjunct in conjuncts(condition):
        bound = _binding(conjunct, variables)
        if bound is not None:
            name, attribute = bound
            variables[name] = Bound(leaf, attribute)
            parts.append(Presence(Attribute(attribute), present=True))
        else:
            parts.append(_resolved(conjunct, Names(names.leaf_of_alias, variables), alias))
    return _split(parts), variables


def test_of(condition: Expression, names: Names) -> Test:
    """Return the test of a condition that binds nothing."""
    return _split([_resolved(condition, names, None)])


def _split(parts: list[Expression]) -> Test:
    whole = parts[0] if len(parts) == 1 else And(tuple(parts))
    found = split_condition(whole)
    return Test(found.static, found.dynamic)


def _binding(conjunct: Expression, variables: Mapping[str, Bound]) -> tuple[str, str] | None:
    """Return variable and attribute where a conjunct binds one, as `ip = $x` does."""
    match conjunct:
        case Comparison("=", Attribute(attribute), Variable(name)) if name not in variables:
            return name, attribute
        case Comparison("=", Variable(name), Attribute(attribute)) if name not in variables:
            return name, attribute
    return None


def _resolved(condition: Expression, names: Names, own: str | None) -> Expression:
    def change(node: Any) -> Any:
        match node:
            case Variable(name):
                return _of_variable(name, names)
            case OfEvent(event, attribute):
                return _of_event(event, attribute, names, own)
            case TimeOf(function, event):
                return _of_event(event, _TIMES[function], names, own)
            case Aggregate():
                msg = f"{node.function} in a condition"
                raise NotLinearError(msg)
        return None

    resolved: Expression = rewrite(condition, change)
    _refuse_texts(resolved)
    return resolved


def _of_variable(name: str, names: Names) -> OfEvent:
    bound = names.variables.get(name)
    if bound is None:
        msg = f"${name} may be unbound"
        raise NotLinearError(msg)
    return OfEvent(EventReference(f"#{bound.leaf}", "first"), bound.attribute)


def _of_event(
    event: EventReference, attribute: str, names: Names, own: str | None
) -> OfEvent | Attribute:
    if event.alias == own and event.which is None:
        return Attribute(attribute)
    leaf = names.leaf_of_alias.get(event.alias)
    if leaf is None:
        msg = f"'{event.alias}' stands for several atoms"
        raise NotLinearError(msg)
    return OfEvent(EventReference(f"#{leaf}", event.which), attribute)


def _refuse_texts(condition: Expression) -> None:
    """A text operator between two events needs both strings, which kernels do not have."""
    for node in walk(condition):
        if isinstance(node, TextMatch) and any(isinstance(p, OfEvent) for p in walk(node)):
            msg = f"{node.operator} between two events"
            raise NotLinearError(msg)
