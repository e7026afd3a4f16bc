"""Where in a pattern a name is bound, seen from the place that could not see it; for messages."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from tocsin.language.tree import (
    Absence,
    And,
    Atom,
    Attribute,
    Comparison,
    Condition,
    Conjunction,
    Definition,
    Disjunction,
    Expression,
    Pattern,
    Sequence,
    Variable,
)

Definitions: TypeAlias = Mapping[str, Definition]


class Position(enum.IntEnum):
    """Where the atom stands that binds a name; smaller ones explain more."""

    ABSENT = 1
    OTHER_SIDE = 2
    OTHER_BRANCH = 3
    LATER = 4
    NOWHERE = 5


def children(node: Pattern) -> tuple[Pattern, ...]:
    """Return the parts of a pattern in the order of the text."""
    if isinstance(node, Atom):
        return ()
    if isinstance(node, Sequence | Conjunction | Disjunction):
        return node.parts
    return (node.pattern,)


def atoms_of(pattern: Pattern) -> Iterator[Atom]:
    """Yield the atoms in the order of the text, absent ones included."""
    stack = [pattern]
    while stack:
        node = stack.pop()
        if isinstance(node, Atom):
            yield node
        else:
            stack.extend(reversed(children(node)))


def position_of_alias(pattern: Pattern, alias: str, at: int) -> Position:
    """Say where an alias is bound, seen from an offset."""
    return _position(pattern, at, lambda atom: (atom.alias or atom.name) == alias)


def position_of_variable(
    pattern: Pattern | None, name: str, at: int, definitions: Definitions
) -> Position:
    """Say where a variable is bound, seen from an offset."""
    if pattern is None:
        return Position.NOWHERE
    return _position(pattern, at, lambda atom: _binds(_filter_of(atom), name, definitions, ()))


def _filter_of(atom: Atom) -> Expression | None:
    return atom.condition if atom.name is None else Attribute(atom.name)


def _binds(
    node: Expression | None, name: str, definitions: Definitions, seen: tuple[str, ...]
) -> bool:
    match node:
        case And(parts):
            return any(_binds(part, name, definitions, seen) for part in parts)
        case Comparison("=", left, right):
            return Variable(name) in (left, right)
        case Attribute(defined) if defined in definitions and defined not in seen:
            return _binds(definitions[defined].condition, name, definitions, (*seen, defined))
        case _:
            return False


def _position(pattern: Pattern, at: int, binds: Callable[[Atom], bool]) -> Position:
    found = (
        _seen_from(at, path)
        for path in _paths(pattern)
        if isinstance(path[-1], Atom) and binds(path[-1])
    )
    return min(found, default=Position.NOWHERE)


def _paths(pattern: Pattern) -> Iterator[tuple[Pattern, ...]]:
    """Yield the way from the root to each atom."""
    stack: list[tuple[Pattern, ...]] = [(pattern,)]
    while stack:
        path = stack.pop()
        if isinstance(path[-1], Atom):
            yield path
        stack.extend((*path, child) for child in reversed(children(path[-1])))


def _seen_from(at: int, path: tuple[Pattern, ...]) -> Position:
    """Compare the way to an atom with the way to an offset, and judge where they part."""
    for depth, node in enumerate(path[:-1]):
        if _child_at(node, at) is path[depth + 1]:
            continue
        if any(isinstance(below, Absence) for below in path[depth + 1 :]):
            return Position.ABSENT
        if isinstance(node, Conjunction):
            return Position.OTHER_SIDE
        return Position.OTHER_BRANCH if isinstance(node, Disjunction) else Position.LATER
    return Position.LATER


def _child_at(node: Pattern, at: int) -> Pattern:
    parts = children(node)
    begun = [part for part in parts if _begin(part) <= at]
    return begun[-1] if begun else parts[0]


def _begin(node: Pattern) -> int:
    while isinstance(node, Condition):  # its own offset is that of the `@`
        node = node.pattern
    return node.at
