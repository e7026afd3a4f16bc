"""The normal form of a pattern: what engines read.

Definitions are inlined, every atom knows its number and its shown alias, and a sequence is a
`Chain` of elements with a `Joint` before each but the first; absences live in the joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from tocsin.language.tree import Expression, Limit
from tocsin.model.values import Duration


@dataclass(frozen=True, slots=True)
class Leaf:
    """An atom: `number` is its place in the text, from 0 on, absent atoms included.

    `stream` is None where any stream of the subscription will do.
    """

    number: int
    alias: str
    stream: str | None
    condition: Expression


@dataclass(frozen=True, slots=True)
class Wait:
    """`!q FOR T`."""

    absent: Normal
    duration: Duration


@dataclass(frozen=True, slots=True)
class Joint:
    """How an element follows what stands before it.

    Attributes
    ----------
    kind, condition
        `,` or `->` or `;`, and the explicit condition of `->{…}`.
    absent
        No match of these lies wholly between.
    absent_next
        The very next event is none of these.
    wait
        None of this comes for a while, and the element begins after that while.
    """

    kind: OneOf[",", "->", ";"]
    condition: Expression | None = None
    absent: tuple[Normal, ...] = ()
    absent_next: tuple[Normal, ...] = ()
    wait: Wait | None = None


@dataclass(frozen=True, slots=True)
class Lead:
    """What must be absent before the first element: `!q ; r` and `!q FOR T ; p`."""

    absent: tuple[Normal, ...] = ()
    wait: Wait | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """A sequence; `joints[i]` stands before `elements[i + 1]`; `tail` ends it with `; !q FOR T`."""

    elements: tuple[Normal, ...]
    joints: tuple[Joint, ...]
    lead: Lead | None = None
    tail: Wait | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """An iteration, or a `repeat` where `step` is given.

    `aliases` are those whose innermost iteration this is; `p?` is no iteration in that sense.
    `by` is None for `BY &`.
    """

    part: Normal
    low: int
    high: int | None
    by: Joint | None
    until: Expression | None = None
    aliases: tuple[str, ...] = ()
    step: tuple[str, int | float | Duration] | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """`p @ (condition)`."""

    part: Normal
    condition: Expression


@dataclass(frozen=True, slots=True)
class Bounded:
    """`(p WITHIN limit)`."""

    part: Normal
    limit: Limit


@dataclass(frozen=True, slots=True)
class Counted:
    """`nth(index, p)`; `variables` are those that occur in p."""

    index: int
    part: Normal
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Both:
    """`p & q & …`."""

    parts: tuple[Normal, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """`p | q | …`."""

    parts: tuple[Normal, ...]


@dataclass(frozen=True, slots=True)
class Silence:
    """`!q FOR T EVERY T2`, the whole pattern."""

    absent: Normal
    duration: Duration
    every: Duration | None


Normal: TypeAlias = Leaf | Chain | Repeated | Guard | Bounded | Counted | Both | Either | Silence


def can_be_empty(node: Normal) -> bool:
    """Say whether a part may vanish, because all it holds is optional."""
    match node:
        case Leaf() | Counted() | Silence():
            return False
        case Chain():
            return all(can_be_empty(element) for element in node.elements)
        case Repeated():
            return node.low == 0 or can_be_empty(node.part)
        case Guard() | Bounded():
            return can_be_empty(node.part)
        case Both():
            return all(can_be_empty(part) for part in node.parts)
        case Either():
            return any(can_be_empty(part) for part in node.parts)


def openings(node: Normal) -> tuple[Leaf, ...]:
    """Return the leaves that may be first in a match of a part."""
    match node:
        case Leaf():
            return (node,)
        case Chain():
            return _chain_openings(node)
        case Repeated() | Guard() | Bounded() | Counted():
            return openings(node.part)
        case Both() | Either():
            return tuple(leaf for part in node.parts for leaf in openings(part))
        case Silence():
            return ()


def _chain_openings(chain: Chain) -> tuple[Leaf, ...]:
    found: list[Leaf] = []
    for element in chain.elements:
        found += openings(element)
        if not can_be_empty(element):
            break
    return tuple(found)
