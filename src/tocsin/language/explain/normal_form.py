"""The normal form: definitions written out, nested sequences of one kind made flat."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tocsin.language.checker.statements import statements_of
from tocsin.language.checker.streams import Streams
from tocsin.language.normal.inline import inline_definitions
from tocsin.language.tree import (
    Absence,
    And,
    Atom,
    Condition,
    Conjunction,
    Disjunction,
    Expression,
    Iteration,
    Link,
    Not,
    Nth,
    Or,
    Pattern,
    Program,
    Repeat,
    Sequence,
    Span,
    Subscription,
)

Definitions: TypeAlias = Mapping[str, Expression]


def normal_form(subscription: Subscription, program: Program) -> Subscription:
    """Return the subscription without definitions, flat, its stream named.

    A DEFINE name that stands for several atoms without an alias stays, because an alias may be
    given only once.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> program = parse("DEFINE hot AS t > 30; SUBSCRIBE s MATCH (a:hot ; b:hot) ; c:[hot]")
    >>> len(normal_form(program.subscriptions[0], program).pattern.parts)
    3
    """
    definitions = definitions_of(program)
    counts = Counter(
        atom.name for atom in atoms_of(subscription.pattern) if atom.name and not atom.alias
    )
    kept = {name for name, count in counts.items() if count > 1}
    pattern = _pattern(subscription.pattern, definitions, kept)
    where = subscription.where
    return dataclasses.replace(
        subscription,
        pattern=pattern,
        sources=subscription.sources or (default_stream(program),),
        where=None if where is None else inline(where, definitions),
    )


def definitions_of(program: Program) -> dict[str, Expression]:
    """Return the conditions of a program by the names DEFINE gave them."""
    return {definition.name: definition.condition for definition in program.definitions}


def default_stream(program: Program) -> str:
    """Return the stream that is meant where none is named.

    Examples
    --------
    >>> from tocsin.language.parser import parse
    >>> default_stream(parse("STREAM logins (ip STRING); SUBSCRIBE s MATCH [ip = '::1']"))
    'logins'
    """
    definitions = {one.name: one for one in program.definitions}
    return Streams(statements_of(program), definitions).default


def atoms_of(pattern: Pattern) -> Iterator[Atom]:
    """Give the atoms of a pattern in the order of the text."""
    match pattern:
        case Atom():
            yield pattern
        case Sequence() | Conjunction() | Disjunction():
            for part in pattern.parts:
                yield from atoms_of(part)
        case _:
            yield from atoms_of(pattern.pattern)


def inline(condition: Expression, definitions: Definitions) -> Expression:
    """Write out the names of definitions, and make nested ANDs and ORs flat."""
    return _flat_condition(inline_definitions(condition, definitions))


def _flat_condition(condition: Expression) -> Expression:
    match condition:
        case And(parts):
            return And(tuple(_flat(And, tuple(_flat_condition(part) for part in parts))))
        case Or(parts):
            return Or(tuple(_flat(Or, tuple(_flat_condition(part) for part in parts))))
        case Not(operand):
            return Not(_flat_condition(operand))
    return condition


def _flat(kind: type[And] | type[Or], parts: tuple[Expression, ...]) -> Iterator[Expression]:
    for part in parts:
        if isinstance(part, And | Or) and isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def _pattern(pattern: Pattern, definitions: Definitions, kept: set[str]) -> Pattern:
    match pattern:
        case Atom():
            return _atom(pattern, definitions, kept)
        case Sequence(parts, links):
            inner = tuple(_pattern(part, definitions, kept) for part in parts)
            return flatten_sequence(Sequence(inner, tuple(_link(x, definitions) for x in links)))
        case Conjunction(parts):
            inner = tuple(_pattern(part, definitions, kept) for part in parts)
            return Conjunction(tuple(_spread(Conjunction, inner)))
        case Disjunction(parts):
            inner = tuple(_pattern(part, definitions, kept) for part in parts)
            return Disjunction(tuple(_spread(Disjunction, inner)))
        case Condition(inside, condition):
            return Condition(_pattern(inside, definitions, kept), inline(condition, definitions))
        case Iteration(inside, _, _, by, until):
            return dataclasses.replace(
                pattern,
                pattern=_pattern(inside, definitions, kept),
                by=_link(by, definitions),
                until=None if until is None else inline(until, definitions),
            )
    return dataclasses.replace(pattern, pattern=_pattern(pattern.pattern, definitions, kept))


def _atom(atom: Atom, definitions: Definitions, kept: set[str]) -> Atom:
    if atom.condition is not None:
        return dataclasses.replace(atom, condition=inline(atom.condition, definitions))
    name = atom.name
    if name is None or name not in definitions or (atom.alias is None and name in kept):
        return atom
    return Atom(atom.alias or name, inline(definitions[name], definitions))


def _link(link: Link, definitions: Definitions) -> Link:
    if link.condition is None:
        return link
    return Link(link.kind, inline(link.condition, definitions))


def _spread(
    kind: type[Conjunction] | type[Disjunction], parts: tuple[Pattern, ...]
) -> Iterator[Pattern]:
    for part in parts:
        if isinstance(part, Conjunction | Disjunction) and isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def flatten_sequence(sequence: Sequence) -> Sequence:
    """Join parts that are sequences of the same kind, where that says the same.

    It does not where an absence or an nth at the edge of the part would get a new neighbour, nor
    where the part begins with something that can be left out: the link that vanishes with it would
    be another one.
    """
    parts: list[Pattern] = []
    links: list[Link] = []
    for place, part in enumerate(sequence.parts):
        if place:
            links.append(sequence.links[place - 1])
        if isinstance(part, Sequence) and _can_join(part, sequence, place):
            parts += part.parts
            links += part.links
        else:
            parts.append(part)
    return Sequence(tuple(parts), tuple(links))


def _can_join(inner: Sequence, outer: Sequence, place: int) -> bool:
    first, last = inner.parts[0], inner.parts[-1]
    if inner.links[0].kind != outer.links[0].kind:
        return False
    if isinstance(first, Absence) or isinstance(last, Absence):
        return False
    return place == 0 or not (can_be_empty(first) or _opens_with_nth(first))


def _opens_with_nth(pattern: Pattern) -> bool:
    match pattern:
        case Nth():
            return True
        case Sequence(parts):
            return _opens_with_nth(parts[0])
        case Condition(inside) | Span(inside) | Iteration(inside):
            return _opens_with_nth(inside)
    return False


def can_be_empty(pattern: Pattern) -> bool:
    """Say whether a pattern has a match without any event."""
    match pattern:
        case Iteration(inside, low):
            return low == 0 or can_be_empty(inside)
        case Sequence(parts) | Conjunction(parts):
            return all(can_be_empty(p) for p in parts if not isinstance(p, Absence))
        case Disjunction(parts):
            return any(can_be_empty(part) for part in parts)
        case Condition(inside) | Span(inside) | Repeat(inside):
            return can_be_empty(inside)
    return False
