"""Literals: the smallest conditions on one event, compared by value so that equal ones are shared.

Logic is two-valued, so a literal has two ways of saying no. `outside` is part of the comparison:
`a != 1` is false where `a` is missing. `negated` turns the whole literal round: `NOT (a = 1)`
holds where `a` is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import TypeAlias

from tocsin.model.values import Value
from tocsin.plan.predicates.programs import Program
from tocsin.plan.predicates.text_tests import TextTest

Family: TypeAlias = OneOf["boolean", "number", "string", "timestamp", "duration"]


@dataclass(frozen=True, slots=True)
class Interval:
    """`low <= attribute <= high` among the values of one family; a limit of None is none.

    An equality has two equal limits. A vague predicate with a threshold against a crisp value is
    one of these too: the cut of a convex fuzzy set is a closed interval.
    """

    attribute: str
    family: Family
    low: Value = None
    high: Value = None
    low_open: bool = False
    high_open: bool = False
    outside: bool = False
    negated: bool = False

    @property
    def is_equality(self) -> bool:
        """Whether one value alone satisfies it."""
        both = self.low is not None and self.high is not None
        open_ends = self.low_open or self.high_open
        return both and not open_ends and self.low == self.high and self.is_plain

    @property
    def is_plain(self) -> bool:
        """Whether it holds exactly for the values inside."""
        return not (self.outside or self.negated)


@dataclass(frozen=True, slots=True)
class Choice:
    """`attribute IN (…)`: the choices are pairs of family and value."""

    attribute: str
    choices: frozenset[tuple[str, Value]]
    outside: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Present:
    """`attribute IS PRESENT`."""

    attribute: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A test of a string, the answer of which depends on that string alone."""

    attribute: str
    test: TextTest
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Computed:
    """A condition on the current event that a small program decides."""

    program: Program
    negated: bool = False


SimpleLiteral: TypeAlias = Interval | Choice | Present | Text | Computed
Conjunction: TypeAlias = tuple[SimpleLiteral, ...]
"""All of these hold; none is there for TRUE."""

Filter: TypeAlias = tuple[Conjunction, ...]
"""One of these holds; none is there for FALSE."""


def negate(literal: SimpleLiteral) -> SimpleLiteral:
    """Return the literal that holds exactly where this one does not."""
    return replace(literal, negated=not literal.negated)
