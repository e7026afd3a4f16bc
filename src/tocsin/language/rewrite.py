"""Change parts of a tree and leave the rest as it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


def rewrite(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree in which `change` has replaced what it gives anything for.

    `change` returns None where a node stays; what it returns is not looked into any further.

    Examples
    --------
    >>> from tocsin.language.parser import parse_expression
    >>> from tocsin.language.tree import Attribute
    >>> renamed = lambda node: Attribute("cost") if node == Attribute("price") else None
    >>> rewrite(parse_expression("price > 10"), renamed) == parse_expression("cost > 10")
    True
    """
    if isinstance(node, tuple):
        return tuple(rewrite(part, change) for part in node)
    if not dataclasses.is_dataclass(node) or isinstance(node, type):
        return node
    changed = change(node)
    if changed is not None:
        return changed
    parts = {
        field.name: rewrite(getattr(node, field.name), change)
        for field in dataclasses.fields(node)
        if field.compare
    }
    return dataclasses.replace(node, **parts)
