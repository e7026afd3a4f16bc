"""By what an index finds the filters that an event passes."""

from __future__ import annotations

from typing import Any, Final

from tocsin.errors import UnsupportedError
from tocsin.language.rewrite import rewrite
from tocsin.language.tree import Expression, Literal, Parameter
from tocsin.plan.predicates import (
    Choice,
    Conjunction,
    Interval,
    Present,
    SimpleLiteral,
    Text,
    to_filter,
)

_LAST_INDEXED: Final = 3


def access_of(condition: Expression) -> tuple[str, ...]:
    """Return how each alternative of a condition is found, the same one once.

    An index that runs chooses among equal kinds by what it has seen of events.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> access_of(parse_expression("status = 'denied' AND ip IS PRESENT OR size > 10"))
    ('hash on status, then presence of ip', 'range on size')
    """
    try:
        found = to_filter(rewrite(condition, _filled))
    except UnsupportedError:
        return ("not indexed",)
    if not found:
        return ("never",)
    return tuple(dict.fromkeys(_path(conjunction) for conjunction in found))


def _filled(node: Any) -> Any:
    """A parameter of a template becomes a constant; its value is no matter here."""
    return Literal(0) if isinstance(node, Parameter) else None


def _path(conjunction: Conjunction) -> str:
    """Return what finds a conjunction, and what is verified for those that are found."""
    if not conjunction:
        return "every event"
    ranked = sorted(conjunction, key=_rank)
    equalities = (one for one in ranked if isinstance(one, Interval) and one.is_equality)
    equal = list(dict.fromkeys(one.attribute for one in equalities))[:2]
    names = list(dict.fromkeys(map(_name, ranked)))
    if not equal:
        first, *rest = names
        if _rank(ranked[0]) > _LAST_INDEXED:
            first = f"scan for {first}"
    else:
        first = f"hash on {', '.join(equal)}"
        rest = [name for name in names if name not in {f"equality of {one}" for one in equal}]
    return ", then ".join([first, " and ".join(rest)] if rest else [first])


def _rank(literal: SimpleLiteral) -> int:
    """Equalities first, then lists, ranges and texts; what is left has to be scanned."""
    match literal:
        case Interval():
            return (0 if literal.is_equality else 2) if literal.is_plain else 5
        case Choice():
            return 1 if not (literal.outside or literal.negated) else 5
        case Text():
            return 5 if literal.negated else 3
        case Present():
            return 4
    return 6


def _name(literal: SimpleLiteral) -> str:
    match literal:
        case Interval(attribute):
            return f"equality of {attribute}" if literal.is_equality else f"range on {attribute}"
        case Choice(attribute):
            return f"IN on {attribute}"
        case Present(attribute):
            return f"presence of {attribute}"
        case Text(attribute):
            return f"text set of {attribute}"
    return "program"
