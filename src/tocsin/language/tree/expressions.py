"""Expressions: values and conditions, as they stand in filters, conditions and EMIT."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from tocsin.model.values import Value


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: boolean, integer, float, string, timestamp or duration."""

    value: Value
    at: int = field(default=-1, compare=False, repr=False)

    # 1 == True == 1.0 in Python, but they are different programs here.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal):
            return NotImplemented
        return type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Parameter:
    """`{limit}`: a place that a parameter table fills, once a row."""

    name: str
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Attribute:
    """`price`: an attribute of the current event; where a condition stands, also a DEFINE name."""

    name: str
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """`$x`."""

    name: str
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EventReference:
    """An event of the match: `a`, `a[2]`, `first(a)`, `last(a)` or `prev(a)`.

    `which` is None for the only event of `a`, a number from 1 on, or the name of the function.
    """

    alias: str
    which: None | int | OneOf["first", "last", "prev"] = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OfEvent:
    """`a.price`, `a[2].price`, `first(a.price)`, `last(a.price)`, `prev(a.price)`."""

    event: EventReference
    attribute: str
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TimeOf:
    """`t(a)`, `begin(a)`, `end(a)`; `t` is the end time."""

    function: OneOf["t", "begin", "end"]
    event: EventReference
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MatchDuration:
    """`duration()`: end - begin of the match so far, the current event included."""

    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`count(a)`, `sum(a.price)`, `avg`, `min`, `max` over the repetitions of an alias.

    `attribute` is None for `count`.
    """

    function: OneOf["count", "sum", "avg", "min", "max"]
    alias: str
    attribute: str | None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """`abs(x)`, `lower(s)`, `upper(s)`, `length(s)`, `min(x, y, …)`, `max(x, y, …)`."""

    function: OneOf["abs", "min", "max", "lower", "upper", "length"]
    arguments: tuple[Expression, ...]
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negative:
    """`-x`; a minus before a number literal makes a negative literal instead."""

    operand: Expression
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`x + y` and so on, left-associative."""

    operator: OneOf["+", "-", "*", "/", "%"]
    left: Expression
    right: Expression
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`x < y`; `x = $v` with an unbound `$v` in an atom's filter binds it."""

    operator: OneOf["=", "!=", "<", "<=", ">", ">="]
    left: Expression
    right: Expression
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Between:
    """`x BETWEEN low AND high`, both ends included."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InList:
    """`x IN (1, 2, 3)`."""

    operand: Expression
    choices: tuple[Expression, ...]
    negated: bool = False
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InCidr:
    """`ip IN CIDR '10.0.0.0/8'`."""

    operand: Expression
    network: Expression
    negated: bool = False
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Presence:
    """`x IS PRESENT`, `x IS MISSING`."""

    operand: Expression
    present: bool
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TextMatch:
    """`x CONTAINS y`, `STARTS WITH`, `ENDS WITH`, `LIKE 'a%'`, `MATCHES 'regex'`."""

    operator: OneOf["CONTAINS", "STARTS WITH", "ENDS WITH", "LIKE", "MATCHES"]
    operand: Expression
    pattern: Expression
    negated: bool = False
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`POSSIBLY 0.6 NECESSARILY 0.2`."""

    possibly: float | None
    necessarily: float | None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Vague:
    """`rent IS NOT very cheap POSSIBLY 0.6`."""

    operand: Expression
    term: str
    hedges: tuple[OneOf["very", "somewhat"], ...] = ()
    negated: bool = False
    thresholds: Thresholds | None = None
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """`NOT x`."""

    operand: Expression
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """`x AND y AND …`, at least two parts."""

    parts: tuple[Expression, ...]
    at: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """`x OR y OR …`, at least two parts."""

    parts: tuple[Expression, ...]
    at: int = field(default=-1, compare=False, repr=False)


Expression: TypeAlias = (
    Literal
    | Parameter
    | Attribute
    | Variable
    | OfEvent
    | TimeOf
    | MatchDuration
    | Aggregate
    | Call
    | Negative
    | Arithmetic
    | Comparison
    | Between
    | InList
    | InCidr
    | Presence
    | TextMatch
    | Vague
    | Not
    | And
    | Or
)
