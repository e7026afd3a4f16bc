"""Variables: bound in filters, used everywhere to the right."""

from __future__ import annotations

from typing import Final

from tocsin.language.checker.definitions import Effect
from tocsin.language.checker.dispatch import HANDLERS
from tocsin.language.checker.kinds import UNKNOWN, comparable
from tocsin.language.checker.scope import Scope
from tocsin.language.checker.where import Position, position_of_variable
from tocsin.language.checker.words import quoted, word_for
from tocsin.language.suggest import did_you_mean
from tocsin.language.tree import Comparison, Expression, Variable
from tocsin.model.values import Kind


def variable(node: Variable, scope: Scope) -> Kind:
    """Return the kind of a variable that must be bound to the left."""
    return use_variable(node.name, node.at, UNKNOWN, scope)


def use_variable(
    name: str, at: int, beside: Kind, scope: Scope, *, definition: str | None = None
) -> Kind:
    """Return the kind of a bound variable; in a DEFINE, leave that to the place of its use.

    `beside` is the kind of the value it is compared with, `definition` the DEFINE that uses it.
    """
    kind = scope.variables.get(name)
    if kind is not None:
        return kind
    if scope.effects is not None:
        scope.effects.append(Effect(name, beside, at, binds=False))
        return UNKNOWN
    if name not in scope.reported:
        scope.reported.add(name)
        shown = f"${name}"
        if definition is not None:
            shown += f", which the DEFINE {quoted(definition)} uses,"
        _report_unbound(name, shown, at, scope)
    return UNKNOWN


def bind_by_comparison(node: Comparison, scope: Scope) -> bool:
    """Handle `expr = $x` in a filter; return whether it is one."""
    left, right = node.left, node.right
    if type(right) is Variable:
        if type(left) is Variable and left.name not in scope.variables:
            left, right = right, left  # `$new = $old` binds the new one
    elif type(left) is Variable:
        left, right = right, left
    else:
        return False
    _bind_to(left, right, scope)
    return True


def _bind_to(value: Expression, target: Expression, scope: Scope) -> None:
    assert isinstance(target, Variable)
    kind = HANDLERS[type(value)](value, scope)
    bind(target.name, kind, target.at, scope)


def bind(name: str, kind: Kind, at: int, scope: Scope, *, definition: str | None = None) -> None:
    """Bind a variable, or check that one bound before can have this kind."""
    known = scope.variables.get(name)
    if scope.effects is not None:
        scope.effects.append(Effect(name, kind, at, binds=True))
    if known is None:
        scope.variables[name] = kind
        scope.bound_at[name] = at
        if name in scope.absent:
            _report_bound_later(name, scope)
    elif known is UNKNOWN:
        scope.variables[name] = kind
    elif not comparable(known, kind):
        report_two_kinds(name, kind, known, at, scope, definition=definition)


def report_two_kinds(  # noqa: PLR0913 - all of it is in the message
    name: str, kind: Kind, known: Kind, at: int, scope: Scope, *, definition: str | None = None
) -> None:
    """Note that a variable has one kind here and another one where it was bound."""
    here = "here" if definition is None else f"in the DEFINE {quoted(definition)}"
    what = f"${name} is {word_for(kind)} {here}, and {word_for(known)} where it was bound"
    before = scope.bound_at.get(name, -1)
    if before < 0 or before == at:
        hint = "Use two variables."
    else:
        line = scope.problems.line_of(before)
        hint = f"It was bound in line {line}; use another variable for the other attribute."
    scope.problems.error(at, what, hint)


def _report_bound_later(name: str, scope: Scope) -> None:
    at = scope.absent.pop(name)
    what = f"${name} is used in an absence, but bound only after it"
    hint = "Bind it before the absence, or use another variable inside it."
    scope.problems.error(at, what, hint)


def _report_unbound(name: str, shown: str, at: int, scope: Scope) -> None:
    position = position_of_variable(scope.pattern, name, at, scope.names.definitions)
    if position is Position.NOWHERE:
        near = did_you_mean(f"${name}", [f"${other}" for other in scope.variables])
        hint = near or f"Bind it further left: attribute = ${name} in a filter, alone or after AND."
        scope.problems.error(at, f"{shown} is never bound", hint)
        return
    what, hint = _UNBOUND[position]
    scope.problems.error(at, f"{shown} {what}", hint.format(name=name))


_UNBOUND: Final[dict[Position, tuple[str, str]]] = {
    Position.OTHER_SIDE: (
        "is bound on the other side of '&', which is not seen here",
        "Put the condition behind both sides: (p & q) @ (… ${name} …).",
    ),
    Position.ABSENT: (
        "is bound only inside an absence, and no event stands for that",
        "Bind it in an atom that is not absent: attribute = ${name}.",
    ),
    Position.OTHER_BRANCH: (
        "is bound only in another branch of '|'",
        "Bind it in this branch too: attribute = ${name}.",
    ),
    Position.LATER: (
        "is used before it is bound",
        "Bind it further left: attribute = ${name} in a filter, alone or after AND.",
    ),
}
