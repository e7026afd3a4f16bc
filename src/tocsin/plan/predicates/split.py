"""An atom's condition in two parts: what the current event decides alone, and the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tocsin.language.rewrite import rewrite
from tocsin.language.tree import (
    Aggregate,
    And,
    Attribute,
    Expression,
    Literal,
    MatchDuration,
    OfEvent,
    TimeOf,
    Variable,
)
from tocsin.language.variables import walk

_DYNAMIC: Final = (Variable, OfEvent, TimeOf, MatchDuration, Aggregate)
_TIMES: Final = {"t": "$end", "end": "$end", "begin": "$begin"}


@dataclass(frozen=True, slots=True)
class SplitCondition:
    """The two parts of a condition; their conjunction is the whole.

    Attributes
    ----------
    static
        Decided by the current event; `TRUE` where nothing is. The own alias is gone from it:
        `a.price` is `price`, `t(a)` is the attribute `$end` that every row of a batch has.
    dynamic
        The conjuncts that need variables or other events, in the order of the text.
    """

    static: Expression
    dynamic: tuple[Expression, ...]


def split_condition(condition: Expression, *, own: str | None = None) -> SplitCondition:
    """Split an atom's condition, definitions inlined; `own` is the atom's alias.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> parts = split_condition(parse_expression("status = 'denied' AND ip = $x"))
    >>> parts.static == parse_expression("status = 'denied'"), len(parts.dynamic)
    (True, 1)
    """
    static: list[Expression] = []
    dynamic: list[Expression] = []
    for conjunct in conjuncts(condition):
        plain = _without_own(conjunct, own)
        if is_static(plain):
            static.append(plain)
        else:
            dynamic.append(conjunct)
    if not static:
        return SplitCondition(Literal(True), tuple(dynamic))
    whole = static[0] if len(static) == 1 else And(tuple(static))
    return SplitCondition(whole, tuple(dynamic))


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """Return what AND joins, in the order of the text."""
    if isinstance(condition, And):
        return tuple(conjunct for part in condition.parts for conjunct in conjuncts(part))
    return (condition,)


def is_static(condition: Expression) -> bool:
    """Say whether the current event alone decides a condition."""
    return not any(isinstance(node, _DYNAMIC) for node in walk(condition))


def _without_own(node: Expression, own: str | None) -> Expression:
    """Return an expression in which the own alias is the current event."""

    def change(part: Any) -> Any:
        match part:
            case OfEvent(event, attribute) if event.alias == own and event.which is None:
                return Attribute(attribute)
            case TimeOf(function, event) if event.alias == own and event.which is None:
                return Attribute(_TIMES[function])
        return None

    changed: Expression = node if own is None else rewrite(node, change)
    return changed
