"""Which variables an expression or a pattern speaks of."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tocsin.language.tree import Expression, Pattern, Variable


def walk(node: object) -> Iterator[object]:
    """Yield a tree node and everything below it, in the order of the text."""
    yield node
    if isinstance(node, tuple):
        for child in node:
            yield from walk(child)
    elif dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            if field.compare:
                yield from walk(getattr(node, field.name))


def variables_of(node: Expression | Pattern | tuple[Expression, ...]) -> tuple[str, ...]:
    """Return the names of the variables below a node, each once, in the order of the text.

    Examples
    --------
    >>> from tocsin.language.parser import parse_pattern
    >>> variables_of(parse_pattern("a:[ip = $x AND port = $p] ; b:[ip = $x]"))
    ('x', 'p')
    """
    return tuple(dict.fromkeys(part.name for part in walk(node) if isinstance(part, Variable)))
