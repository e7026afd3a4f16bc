"""A conjunction with fewer literals that holds for the same events."""

from __future__ import annotations

from dataclasses import replace

from tocsin.model.values import Value
from tocsin.plan.predicates.literals import Conjunction, Interval, SimpleLiteral, negate


def simplify(literals: tuple[SimpleLiteral, ...]) -> Conjunction | None:
    """Return a conjunction without repetitions, or None where it cannot hold.

    Two intervals of one attribute become one.

    Examples
    --------
    >>> one, other = Interval("a", "number", low=1), Interval("a", "number", high=5)
    >>> simplify((one, other)) == (Interval("a", "number", 1, 5),)
    True
    >>> simplify((Interval("a", "number", 1, 1), Interval("a", "number", 2, 2))) is None
    True
    """
    found: dict[SimpleLiteral, None] = {}
    places: dict[str, Interval] = {}
    for literal in literals:
        if isinstance(literal, Interval) and literal.is_plain:
            known = places.get(literal.attribute)
            merged = literal if known is None else _meet(known, literal)
            if merged is None or _is_empty(merged):
                return None
            if known is not None:
                del found[known]
            places[literal.attribute] = merged
            found[merged] = None
        else:
            found[literal] = None
    if any(literal.negated and negate(literal) in found for literal in found):
        return None
    return tuple(found)


def _meet(one: Interval, other: Interval) -> Interval | None:
    if one.family != other.family:
        return None  # a value is of one family
    low, low_open = _stricter((one.low, one.low_open), (other.low, other.low_open), greater=True)
    high, high_open = _stricter(
        (one.high, one.high_open), (other.high, other.high_open), greater=False
    )
    return replace(one, low=low, low_open=low_open, high=high, high_open=high_open)


def _stricter(
    one: tuple[Value, bool], other: tuple[Value, bool], *, greater: bool
) -> tuple[Value, bool]:
    if one[0] is None or other[0] is None:
        return other if one[0] is None else one
    if one[0] == other[0]:
        return one[0], one[1] or other[1]
    first_is_less: bool = one[0] < other[0]  # type: ignore[operator]
    return other if first_is_less == greater else one


def _is_empty(interval: Interval) -> bool:
    low, high = interval.low, interval.high
    if low is None or high is None:
        return False
    if low == high:
        return interval.low_open or interval.high_open
    # Equalities of strings and booleans differ, or have two equal limits.
    return isinstance(low, str | bool) or bool(low > high)  # type: ignore[operator]
