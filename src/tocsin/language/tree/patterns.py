"""Patterns: expressions over atoms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from tocsin.language.tree.expressions import Expression, Parameter
from tocsin.model.values import Duration


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a match may reach: a duration, or a number of events."""

    unit: OneOf["time", "events"]
    amount: Duration | int | Parameter
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Link:
    """How one part follows another: `,` or `->` or `->{condition}` or `;`."""

    kind: OneOf[",", "->", ";"]
    condition: Expression | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Atom:
    """A filter with an alias, the leaf of a pattern.

    `a:[filter]`, `[filter]`, `name`, `a:name`, `a:asks[filter]`. `name` is a DEFINE or a stream
    (its events are then all meant); `stream` stands before a filter in brackets.
    """

    alias: str | None = None
    condition: Expression | None = None
    name: str | None = None
    stream: str | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Iteration:
    """`p{low,high} BY link UNTIL (condition)`; `high` is None where there is no upper bound."""

    pattern: Pattern
    low: int
    high: int | None
    by: Link = Link("->")
    until: Expression | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Condition:
    """`p @ (condition)`."""

    pattern: Pattern
    condition: Expression
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Span:
    """`(p WITHIN 5 min)`."""

    pattern: Pattern
    limit: Limit
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Absence:
    """`!q`, `!q FOR 10 min`, `!q FOR 10 min EVERY 10 min`: a part of a sequence, or silence."""

    pattern: Pattern
    duration: Duration | Parameter | None = None
    every: Duration | Parameter | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts joined by links of one kind; `links[i]` stands before `parts[i + 1]`."""

    parts: tuple[Pattern, ...]
    links: tuple[Link, ...]
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Nth:
    """`nth(3, p)`."""

    index: int
    pattern: Pattern
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Repeat:
    """`repeat(p, n, attribute, step) BY ;`; `by` is None for `BY &`."""

    pattern: Pattern
    times: int
    attribute: str
    step: int | float | Duration
    by: Link | None = Link(";")
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`p & q & …`: all, in any order, sharing no event."""

    parts: tuple[Pattern, ...]
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """`p | q | …`."""

    parts: tuple[Pattern, ...]
    at: int = field(default=-1, compare=False, repr=False)


Pattern: TypeAlias = (
    Atom
    | Iteration
    | Condition
    | Span
    | Absence
    | Sequence
    | Nth
    | Repeat
    | Conjunction
    | Disjunction
)
