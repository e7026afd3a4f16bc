"""The names that expressions give themselves."""

from __future__ import annotations

from tocsin.language.tree.expressions import Attribute, OfEvent, Variable
from tocsin.language.tree.statements import EmitItem


def own_name(item: EmitItem) -> str | None:
    """Return the name of an EMIT item, None where it has neither AS nor a name of its own.

    `$x` is called `x` and `a.price` is called `price`.
    """
    if item.name is not None:
        return item.name
    match item.expression:
        case Variable(name) | Attribute(name):
            return name
        case OfEvent(_, attribute):
            return attribute
        case _:
            return None


def emitted_name(item: EmitItem) -> str:
    """Return the name of an EMIT item that the checker has accepted."""
    name = own_name(item)
    assert name is not None, "the checker asks for AS where an expression has no name"
    return name
