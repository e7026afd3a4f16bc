"""Filters of iterated atoms that ask for what the first repetition cannot have."""

from __future__ import annotations

from typing import Final

from tocsin.language.checker.scope import Scope
from tocsin.language.checker.where import atoms_of
from tocsin.language.checker.words import shown
from tocsin.language.tokens import quote_name
from tocsin.language.tree import (
    Aggregate,
    And,
    Arithmetic,
    Atom,
    Between,
    Call,
    Comparison,
    Expression,
    InCidr,
    InList,
    Iteration,
    Negative,
    OfEvent,
    Or,
    Presence,
    TextMatch,
    TimeOf,
)

# Of no events, these are missing; sum and count are 0.
_MISSING_OF_NONE: Final = frozenset({"avg", "min", "max"})


def warn_of_first_repetition(node: Atom, scope: Scope) -> None:
    """Warn of a filter that compares with earlier repetitions of its own atom, in every one.

    In the first repetition there are none before it, so that such a comparison is never true.
    """
    alias = node.alias
    if alias is None or node.condition is None:
        return
    found = _never_true(node.condition, alias)
    if found is None or _has_other_atoms(alias, scope):
        return
    conjunct, missing = found
    loop = scope.loop_nodes[-1]
    optional = isinstance(loop, Iteration) and loop.low == 0
    outcome = "no repetition is ever taken" if optional else "this never matches"
    what = f"never true in the first repetition, so {outcome}: {shown(missing)} is missing there"
    hint = f"Write (count({quote_name(alias)}) = 0 OR {shown(conjunct)})."
    scope.problems.warn(missing.at, what, hint)


def _has_other_atoms(alias: str, scope: Scope) -> bool:
    """Say whether another branch of `|` may give the alias its first event."""
    if scope.pattern is None:
        return True
    named = [atom for atom in atoms_of(scope.pattern) if (atom.alias or atom.name) == alias]
    return len(named) != 1


def _never_true(node: Expression, alias: str) -> tuple[Expression, Expression] | None:
    """Return the part of a condition that is false without earlier events, and what is missing."""
    if isinstance(node, And):
        return next(filter(None, (_never_true(part, alias) for part in node.parts)), None)
    if isinstance(node, Or):
        parts = [_never_true(part, alias) for part in node.parts]
        return (node, parts[0][1]) if parts[0] is not None and all(parts) else None
    missing = _missing_operand(node, alias)
    return None if missing is None else (node, missing)


def _missing_operand(node: Expression, alias: str) -> Expression | None:
    """Return the operand that makes a comparison false in the first repetition."""
    match node:
        case Comparison(_, left, right):
            return _missing(left, alias) or _missing(right, alias)
        case Between(operand, low, high):
            return _missing(operand, alias) or _missing(low, alias) or _missing(high, alias)
        case TextMatch(_, operand, pattern):
            return _missing(operand, alias) or _missing(pattern, alias)
        case InCidr(operand, network):
            return _missing(operand, alias) or _missing(network, alias)
        case InList(operand, _):
            return _missing(operand, alias)
        case Presence(operand, True):
            return _missing(operand, alias)
        case _:
            return None


def _missing(node: Expression, alias: str) -> Expression | None:
    """Return what is missing in a value where the alias has no event before."""
    match node:
        case OfEvent(event) | TimeOf(_, event) if event.alias == alias:
            return None if event.which is None else node
        case Aggregate(function, of, _) if of == alias and function in _MISSING_OF_NONE:
            return node
        case Arithmetic(_, left, right):
            return _missing(left, alias) or _missing(right, alias)
        case Negative(operand) | Call(_, (operand,)):
            return _missing(operand, alias)
        case _:
            return None
