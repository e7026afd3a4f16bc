"""Which events may concern a subscription, told by filters that an event alone decides.

An event that satisfies none of them is taken by no atom, present or absent, opens no gate and ends
no iteration. It counts as a position, and nothing else: where `,` asks for the very next event,
positions tell (see `gate`). Only where simultaneous events have no order, which events are next
depends on the times of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from tocsin.language.normal import Joint, Leaf, Normal, Repeated
from tocsin.language.tree import Expression, Literal
from tocsin.language.variables import walk
from tocsin.plan.predicates import split_condition

Interest: TypeAlias = tuple[str | None, Expression]

TRUE: Final = Literal(True)


def interests_of(
    pattern: Normal, sources: tuple[str, ...], *, unordered: bool
) -> tuple[Interest, ...] | None:
    """Return filters one of which every event satisfies that may concern a pattern.

    Each is a stream (None: any) and a condition on the event, definitions inlined. None stands for
    all events.

    Examples
    --------
    >>> from tocsin.language.live import LiveProgram
    >>> from tocsin.language.parser import parse, parse_expression
    >>> program = parse("SUBSCRIBE s MATCH a:[k = 1 AND x = $x] ; !b:[k = 2 AND x = $x] FOR 1 s")
    >>> (one,) = LiveProgram(program).normal(program.subscriptions)
    >>> found = interests_of(one.pattern, one.sources, unordered=False)
    >>> found == ((None, parse_expression("k = 1")), (None, parse_expression("k = 2")))
    True
    """
    interests = tuple(dict.fromkeys(_interests(pattern, unordered=unordered)))
    if any(condition == TRUE and _is_any(stream, sources) for stream, condition in interests):
        return None
    return interests


def interest_of(leaf: Leaf) -> Interest:
    """Return the filter that every event of an atom satisfies."""
    return leaf.stream, split_condition(leaf.condition, own=leaf.alias).static


def _is_any(stream: str | None, sources: tuple[str, ...]) -> bool:
    return stream is None or sources == (stream,)


def _interests(pattern: Normal, *, unordered: bool) -> Iterator[Interest]:
    for node in walk(pattern):
        match node:
            case Leaf():
                yield interest_of(node)
            case Joint():
                if node.condition is not None:
                    yield None, split_condition(node.condition).static
                if unordered and (node.kind == "," or node.absent_next):
                    yield None, TRUE
            case Repeated() if node.until is not None:
                yield None, split_condition(node.until).static
