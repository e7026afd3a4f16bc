"""Values and conditions made with Python's operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from tocsin.language.builder.base import Built, refuse, refuse_truth
from tocsin.language.builder.kinds import time_kind
from tocsin.language.builder.values import Operand, expression_of, name_of, number_of
from tocsin.language.tree import (
    And,
    Arithmetic,
    Between,
    Comparison,
    EmitItem,
    Expression,
    InCidr,
    InList,
    Literal,
    Negative,
    Not,
    Or,
    Presence,
    TextMatch,
    Thresholds,
    Vague,
)
from tocsin.model.values import Duration, Kind, Timestamp

_Hedge = OneOf["very", "somewhat"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BuiltExpression(Built[Expression]):
    """A value or a condition; operators and methods make larger ones.

    `&`, `|` and `~` are AND, OR and NOT; mind Python's precedence and write parentheses around
    comparisons. Text beside a time is a time or a duration.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> (b.attr.price > 10) & ~(b.attr.symbol == "ACME")
    BuiltExpression(price > 10 AND NOT symbol = 'ACME')
    >>> b.t("b") - b.t("a") < "5 min"
    BuiltExpression(t(b) - t(a) < 5 min)
    """

    def __bool__(self) -> bool:
        return refuse_truth(self.to_text())

    def __hash__(self) -> int:
        return hash(self.tree)

    def __eq__(self, other: Operand) -> BuiltExpression:  # type: ignore[override]
        return self._compared("=", other)

    def __ne__(self, other: Operand) -> BuiltExpression:  # type: ignore[override]
        return self._compared("!=", other)

    def __lt__(self, other: Operand) -> BuiltExpression:
        return self._compared("<", other)

    def __le__(self, other: Operand) -> BuiltExpression:
        return self._compared("<=", other)

    def __gt__(self, other: Operand) -> BuiltExpression:
        return self._compared(">", other)

    def __ge__(self, other: Operand) -> BuiltExpression:
        return self._compared(">=", other)

    def __and__(self, other: Operand) -> BuiltExpression:
        left = self.tree.parts if isinstance(self.tree, And) else (self.tree,)
        return BuiltExpression(And((*left, expression_of(other))))

    def __or__(self, other: Operand) -> BuiltExpression:
        left = self.tree.parts if isinstance(self.tree, Or) else (self.tree,)
        return BuiltExpression(Or((*left, expression_of(other))))

    def __rand__(self, other: Operand) -> BuiltExpression:
        return BuiltExpression(expression_of(other)) & self

    def __ror__(self, other: Operand) -> BuiltExpression:
        return BuiltExpression(expression_of(other)) | self

    def __invert__(self) -> BuiltExpression:
        return BuiltExpression(Not(self.tree))

    def __add__(self, other: Operand) -> BuiltExpression:
        return self._computed("+", other)

    def __sub__(self, other: Operand) -> BuiltExpression:
        return self._computed("-", other)

    def __mul__(self, other: Operand) -> BuiltExpression:
        return self._computed("*", other)

    def __truediv__(self, other: Operand) -> BuiltExpression:
        return self._computed("/", other)

    def __mod__(self, other: Operand) -> BuiltExpression:
        return self._computed("%", other)

    def __radd__(self, other: Operand) -> BuiltExpression:
        return self._computed("+", other, swapped=True)

    def __rsub__(self, other: Operand) -> BuiltExpression:
        return self._computed("-", other, swapped=True)

    def __rmul__(self, other: Operand) -> BuiltExpression:
        return self._computed("*", other, swapped=True)

    def __rtruediv__(self, other: Operand) -> BuiltExpression:
        return self._computed("/", other, swapped=True)

    def __rmod__(self, other: Operand) -> BuiltExpression:
        return self._computed("%", other, swapped=True)

    def __neg__(self) -> BuiltExpression:
        constant = self.tree.value if isinstance(self.tree, Literal) else None
        if isinstance(constant, Duration):
            return BuiltExpression(Literal(Duration(-constant)))
        if isinstance(constant, int | float) and not isinstance(constant, bool | Timestamp):
            return BuiltExpression(expression_of(-constant))
        return BuiltExpression(Negative(self.tree))

    def between(self, low: Operand, high: Operand, *, negated: bool = False) -> BuiltExpression:
        """Return `x BETWEEN low AND high`, or with `negated` `x NOT BETWEEN …`."""
        operands = (expression_of(low, self._time), expression_of(high, self._time))
        return BuiltExpression(Between(self.tree, *operands, negated))

    def is_in(self, choices: Sequence[Operand], *, negated: bool = False) -> BuiltExpression:
        """Return `x IN (…)`.

        Examples
        --------
        >>> from tocsin.language import builder as b
        >>> b.attr.status.is_in(["denied", "locked"])
        BuiltExpression(status IN ('denied', 'locked'))
        """
        if isinstance(choices, str | Built) or not isinstance(choices, Sequence) or not choices:
            refuse(choices, "a list of choices", "give a list or tuple with at least one value")
        found = tuple(expression_of(choice, self._time) for choice in choices)
        return BuiltExpression(InList(self.tree, found, negated))

    def in_cidr(self, network: Operand, *, negated: bool = False) -> BuiltExpression:
        """Return `ip IN CIDR '10.0.0.0/8'`."""
        return BuiltExpression(InCidr(self.tree, expression_of(network), negated))

    def is_present(self) -> BuiltExpression:
        """Return `x IS PRESENT`."""
        return BuiltExpression(Presence(self.tree, present=True))

    def is_missing(self) -> BuiltExpression:
        """Return `x IS MISSING`."""
        return BuiltExpression(Presence(self.tree, present=False))

    def contains(self, text: Operand, *, negated: bool = False) -> BuiltExpression:
        """Return `x CONTAINS text`."""
        return BuiltExpression(TextMatch("CONTAINS", self.tree, expression_of(text), negated))

    def starts_with(self, text: Operand, *, negated: bool = False) -> BuiltExpression:
        """Return `x STARTS WITH text`."""
        return BuiltExpression(TextMatch("STARTS WITH", self.tree, expression_of(text), negated))

    def ends_with(self, text: Operand, *, negated: bool = False) -> BuiltExpression:
        """Return `x ENDS WITH text`."""
        return BuiltExpression(TextMatch("ENDS WITH", self.tree, expression_of(text), negated))

    def like(self, pattern: Operand, *, negated: bool = False) -> BuiltExpression:
        """Return `x LIKE 'a%'`."""
        return BuiltExpression(TextMatch("LIKE", self.tree, expression_of(pattern), negated))

    def matches(self, pattern: Operand, *, negated: bool = False) -> BuiltExpression:
        """Return `x MATCHES 'regular expression'`."""
        return BuiltExpression(TextMatch("MATCHES", self.tree, expression_of(pattern), negated))

    def is_(
        self,
        *words: str,
        negated: bool = False,
        possibly: float | None = None,
        necessarily: float | None = None,
    ) -> BuiltExpression:
        """Return a vague predicate: hedges, if any, and a fuzzy term.

        Examples
        --------
        >>> from tocsin.language import builder as b
        >>> b.attr.rent.is_("very", "cheap", negated=True, possibly=0.6)
        BuiltExpression(rent IS NOT very cheap POSSIBLY 0.6)
        """
        if not words:
            refuse(words, "a fuzzy term", "give its name, as in is_('cheap')")
        *hedges, term = words
        asked = thresholds(possibly=possibly, necessarily=necessarily)
        known = tuple(_hedge(word) for word in hedges)
        vague = Vague(self.tree, name_of(term, "a fuzzy term"), known, negated, asked)
        return BuiltExpression(vague)

    def named(self, name: str) -> EmitItem:
        """Return `x AS name`, an item of EMIT."""
        return EmitItem(self.tree, name_of(name, "a name"))

    @property
    def _time(self) -> Kind | None:
        return time_kind(self.tree)

    def _compared(
        self, operator: OneOf["=", "!=", "<", "<=", ">", ">="], other: Operand
    ) -> BuiltExpression:
        return BuiltExpression(Comparison(operator, self.tree, expression_of(other, self._time)))

    def _computed(
        self, operator: OneOf["+", "-", "*", "/", "%"], other: Operand, *, swapped: bool = False
    ) -> BuiltExpression:
        timed = self._time is not None and operator in {"+", "-"}
        tree = expression_of(other, Kind.DURATION if timed else None)
        sides = (tree, self.tree) if swapped else (self.tree, tree)
        return BuiltExpression(Arithmetic(operator, *sides))


def thresholds(
    *, possibly: float | None = None, necessarily: float | None = None
) -> Thresholds | None:
    """Return `POSSIBLY … NECESSARILY …`, or None where neither is given."""
    if possibly is None and necessarily is None:
        return None
    possible = None if possibly is None else number_of(possibly)
    return Thresholds(possible, None if necessarily is None else number_of(necessarily))


def _hedge(word: str) -> _Hedge:
    if word == "very":
        return "very"
    if word == "somewhat":
        return "somewhat"
    return refuse(word, "a hedge", "the hedges are very and somewhat, and the term comes last")
