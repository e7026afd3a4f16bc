"""Whether a part can match without any event."""

from __future__ import annotations

from tocsin.language.tree import (
    Absence,
    Atom,
    Conjunction,
    Disjunction,
    Iteration,
    Nth,
    Pattern,
    Repeat,
    Sequence,
)


def can_be_empty(node: Pattern) -> bool:
    """Say whether all that a part holds is optional; an absence takes no event.

    Examples
    --------
    >>> from tocsin.language.parser import parse_pattern
    >>> can_be_empty(parse_pattern("[x = 1]? ; [x = 2]*")), can_be_empty(parse_pattern("[x = 1]+"))
    (True, False)
    """
    if isinstance(node, Atom | Repeat):
        return False
    if isinstance(node, Absence):
        return True
    if isinstance(node, Sequence | Conjunction):
        return all(can_be_empty(part) for part in node.parts)
    if isinstance(node, Disjunction):
        return any(can_be_empty(part) for part in node.parts)
    if isinstance(node, Iteration) and node.low == 0:
        return True
    return can_be_empty(node.pattern)


def opening_nth(node: Pattern) -> Nth | None:
    """Return an `nth` above the first that a match of this part may begin with."""
    if isinstance(node, Atom | Absence | Repeat):
        return None
    if isinstance(node, Nth) and node.index > 1:
        return node
    if isinstance(node, Conjunction | Disjunction):
        return next(filter(None, map(opening_nth, node.parts)), None)
    if not isinstance(node, Sequence):
        return opening_nth(node.pattern)
    for part in node.parts:
        found = opening_nth(part)
        if found is not None or not can_be_empty(part):
            return found
    return None
