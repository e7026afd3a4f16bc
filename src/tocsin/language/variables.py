"""Which variables an expression or a pattern speaks of."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import Any

from tocsin.language.tree import Expression, Pattern, Variable


def walk(node: object) -> Iterator[object]:
    """Yield a tree node and everything below it, in the order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, tuple):
            waiting += reversed(node)
        else:
            of: Any = type(node)  # as it is, mypy takes it for something without a hash
            waiting += [getattr(node, name) for name in _fields(of)]


@cache
def _fields(of: type) -> tuple[str, ...]:
    """Return the names of the parts of a node of a type, the last one first."""
    if not dataclasses.is_dataclass(of):
        return ()
    return tuple(field.name for field in reversed(dataclasses.fields(of)) if field.compare)


def variables_of(node: Expression | Pattern | tuple[Expression, ...]) -> tuple[str, ...]:
    """Return the names of the variables below a node, each once, in the order of the text.

    Examples
    --------
    >>> from tocsin.language.parser import parse_pattern
    >>> variables_of(parse_pattern("a:[ip = $x AND port = $p] ; b:[ip = $x]"))
    ('x', 'p')
    """
    return tuple(dict.fromkeys(part.name for part in walk(node) if isinstance(part, Variable)))
