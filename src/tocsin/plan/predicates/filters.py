"""From the static part of a filter to its disjunctive normal form."""

from __future__ import annotations

from typing import Final

from tocsin.language.tree import And, Expression, Not, Or
from tocsin.plan.predicates.comparisons import FALSE, TRUE, literals_of
from tocsin.plan.predicates.literals import Computed, Conjunction, Filter, SimpleLiteral, negate
from tocsin.plan.predicates.programs import compile_condition
from tocsin.plan.predicates.simplify import simplify

MOST_CONJUNCTIONS: Final = 16


class _TooManyError(Exception):
    """The normal form would be larger than it is worth."""


def to_filter(condition: Expression, *, most: int = MOST_CONJUNCTIONS) -> Filter:
    """Return a condition on the current event in disjunctive normal form.

    Where that would have more than `most` conjunctions, each conjunct that is too large (or, if
    that does not help, the whole) becomes one computed literal.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> found = to_filter(parse_expression("a = 1 AND NOT (b > 2 OR b IS MISSING)"))
    >>> [(literal.attribute, literal.negated) for literal in found[0]]
    [('a', False), ('b', True), ('b', False)]
    """
    try:
        return _absorbed(_both(TRUE, _normal(condition, most=most, negated=False), most))
    except _TooManyError:
        pass
    parts = condition.parts if isinstance(condition, And) else (condition,)
    found: Filter = TRUE
    for part in parts:
        found = _both(found, _small(part, most), len(parts) + most)
    return _absorbed(found)


def without_alternatives(condition: Expression) -> Filter | None:
    """Return a condition as a filter of at most one conjunction, None where it has alternatives.

    Joined with other conjuncts it gives the same conjunction as the whole does.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> without_alternatives(parse_expression("a = 1 OR b = 2")) is None
    True
    """
    try:
        return _both(TRUE, _normal(condition, most=1, negated=False), 1)
    except _TooManyError:
        return None


def _small(part: Expression, most: int) -> Filter:
    """Return a conjunct as one conjunction: as it is, or as one program."""
    try:
        found = _absorbed(_normal(part, most=most, negated=False))
    except _TooManyError:
        found = ()
    if len(found) == 1:
        return found
    return ((Computed(compile_condition(part)),),)


def _normal(condition: Expression, *, most: int, negated: bool) -> Filter:
    match condition:
        case Not(operand):
            return _normal(operand, most=most, negated=not negated)
        case And(parts) | Or(parts):
            sides = [_normal(part, most=most, negated=negated) for part in parts]
            if isinstance(condition, And) != negated:
                return _conjoined(sides, most)
            return _either(sides, most)
        case _:
            found = literals_of(condition)
            return _turned(found, most) if negated else found


def _turned(found: Filter, most: int) -> Filter:
    """Return the negation of a small filter, by De Morgan's law."""
    return _conjoined([tuple((negate(lit),) for lit in conjunction) for conjunction in found], most)


def _conjoined(sides: list[Filter], most: int) -> Filter:
    if all(len(side) == 1 for side in sides):
        found = simplify(tuple(literal for side in sides for literal in side[0]))
        return FALSE if found is None else (found,)
    return _joined(sides, most)


def _joined(sides: list[Filter], most: int) -> Filter:
    found: Filter = TRUE
    for side in sides:
        found = _both(found, side, most)
    return found


def _either(sides: list[Filter], most: int) -> Filter:
    found = _distinct([conjunction for side in sides for conjunction in side])
    if len(found) > most:
        raise _TooManyError
    return found


def _both(left: Filter, right: Filter, most: int) -> Filter:
    joined = (simplify((*one, *other)) for one in left for other in right)
    found = _distinct([conjunction for conjunction in joined if conjunction is not None])
    if len(found) > most:
        raise _TooManyError
    return found


def _distinct(conjunctions: list[Conjunction]) -> Filter:
    seen: dict[frozenset[SimpleLiteral], Conjunction] = {}
    for conjunction in conjunctions:
        seen.setdefault(frozenset(conjunction), conjunction)
    return tuple(seen.values())


def _absorbed(found: Filter) -> Filter:
    """Leave out a conjunction that asks for all that another one asks for, and more."""
    if len(found) <= 1:
        return found
    sets = [frozenset(conjunction) for conjunction in found]
    kept = [
        conjunction
        for conjunction, own in zip(found, sets, strict=True)
        if not any(other < own for other in sets)
    ]
    return tuple(kept)
