"""A linear pattern as a tree: what a partial match has taken, and what it may take next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from tocsin.language.tree import Expression, Limit


@dataclass(frozen=True, slots=True)
class Test:
    """A condition in two parts: what the event decides alone, and what looks at the match.

    In the dynamic part, `#3` is the atom with number 3, and `$begin` and `$end` are attributes.
    """

    static: Expression
    dynamic: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """How a partial match takes one more event.

    Attributes
    ----------
    link
        `start` where there is no match yet.
    gate
        The explicit condition of `->{…}`; the first event that satisfies it decides.
    leaf, stream, test
        The atom, the stream its event must come from, and its condition.
    until
        No event that satisfies this is taken.
    ends
        An event that satisfies this ends the waiting, and is not taken.
    absent
        An event that satisfies one of these, of this stream, ends the waiting behind it.
    """

    link: OneOf["start", ",", "->", ";"]
    leaf: int
    test: Test
    stream: str | None = None
    gate: Test | None = None
    until: Expression | None = None
    ends: Expression | None = None
    absent: tuple[tuple[Test, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """Where the value of a variable comes from: the first event of an atom."""

    leaf: int
    attribute: str


@dataclass(slots=True)
class Node:
    """What has been matched when a partial match is here.

    Attributes
    ----------
    guards
        Conditions on the match; where one fails, only the loop goes on from here.
    moves
        What may come next, and where it leads.
    loop
        One more repetition, which leads back here.
    accepts
        Whether the pattern is complete here.
    variables
        Where the variables come from on the way to this node.
    """

    guards: tuple[Test, ...] = ()
    moves: list[tuple[Move, Node]] = field(default_factory=list)
    loop: Move | None = None
    accepts: bool = False
    variables: dict[str, Bound] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Linear:
    """A pattern that needs no machine but a line of states.

    `limits` are those of WITHIN, which every complete match must keep.
    """

    start: Node
    limits: tuple[Limit, ...]
    where: Test | None


class NotLinearError(Exception):
    """The pattern needs another kind of machine; the message says why."""
