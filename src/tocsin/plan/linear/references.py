"""Aliases and variables become atoms by number, so that equal prefixes are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    Aggregate,
    And,
    Attribute,
    Call,
    Comparison,
    EventReference,
    Expression,
    InCidr,
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
    """What aliases and variables stand for at one place of a pattern.

    `own` are variables that the current event binds, with the attributes it binds them to.
    """

    leaf_of_alias: Mapping[str, int]
    variables: Mapping[str, Bound]
    own: Mapping[str, str] = field(default_factory=dict)


def test_of_atom(
    condition: Expression, leaf: int, alias: str, names: Names
) -> tuple[Test, dict[str, Bound]]:
    """Return the test of an atom and the variables that are bound after it."""
    variables = dict(names.variables)
    own: dict[str, str] = {}  # what the event itself has bound
    parts: list[Expression] = []
    for conjunct in conjuncts(condition):
        bound = _binding(conjunct, variables)
        if bound is not None:
            name, attribute = bound
            variables[name] = Bound(leaf, attribute)
            own[name] = attribute
            parts.append(Presence(Attribute(attribute), present=True))
        else:
            known = Names(names.leaf_of_alias, variables, own)
            parts.append(_resolved(conjunct, known, alias))
    return _split(parts), variables


def test_of(condition: Expression, names: Names) -> Test:
    """Return the test of a condition that binds nothing."""
    return _split([_resolved(condition, names, None)])


def test_of_last(condition: Expression, names: Names, alias: str) -> Test:
    """Return the same where the current event is the last one of an alias."""

    def change(node: Any) -> Any:
        match node:
            case OfEvent(EventReference(own, "last"), attribute) if own == alias:
                return OfEvent(EventReference(own), attribute)
        return None

    return _split([_resolved(rewrite(condition, change), names, alias)])


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
                return _of_iteration(node, names)
        return None

    resolved: Expression = rewrite(condition, change)
    _refuse_texts(resolved)
    return resolved


def _of_variable(name: str, names: Names) -> OfEvent | Attribute:
    if name in names.own:
        return Attribute(names.own[name])
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


def _of_iteration(node: Aggregate, names: Names) -> Aggregate:
    leaf = names.leaf_of_alias.get(node.alias)
    if leaf is None:
        msg = f"'{node.alias}' stands for several atoms"
        raise NotLinearError(msg)
    return replace(node, alias=f"#{leaf}")


def _refuse_texts(condition: Expression) -> None:
    """A function of a string is known for strings of the batch, not for those of earlier events."""
    for node in walk(condition):
        if not isinstance(node, TextMatch | InCidr | Call):
            continue
        is_of_match = any(isinstance(part, OfEvent | Aggregate) for part in walk(node))
        if isinstance(node, Call) and node.function not in {"lower", "upper", "length"}:
            continue
        if is_of_match:
            msg = "a function of a string of an earlier event"
            raise NotLinearError(msg)
