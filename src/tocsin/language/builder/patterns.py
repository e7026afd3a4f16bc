"""Patterns made with methods and operators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import TypeAlias, cast, get_args, overload

from tocsin.language.builder.base import Built, refuse, refuse_truth
from tocsin.language.builder.expressions import BuiltExpression
from tocsin.language.builder.references import BuiltEvent, attribute_of, repetition_of
from tocsin.language.builder.values import (
    Amount,
    Operand,
    TimeAmount,
    count_of,
    expression_of,
    limit_of,
    name_of,
    time_amount_of,
)
from tocsin.language.tree import (
    Absence,
    Atom,
    Condition,
    Conjunction,
    Definition,
    Disjunction,
    Iteration,
    Link,
    Pattern,
    Sequence,
    Span,
    StreamDeclaration,
)

Part: TypeAlias = Built[Pattern] | Built[Definition] | Built[StreamDeclaration] | Pattern | str
"""A part of a pattern: something built, or the name of a DEFINE or a stream."""

LinkKind: TypeAlias = OneOf[",", "->", ";"]
_PATTERNS = get_args(Pattern)


@dataclass(frozen=True, slots=True, repr=False)
class BuiltPattern(Built[Pattern]):
    """A pattern; methods and operators make larger ones.

    `p >> q` is `p -> q`, `p & q` and `p | q` are themselves, `~p` is `!p`. For `;` and `,` there
    are `then_any` and `then_next`: Python has no operator of their precedence.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> low, high = b.event("low", b.attr.price < 10), b.event("high", b.attr.price > 20)
    >>> low >> high.where(high["price"] > 2 * low["price"])
    BuiltPattern(low:[price < 10] -> high:[price > 20] @ (high.price > 2 * low.price))
    """

    __iter__ = None

    def __bool__(self) -> bool:
        return refuse_truth(self.to_text())

    @overload
    def __getitem__(self, key: str) -> BuiltExpression: ...
    @overload
    def __getitem__(self, key: int) -> BuiltEvent: ...
    def __getitem__(self, key: str | int) -> BuiltEvent | BuiltExpression:
        return attribute_of(self, key) if isinstance(key, str) else repetition_of(self, key)

    def __rshift__(self, other: Part) -> BuiltPattern:
        tree, part = self.tree, pattern_of(other)
        if isinstance(tree, Sequence) and tree.links[0].kind == "->":
            return BuiltPattern(Sequence((*tree.parts, part), (*tree.links, Link("->"))))
        return BuiltPattern(Sequence((tree, part), (Link("->"),)))

    def __and__(self, other: Part) -> BuiltPattern:
        left = self.tree.parts if isinstance(self.tree, Conjunction) else (self.tree,)
        return BuiltPattern(Conjunction((*left, pattern_of(other))))

    def __or__(self, other: Part) -> BuiltPattern:
        left = self.tree.parts if isinstance(self.tree, Disjunction) else (self.tree,)
        return BuiltPattern(Disjunction((*left, pattern_of(other))))

    def __rrshift__(self, other: Part) -> BuiltPattern:
        return BuiltPattern(pattern_of(other)) >> self

    def __rand__(self, other: Part) -> BuiltPattern:
        return BuiltPattern(pattern_of(other)) & self

    def __ror__(self, other: Part) -> BuiltPattern:
        return BuiltPattern(pattern_of(other)) | self

    def __invert__(self) -> BuiltPattern:
        return self.absent()

    def where(self, condition: Operand) -> BuiltPattern:
        """Return `p @ (condition)`."""
        return BuiltPattern(Condition(self.tree, expression_of(condition)))

    def within(self, limit: Amount) -> BuiltPattern:
        """Return `(p WITHIN 5 min)` or `(p WITHIN 20 EVENTS)`."""
        return BuiltPattern(Span(self.tree, limit_of(limit)))

    def absent(
        self, lasting: TimeAmount | None = None, *, every: TimeAmount | None = None
    ) -> BuiltPattern:
        """Return `!p`, `!p FOR lasting`, or `!p FOR lasting EVERY every`."""
        if lasting is None and every is not None:
            refuse(every, "enough", "EVERY needs FOR: give `lasting` too")
        duration = None if lasting is None else time_amount_of(lasting)
        again = None if every is None else time_amount_of(every)
        return BuiltPattern(Absence(self.tree, duration, again))

    def times(
        self,
        low: int,
        high: int | None = None,
        *,
        by: LinkKind | Link = "->",
        until: Operand | None = None,
    ) -> BuiltPattern:
        """Return `p{low}` or `p{low,high}`.

        Examples
        --------
        >>> from tocsin.language import builder as b
        >>> b.named("denied").times(3, 5, by=",")
        BuiltPattern(denied{3,5} BY ,)
        """
        return self._iterated(low, low if high is None else high, by, until)

    def at_least(
        self, low: int, *, by: LinkKind | Link = "->", until: Operand | None = None
    ) -> BuiltPattern:
        """Return `p{low,}`."""
        return self._iterated(low, None, by, until)

    def one_or_more(
        self, *, by: LinkKind | Link = "->", until: Operand | None = None
    ) -> BuiltPattern:
        """Return `p+`."""
        return self._iterated(1, None, by, until)

    def any_number(
        self, *, by: LinkKind | Link = "->", until: Operand | None = None
    ) -> BuiltPattern:
        """Return `p*`."""
        return self._iterated(0, None, by, until)

    def optional(self) -> BuiltPattern:
        """Return `p?`."""
        return self._iterated(0, 1, "->", None)

    def of_stream(self, stream: str | Built[StreamDeclaration]) -> BuiltPattern:
        """Return the atom for events of one stream only: `a:asks[filter]`."""
        if not isinstance(self.tree, Atom) or self.tree.condition is None:
            refuse(self, "an atom with a filter", "write b.event('a', …).of_stream('asks')")
        return BuiltPattern(replace(self.tree, stream=name_of(stream, "a stream")))

    def _iterated(
        self, low: int, high: int | None, by: LinkKind | Link, until: Operand | None
    ) -> BuiltPattern:
        ends = None if until is None else expression_of(until)
        most = None if high is None else count_of(high, "a number of repetitions")
        least = count_of(low, "a number of repetitions")
        return BuiltPattern(Iteration(self.tree, least, most, link(by), ends))


def pattern_of(part: object) -> Pattern:
    """Return the tree of a part; a name is an atom."""
    if isinstance(part, str) or (
        isinstance(part, Built) and isinstance(part.tree, Definition | StreamDeclaration)
    ):
        return Atom(name=name_of(part, "a name"))
    tree: object = part.tree if isinstance(part, Built) else part
    if isinstance(tree, _PATTERNS):
        return cast("Pattern", tree)
    if isinstance(part, BuiltExpression):
        refuse(part, "a pattern", "make it an atom: b.event('a', condition)")
    return refuse(part, "a pattern", "give what b.event or b.named returned, or a name")


def link(kind: LinkKind | Link, condition: Operand | None = None) -> Link:
    """Return how one part follows another: `,`, `->`, `->{condition}` or `;`.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> b.sequence("a", b.link("->", b.attr.price > 0), "b", "->", "c")
    BuiltPattern(a ->{price > 0} b -> c)
    """
    if isinstance(kind, Link):
        return kind
    if kind not in (",", "->", ";"):
        refuse(kind, "a link", "the links are ',' (next), '->' (first later) and ';' (any later)")
    if condition is None:
        return Link(kind)
    if kind != "->":
        refuse(kind, "a link with a condition", "only -> takes one")
    return Link("->", expression_of(condition))
