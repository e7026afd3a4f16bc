"""Atoms, and the functions that join parts to patterns."""

from __future__ import annotations

from typing import Literal as OneOf

from tocsin.language.builder.base import Built, refuse
from tocsin.language.builder.patterns import (
    BuiltPattern,
    LinkKind,
    Part,
    link,
    pattern_of,
)
from tocsin.language.builder.values import (
    Operand,
    TimeAmount,
    constant,
    count_of,
    duration_of,
    expression_of,
    name_of,
)
from tocsin.language.parser import parse_pattern
from tocsin.language.tree import (
    And,
    Atom,
    Attribute,
    Comparison,
    Conjunction,
    Definition,
    Disjunction,
    Expression,
    InList,
    Link,
    Literal,
    Nth,
    Pattern,
    Repeat,
    Sequence,
    StreamDeclaration,
)
from tocsin.model.values import Duration, Timestamp


def event(
    alias: str | Operand | None = None, /, *conditions: Operand, **equal: Operand | list[Operand]
) -> BuiltPattern:
    """Return an atom: an alias, if any, and conditions on one event.

    A keyword asks for an attribute's value, or with a list for one of several. Without any
    condition every event is meant.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> b.event("d", b.attr.retries > 3, status="denied", ip=b.var("x"))
    BuiltPattern(d:[retries > 3 AND status = 'denied' AND ip = $x])
    >>> b.event(b.attr.price > 10), b.event("any")
    (BuiltPattern([price > 10]), BuiltPattern(any:[TRUE]))
    """
    name = name_of(alias, "an alias") if isinstance(alias, str) else None
    if alias is not None and not isinstance(alias, str):
        conditions = (alias, *conditions)
    found = [_condition(condition) for condition in conditions]
    found += [_equality(attribute, value) for attribute, value in equal.items()]
    return BuiltPattern(Atom(name, _joined(found)))


def _condition(value: Operand) -> Expression:
    if isinstance(value, str):
        refuse(value, "a condition", "the alias comes first; write b.expression(…) for a text")
    return expression_of(value)


def _equality(attribute: str, value: Operand | list[Operand] | tuple[Operand, ...]) -> Expression:
    if isinstance(value, list | tuple):
        if not value:
            refuse(value, "a list of choices", "give at least one")
        return InList(Attribute(attribute), tuple(map(expression_of, value)))
    return Comparison("=", Attribute(attribute), expression_of(value))


def _joined(conditions: list[Expression]) -> Expression:
    if not conditions:
        return Literal(value=True)
    if len(conditions) == 1:
        return conditions[0]
    parts = [part.parts if isinstance(part, And) else (part,) for part in conditions]
    return And(tuple(part for several in parts for part in several))


def named(
    name: str | Built[Definition] | Built[StreamDeclaration], alias: str | None = None
) -> BuiltPattern:
    """Return an atom that is a DEFINE or all events of a stream: `denied`, `a:denied`."""
    own = None if alias is None else name_of(alias, "an alias")
    return BuiltPattern(Atom(own, name=name_of(name, "the name of a DEFINE or a stream")))


def then_next(*parts: Part) -> BuiltPattern:
    """Return `p , q , …`: each begins with the very next event."""
    return _sequence(parts, Link(","))


def then_first(*parts: Part, when: Operand | None = None) -> BuiltPattern:
    """Return `p -> q -> …`: each begins with the first later event that can, or `when` holds for.

    Examples
    --------
    >>> from tocsin.language import builder as b
    >>> b.then_first("a", "b", when=b.attr.price > 0)
    BuiltPattern(a ->{price > 0} b)
    """
    return _sequence(parts, link("->", when))


def then_any(*parts: Part) -> BuiltPattern:
    """Return `p ; q ; …`: each begins with any later event."""
    return _sequence(parts, Link(";"))


def sequence(first: Part, *rest: Part | Link | LinkKind) -> BuiltPattern:
    """Return parts with a link between each two, all of one kind: `sequence(p, "->", q)`."""
    links, parts = rest[::2], rest[1::2]
    if not rest or len(links) != len(parts):
        refuse(rest, "links and parts in turn", "write sequence(p, '->', q, '->', r)")
    found = tuple(link(one) for one in links)  # type: ignore[arg-type]
    if len({one.kind for one in found}) > 1:
        refuse(links, "links of one kind", "build the tighter part first, as a part of its own")
    return BuiltPattern(Sequence(tuple(map(pattern_of, (first, *parts))), found))


def in_any_order(*parts: Part) -> BuiltPattern:
    """Return `p & q & …`."""
    return BuiltPattern(Conjunction(_parts(parts)))


def either(*parts: Part) -> BuiltPattern:
    """Return `p | q | …`."""
    return BuiltPattern(Disjunction(_parts(parts)))


def absent(
    part: Part, lasting: TimeAmount | None = None, *, every: TimeAmount | None = None
) -> BuiltPattern:
    """Return `!p`, `!p FOR lasting`, or `!p FOR lasting EVERY every`.

    Examples
    --------
    >>> absent("heartbeat", "10 min", every="1 hour")
    BuiltPattern(!heartbeat FOR 10 min EVERY 1 hour)
    """
    return BuiltPattern(pattern_of(part)).absent(lasting, every=every)


def nth(index: int, part: Part) -> BuiltPattern:
    """Return `nth(3, p)`."""
    return BuiltPattern(Nth(count_of(index, "a number, from 1 on"), pattern_of(part)))


def repeat(
    part: Part,
    times: int,
    attribute: str,
    step: TimeAmount | float,
    *,
    by: OneOf["&"] | LinkKind | Link = ";",
) -> BuiltPattern:
    """Return `repeat(p, n, attribute, step)`.

    Examples
    --------
    >>> repeat("job", 3, "number", 1, by="&")
    BuiltPattern(repeat(job, 3, number, 1) BY &)
    """
    count, name = count_of(times, "a number of times"), name_of(attribute, "an attribute")
    joined = None if by == "&" else link(by)
    return BuiltPattern(Repeat(pattern_of(part), count, name, _step(step), joined))


def _step(step: object) -> int | float | Duration:
    if isinstance(step, str):
        return duration_of(step)
    value = constant(step)
    if isinstance(value, int | float) and not isinstance(value, bool | Timestamp):
        return value
    return refuse(step, "a step", "give a number or a duration such as '5 min'")


def pattern(text: str) -> BuiltPattern:
    """Return the pattern that a text says.

    Examples
    --------
    >>> pattern("a:[x = 1] ; b:[x = 2]").within("5 min")
    BuiltPattern((a:[x = 1] ; b:[x = 2] WITHIN 5 min))
    """
    return BuiltPattern(parse_pattern(name_of(text, "the text of a pattern")))


def _sequence(parts: tuple[Part, ...], joined: Link) -> BuiltPattern:
    return BuiltPattern(Sequence(_parts(parts), (joined,) * (len(parts) - 1)))


def _parts(parts: tuple[Part, ...]) -> tuple[Pattern, ...]:
    if len(parts) < 2:
        refuse(parts, "two parts or more", "give each as its own argument")
    return tuple(map(pattern_of, parts))
