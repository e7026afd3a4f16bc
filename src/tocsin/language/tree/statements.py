"""Statements: what a `.tocsin` file holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf
from typing import TypeAlias

from tocsin.language.tree.expressions import Expression, Parameter, Thresholds
from tocsin.language.tree.patterns import Limit, Pattern
from tocsin.model.values import Kind, Timestamp


@dataclass(frozen=True, slots=True)
class AttributeDeclaration:
    """One attribute of a stream: its name and its type."""

    name: str
    kind: Kind
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StreamDeclaration:
    """`STREAM logins (ts TIMESTAMP, ip STRING) TIME ts`."""

    name: str
    attributes: tuple[AttributeDeclaration, ...]
    time: str | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Definition:
    """`DEFINE denied AS status = 'denied'`."""

    name: str
    condition: Expression
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FuzzySet:
    """`FUZZY cheap ON rent AS trapezoid(-inf, -inf, 1200, 1500)`."""

    name: str
    attribute: str
    shape: str
    parameters: tuple[float, ...]
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EmitItem:
    """`$x AS ip`; `name` is None where the text has no AS and the expression names itself."""

    expression: Expression
    name: str | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MatchLimit:
    """`LIMIT 3 PER $x`."""

    count: int | Parameter
    per: str | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Combine:
    """`COMBINE WITH weighted(0.3, 0.7)`."""

    method: OneOf["min", "product", "lukasiewicz", "average", "weighted"]
    weights: tuple[float, ...] = ()
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Predict:
    """`PREDICT WITHIN 20 EVENTS ABOVE 0.8`."""

    horizon: Limit
    threshold: float
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Since:
    """`SINCE TIMESTAMP '…' ONLY NEW`; `moment` is None for `SINCE BEGINNING`."""

    moment: Timestamp | None = None
    only_new: bool = False
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Subscription:
    """A name, a pattern, and clauses.

    The name of a template holds its parameters in braces: `alert_{user}`.
    """

    name: str
    pattern: Pattern
    sources: tuple[str, ...] = ()
    where: Expression | None = None
    within: Limit | None = None
    duplicates: OneOf["ALL", "FIRST", "LAST"] = "ALL"
    pairs: OneOf["ALL", "UNIQUE", "SEPARATE"] = "ALL"
    limit: MatchLimit | None = None
    accept: Thresholds | None = None
    combine: Combine | None = None
    emit: tuple[EmitItem, ...] = ()
    into: str | None = None
    predict: Predict | None = None
    since: Since | None = None
    at: int = field(default=-1, compare=False, repr=False)


Statement: TypeAlias = StreamDeclaration | Definition | FuzzySet | Subscription


@dataclass(frozen=True, slots=True)
class Program:
    """What one text holds, in its order."""

    statements: tuple[Statement, ...]
    source: str = field(default="", compare=False, repr=False)

    @property
    def streams(self) -> tuple[StreamDeclaration, ...]:
        """The declared streams."""
        return tuple(s for s in self.statements if isinstance(s, StreamDeclaration))

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The named filters."""
        return tuple(s for s in self.statements if isinstance(s, Definition))

    @property
    def fuzzy_sets(self) -> tuple[FuzzySet, ...]:
        """The vague terms."""
        return tuple(s for s in self.statements if isinstance(s, FuzzySet))

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """The subscriptions."""
        return tuple(s for s in self.statements if isinstance(s, Subscription))

    def only(self, names: Collection[str]) -> Program:
        """Return the program with some of its subscriptions, and all its other statements."""
        kept = (s for s in self.statements if not isinstance(s, Subscription) or s.name in names)
        return replace(self, statements=tuple(kept))
