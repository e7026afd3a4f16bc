"""How far before its completion the events of a match may lie."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.language.normal import (
    Both,
    Bounded,
    Chain,
    Counted,
    Either,
    Guard,
    Leaf,
    Normal,
    Repeated,
    Silence,
)
from tocsin.language.tree import Limit


@dataclass(frozen=True, slots=True)
class Reach:
    """Bounds for all matches of a part; None where there is none.

    Attributes
    ----------
    span_us
        From the end of the event at the smallest position to the end of the match.
    whole_us
        From the begin of the match to its end; events may last, so that this can be longer.
    events
        Positions from the first event to the last, both included.
    """

    span_us: int | None
    whole_us: int | None
    events: int | None

    def limited(self, limit: Limit | None) -> Reach:
        """Return the reach of what also fulfils a WITHIN."""
        if limit is None or not isinstance(limit.amount, int):  # a parameter: no value is known
            return self
        if limit.unit == "events":
            return Reach(self.span_us, self.whole_us, _least(self.events, limit.amount))
        span, whole = _least(self.span_us, limit.amount), _least(self.whole_us, limit.amount)
        return Reach(span, whole, self.events)


def reach_of(node: Normal) -> Reach:
    """Return how far the matches of a part reach.

    Examples
    --------
    >>> from tocsin.language.tree import Literal
    >>> reach_of(Leaf(0, "a", None, Literal(True)))
    Reach(span_us=0, whole_us=None, events=1)
    """
    match node:
        case Leaf():
            return Reach(0, None, 1)
        case Guard() | Counted():
            return reach_of(node.part)
        case Bounded():
            return reach_of(node.part).limited(node.limit)
        case Either():
            return _widest([reach_of(part) for part in node.parts])
        case Chain():
            return _of_chain(node)
        case Repeated():
            return _of_repeated(node)
        case Both():
            return Reach(None, None, None)
        case Silence():
            return reach_of(node.absent)


def _of_chain(chain: Chain) -> Reach:
    parts = [reach_of(element) for element in chain.elements]
    if len(parts) == 1:
        return parts[0]
    contiguous = all(joint.kind == "," for joint in chain.joints)
    return Reach(None, None, _sum([part.events for part in parts]) if contiguous else None)


def _of_repeated(node: Repeated) -> Reach:
    part = reach_of(node.part)
    if node.high == 1:
        return part
    if node.high is None or node.by is None or node.by.kind != ",":
        return Reach(None, None, None)
    return Reach(None, None, _sum([part.events] * node.high))


def delay_of(node: Normal) -> int:
    """Return how long after its end a match may complete: the sum of trailing `!q FOR T`."""
    match node:
        case Leaf():
            return 0
        case Chain():
            tail = 0 if node.tail is None else node.tail.duration
            return max(delay_of(element) for element in node.elements) + tail
        case Repeated() | Guard() | Bounded() | Counted():
            return delay_of(node.part)
        case Both() | Either():
            return max(delay_of(part) for part in node.parts)
        case Silence():
            return node.duration


def _widest(reaches: list[Reach]) -> Reach:
    return Reach(
        _most([reach.span_us for reach in reaches]),
        _most([reach.whole_us for reach in reaches]),
        _most([reach.events for reach in reaches]),
    )


def _least(known: int | None, limit: int) -> int:
    return limit if known is None else min(known, limit)


def _most(bounds: list[int | None]) -> int | None:
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def _sum(bounds: list[int | None]) -> int | None:
    known = [bound for bound in bounds if bound is not None]
    return sum(known) if len(known) == len(bounds) else None
